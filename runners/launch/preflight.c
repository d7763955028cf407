/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - before anything is measured: how fast each node copies,
 * how far its neighbour and how wide the link to it, and whether their
 * processors are the same. What stands out is said of the launch and of each of
 * its runs. The copies are timed already (memcpy_speed.c); the messages add 20 round
 * trips of empty ones and at most 5 of 1 MiB three times, a few milliseconds.
 * On a slow link the latter end with the first that begins after BULK_SECONDS.
 * `preflight_s` says how long all took. */
#include "runners/launch/environment.h"

#ifndef CHORALE_SIM

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/node_outliers.h"

#define NTRIP 20             /* of empty messages; the quickest counts */
#define NBULK 5              /* of long ones, */
#define BULK (1 << 20)       /* of so many bytes, */
#define BULK_SECONDS 0.02    /* or fewer */

/* What a node's first rank finds out of the way to the next node. */
struct way {
    double seconds;          /* of an empty message */
    double bulk_seconds;     /* of BULK bytes */
};

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

/* The same of long messages, which lie in bulk. Who begins says with each
 * whether it is the last, as it alone looks at the time. */
static int long_way(struct chorale_bench *bench, int other, int begins,
                    char *bulk, double *best)
{
    double began = chorale_now_common(bench);
    int rc = MPI_SUCCESS;

    bulk[0] = 0;
    for (int i = 1; !bulk[0] && rc == MPI_SUCCESS; i++) {
        double sent = chorale_now_common(bench), took;

        if (begins) {
            bulk[0] = i == NBULK || sent - began > BULK_SECONDS;
            rc = chorale_send(bench->sync, bulk, BULK, MPI_BYTE, other);
        }
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, bulk, BULK, MPI_BYTE, other);
        if (rc == MPI_SUCCESS && !begins)
            rc = chorale_send(bench->sync, bulk, BULK, MPI_BYTE, other);
        took = (chorale_now_common(bench) - sent) / 2;
        if (took > 0 && (!(*best > 0) || took < *best))
            *best = took;
    }
    return rc;
}

/* Both, with another rank. */
static int both_ways(struct chorale_bench *bench, int other, int begins,
                     char *bulk, struct way *way)
{
    int rc = one_way(bench, other, begins, &way->seconds);

    return rc == MPI_SUCCESS
               ? long_way(bench, other, begins, bulk, &way->bulk_seconds)
               : rc;
}

/* Each node with the next one, round a ring: first the even ones, then the odd
 * ones, and the last with the first where they are an odd number. */
static int ring(struct chorale_bench *bench, const int *first, int n, int mine,
                char *bulk, struct way *next)
{
    int rc = MPI_SUCCESS;

    for (int phase = 0; phase < 3 && rc == MPI_SUCCESS; phase++) {
        rc = chorale_own_barrier(bench->sync);
        for (int i = 0; i < n && mine >= 0 && rc == MPI_SUCCESS; i++) {
            int to = (i + 1) % n;
            int turn = i == n - 1 && n % 2 == 1 ? 2 : i % 2;
            struct way spare = { 0, 0 };

            if (turn != phase || (n == 2 && i == 1))
                continue;
            if (mine == i)
                rc = both_ways(bench, first[to], 1, bulk, next);
            else if (mine == to)
                rc = both_ways(bench, first[i], 0, bulk, &spare);
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
        put(facts, i, "next_node_bytes_per_s", node[i].bandwidth);
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

/* What a rank tells of itself. */
struct told {
    double copy_seconds;     /* of a byte */
    struct way next;
};

/* Rank 0: those of ranks become those of nodes. */
static void add_up(const struct chorale_bench *bench, const int *first, int n,
                   const struct told *all, struct chorale_node_speed *node)
{
    for (int r = 0; r < bench->world_size; r++)
        for (int i = 0; i < n; i++)
            if (bench->node[r] == first[i]) {
                double copy = all[r].copy_seconds;

                node[i].memory += copy > 0 ? 1 / copy : 0;
                node[i].ranks += copy > 0;
                if (r != first[i])
                    continue;
                node[i].next = all[r].next.seconds;
                if (all[r].next.bulk_seconds > 0)
                    node[i].bandwidth = BULK / all[r].next.bulk_seconds;
            }
}

int chorale_preflight(struct chorale_bench *bench, struct chorale_facts *facts)
{
    size_t size = (size_t)bench->world_size;
    size_t rows = bench->world_rank == 0 ? size : 1;
    struct told mine = { bench->copy_own, { 0, 0 } };
    double began = chorale_now_common(bench);
    int *first = calloc(size, sizeof(*first)), n = 0, me = -1;
    struct told *all = calloc(rows, sizeof(*all));
    struct chorale_node_speed *node = calloc(rows, sizeof(*node));
    char *bulk = malloc(BULK);
    int lacks = first == NULL || all == NULL || node == NULL || bulk == NULL;
    int rc = chorale_own_most(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS) {
        n = find_firsts(bench, first, &me);
        if (me >= 0)
            memset(bulk, 0, BULK); /* it is there before it is sent */
        if (n > 1)
            rc = ring(bench, first, n, me, bulk, &mine.next);
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_own_gather(bench, &mine, all, sizeof(mine));
    if (rc == MPI_SUCCESS && bench->world_rank == 0) {
        add_up(bench, first, n, all, node);
        judge(bench, node, n, facts);
        chorale_facts_putf(facts, "preflight_s", "%.3g",
                           chorale_now_common(bench) - began);
    }
    free(first);
    free(all);
    free(node);
    free(bulk);
    return rc;
}

#endif
