/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - before anything is measured: how fast each node copies,
 * how far its neighbour, and whether their processors are the same. What stands
 * out is said of the launch and of each of its runs. The copies are timed
 * already (copying.c); the messages add 20 round trips three times, a few
 * milliseconds, and `preflight_s` says how long they took. */
#include "runners/environment.h"

#ifndef CHORALE_SIM

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/preflight.h"

#define NTRIP 20             /* of empty messages; the quickest counts */

/* First ranks of the nodes, in order; ours among them, or -1. */
static int find_firsts(const struct chorale_bench *bench, int *first,
                       int *mine_p)
{
    int n = 0;

    *mine_p = -1;
    for (int r = 0; r < bench->world_size; r++) {
        if (bench->node[r] != r)
            continue;
        if (r == bench->world_rank)
            *mine_p = n;
        first[n++] = r;
    }
    return n;
}

/* Half the quickest round trip with another rank; the result of who begins. */
static int one_way(struct chorale_bench *bench, int other, int begins,
                   double *best)
{
    char nothing = 0;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < NTRIP && rc == MPI_SUCCESS; i++) {
        double sent = chorale_now_common(bench), took;

        if (begins)
            rc = chorale_send(bench->sync, &nothing, 0, MPI_BYTE, other);
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, &nothing, 0, MPI_BYTE, other);
        if (rc == MPI_SUCCESS && !begins)
            rc = chorale_send(bench->sync, &nothing, 0, MPI_BYTE, other);
        took = (chorale_now_common(bench) - sent) / 2;
        if (took > 0 && (!(*best > 0) || took < *best))
            *best = took;
    }
    return rc;
}

/* Each node with the next one, round a ring: first the even ones, then the odd
 * ones, and the last with the first where they are an odd number. */
static int ring(struct chorale_bench *bench, const int *first, int n, int mine,
                double *next)
{
    int rc = MPI_SUCCESS;

    for (int phase = 0; phase < 3 && rc == MPI_SUCCESS; phase++) {
        rc = chorale_own_barrier(bench->sync);
        for (int i = 0; i < n && mine >= 0 && rc == MPI_SUCCESS; i++) {
            int to = (i + 1) % n;
            int turn = i == n - 1 && n % 2 == 1 ? 2 : i % 2;
            double spare = 0;

            if (turn != phase || (n == 2 && i == 1))
                continue;
            if (mine == i)
                rc = one_way(bench, first[to], 1, next);
            else if (mine == to)
                rc = one_way(bench, first[i], 0, &spare);
        }
    }
    return rc;
}

/* Of node i: as other facts of nodes, the first one's without its number. */
static void put(struct chorale_facts *facts, int i, const char *key,
                double value)
{
    char name[64];

    if (!(value > 0))
        return;
    snprintf(name, sizeof(name), "host:%d:%s", i, key);
    chorale_facts_putf(facts, i > 0 ? name : key, "%.4g", value);
}

/* What was measured becomes facts, and what stands out a flag of each run. */
static void judge(struct chorale_bench *bench,
                  const struct chorale_node_speed *node, int n,
                  struct chorale_facts *facts)
{
    char text[1024], key[64];
    int count = chorale_preflight_judge(node, n, text, sizeof(text));

    for (int i = 0; i < n; i++) {
        put(facts, i, "copy_bytes_per_s", node[i].memory);
        put(facts, i, "next_node_s", node[i].next);
    }
    facts->lacks |= count < 0;
    bench->straggler = count > 0;
    chorale_facts_put(facts, "stragglers", text);
    for (int i = 1; i < n && !bench->mixed_cpus; i++) {
        snprintf(key, sizeof(key), "host:%d:cpu_model", i);
        bench->mixed_cpus = chorale_facts_get(facts, key) != NULL;
    }
    if (bench->mixed_cpus)
        chorale_facts_put(facts, "cpus_mixed", "yes");
}

/* Rank 0: rows of two numbers, those of ranks become those of nodes. */
static void add_up(const struct chorale_bench *bench, const int *first, int n,
                   const double *all, struct chorale_node_speed *node)
{
    for (int r = 0; r < bench->world_size; r++)
        for (int i = 0; i < n; i++)
            if (bench->node[r] == first[i]) {
                node[i].memory += all[2 * r] > 0 ? 1 / all[2 * r] : 0;
                node[i].ranks += all[2 * r] > 0;
                if (r == first[i])
                    node[i].next = all[2 * r + 1];
            }
}

int chorale_preflight(struct chorale_bench *bench, struct chorale_facts *facts)
{
    size_t size = (size_t)bench->world_size;
    double mine[2] = { bench->copy_own, 0 }, began = chorale_now_common(bench);
    int *first = calloc(size, sizeof(*first)), n = 0, me = -1;
    double *all = calloc(bench->world_rank == 0 ? 2 * size : 2, sizeof(*all));
    struct chorale_node_speed *node =
        calloc(bench->world_rank == 0 ? size : 1, sizeof(*node));
    int lacks = first == NULL || all == NULL || node == NULL;
    int rc = chorale_own_most(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS) {
        n = find_firsts(bench, first, &me);
        if (n > 1)
            rc = ring(bench, first, n, me, &mine[1]);
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_own_gather(bench, mine, all, sizeof(mine));
    if (rc == MPI_SUCCESS && bench->world_rank == 0) {
        add_up(bench, first, n, all, node);
        judge(bench, node, n, facts);
        chorale_facts_putf(facts, "preflight_s", "%.3g",
                           chorale_now_common(bench) - began);
    }
    free(first);
    free(all);
    free(node);
    return rc;
}

#endif
