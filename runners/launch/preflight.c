/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - before measuring, compare the nodes: copy speed, latency and
 * bandwidth to the next node, processor model. Stragglers and mixed processors
 * are recorded for the launch and flagged in each of its runs. Copies were
 * already timed (memcpy_speed.c). Messages add, in each of three phases, 20
 * round trips of empty messages and at most 5 of 1 MiB, a few milliseconds; on
 * a slow link the long ones end after BULK_SECONDS. preflight_s is the total
 * time. */
#include "runners/launch/environment.h"

#ifndef CHORALE_SIM

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/node_outliers.h"

#define NTRIP 20             /* empty round trips; the shortest counts */
#define NBULK 5              /* most long round trips */
#define BULK (1 << 20)       /* bytes of a long message */
#define BULK_SECONDS 0.02    /* no further long round trip after this, s */

/* The link to the next node, measured by a node's first rank. */
struct way {
    double seconds;          /* one way, empty message */
    double bulk_seconds;     /* one way, BULK bytes */
};

/* First ranks of the nodes, in order; *mine_p: index of this rank, or -1. */
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

/* Half of the shortest round trip with another rank, as *best, s. begins: 1 on
 * the rank that starts. */
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

/* The same for long messages in bulk. Their first byte tells whether it is the
 * last round trip, because only the starting rank checks the time. */
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

/* Both measurements with another rank. */
static int both_ways(struct chorale_bench *bench, int other, int begins,
                     char *bulk, struct way *way)
{
    int rc = one_way(bench, other, begins, &way->seconds);

    return rc == MPI_SUCCESS
               ? long_way(bench, other, begins, bulk, &way->bulk_seconds)
               : rc;
}

/* Measure each node with the next one on a ring: first the even nodes, then the
 * odd nodes, and last the closing link if their number is odd. */
static int ring(struct chorale_bench *bench, const int *first, int n, int mine,
                char *bulk, struct way *next)
{
    int rc = MPI_SUCCESS;

    for (int phase = 0; phase < 3 && rc == MPI_SUCCESS; phase++) {
        rc = chorale_p2p_barrier(bench->sync);
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

/* Put a fact of node i; the first node's key has no host number. */
static void put(struct chorale_facts *facts, int i, const char *key,
                double value)
{
    char name[64];

    if (!(value > 0))
        return;
    snprintf(name, sizeof(name), "host:%d:%s", i, key);
    chorale_facts_putf(facts, i > 0 ? name : key, "%.4g", value);
}

/* Store the measurements as facts, and set the flags for the runs. */
static void judge(struct chorale_bench *bench,
                  const struct chorale_node_speed *node, int n,
                  struct chorale_facts *facts)
{
    char text[1024], key[64];
    int count = chorale_stragglers_find(node, n, text, sizeof(text));

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

/* Measurements of one rank. */
struct told {
    double copy_seconds;     /* per byte */
    struct way next;
};

/* Rank 0: combine the ranks of each node. */
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
    int rc = chorale_p2p_max(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS) {
        n = find_firsts(bench, first, &me);
        if (me >= 0)
            memset(bulk, 0, BULK); /* touch the pages before timing */
        if (n > 1)
            rc = ring(bench, first, n, me, bulk, &mine.next);
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_gather(bench, &mine, all, sizeof(mine));
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
