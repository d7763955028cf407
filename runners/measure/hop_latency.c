/* SPDX-License-Identifier: BSD-3-Clause */
/* hop_latency.c - does the distance between ranks matter? Measures the time of
 * an empty message from rank 0 to the ranks 1, 2, 4 ... places away (beyond a
 * node 1, 2, 4 ... nodes), and how many ways the network is shared when all
 * ranks send that far at once. They are alpha and kappa of the model by
 * distance.
 *
 * Shift by d: rank r sends to r + d and receives from r - d. On a line d
 * messages share the middle link; on a flat network none.
 * Pairs: r and r xor d exchange. Behind a switch with at most d ranks these
 * share its uplink; behind a larger switch they do not leave it.
 * Mirror: r and P - 1 - r exchange. On a ring half as many share a link as on a
 * line. */
#include "runners/measure/runner.h"

#include <math.h>
#include <stdlib.h>

#define NTRIP_EMPTY 50
#define NTRIP 5
#define BYTES 262144

/* Half of the shortest round trip between rank 0 and peer, on both, s. */
static int one_way(struct chorale_bench *bench, int peer, char *buf,
                   size_t bytes, double *best)
{
    int me = bench->world_rank, rc = MPI_SUCCESS;
    int ntrip = chorale_simulated() ? 1 : bytes > 0 ? NTRIP : NTRIP_EMPTY;

    *best = INFINITY;
    if (me != 0 && me != peer)
        return MPI_SUCCESS;
    for (int i = 0; i < ntrip && rc == MPI_SUCCESS; i++) {
        double sent = chorale_now_common(bench);

        if (me == 0)
            rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              peer);
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              me == 0 ? peer : 0);
        if (rc == MPI_SUCCESS && me != 0)
            rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              0);
        *best = fmin(*best, (chorale_now_common(bench) - sent) / 2);
    }
    return rc;
}

/* Shortest time of an exchange in which each rank sends to one rank and
 * receives from one, until the last rank has its message. Ranks with partner -1
 * only take part in the synchronisation. */
static int exchange(struct chorale_bench *bench, int to, int from, char *buf,
                    double *best)
{
    int rc = MPI_SUCCESS;
    int times = chorale_simulated() ? 1 : NTRIP;

    *best = INFINITY;
    for (int i = 0; i < times && rc == MPI_SUCCESS; i++) {
        int late;
        double in, out;
        double start = chorale_sync_start(bench, CHORALE_SYNC_ROUNDTIME, 0,
                                          &in, &late);

        if (to >= 0)
            rc = chorale_sendrecv(bench->sync, buf, BYTES, MPI_BYTE, to,
                                  buf + BYTES, BYTES, MPI_BYTE, from);
        out = chorale_now_common(bench);
        if (rc == MPI_SUCCESS)
            rc = chorale_p2p_allreduce(bench, &out, 1, 0);
        *best = fmin(*best, out - start);
    }
    return rc;
}

static double ways(double all, double empty, double alone)
{
    return alone > empty ? (all - empty) / (alone - empty) : NAN;
}

/* Ranks per node if placed in blocks, else 1. */
static int block(const struct chorale_bench *bench)
{
    return bench->ppn > 0 ? bench->ppn : 1;
}

/* Exchange between r and r xor d; for whole nodes between the same ranks of two
 * nodes. */
static int pairs(struct chorale_bench *bench, int d, char *buf, double *best)
{
    int me = bench->world_rank, ppn = block(bench);
    int peer = d % ppn == 0 ? (me / ppn ^ d / ppn) * ppn + me % ppn : me ^ d;

    peer = peer < bench->world_size ? peer : -1;
    return exchange(bench, peer, peer, buf, best);
}

static int one_distance(struct chorale_bench *bench, int d, char *buf,
                        struct chorale_distance *at)
{
    int size = bench->world_size, me = bench->world_rank;
    double empty, alone, all, both;
    int rc = one_way(bench, d, buf, 0, &empty);

    if (rc == MPI_SUCCESS)
        rc = one_way(bench, d, buf, BYTES, &alone);
    if (rc == MPI_SUCCESS)
        rc = exchange(bench, (me + d) % size, (me - d + size) % size, buf,
                      &all);
    if (rc == MPI_SUCCESS)
        rc = pairs(bench, d, buf, &both);
    if (rc == MPI_SUCCESS && bench->world_rank == 0)
        *at = (struct chorale_distance){
            .places = d, .alpha = empty, .kappa = ways(all, empty, alone),
            .pairs = ways(both, empty, alone),
        };
    return rc;
}

static int mirror(struct chorale_bench *bench, char *buf)
{
    int last = bench->world_size - 1, peer = last - bench->world_rank;
    double empty, alone, all;
    int rc = one_way(bench, last, buf, 0, &empty);

    if (rc == MPI_SUCCESS)
        rc = one_way(bench, last, buf, BYTES, &alone);
    peer = peer != bench->world_rank ? peer : -1;
    if (rc == MPI_SUCCESS)
        rc = exchange(bench, peer, peer, buf, &all);
    bench->distance_mirror = rc == MPI_SUCCESS ? ways(all, empty, alone)
                                               : NAN;
    return rc;
}

int chorale_distance_measure(struct chorale_bench *bench)
{
    int size = bench->world_size, n = 0, rc;
    char *buf;
    int lacks;

    /* Oversubscribed, a rank would wait for its turn on a processor. */
    if (size < 3 || bench->oversubscribed || bench->work.siblings > 1 ||
        (chorale_simulated() && size > CHORALE_DISTANCE_RANKS))
        return MPI_SUCCESS;
    buf = calloc(2, BYTES);
    lacks = buf == NULL;
    rc = chorale_p2p_max(bench, &lacks);
    /* 1, 2, 4 ... inside a node, then 1, 2, 4 ... nodes. */
    for (int d = 1; d < size && n < CHORALE_DISTANCES && !lacks &&
                    rc == MPI_SUCCESS;
         d = d < block(bench) && 2 * d > block(bench) ? block(bench) : 2 * d)
        rc = one_distance(bench, d, buf, &bench->distance[n++]);
    if (!lacks && rc == MPI_SUCCESS)
        rc = mirror(bench, buf);
    bench->ndistance = rc == MPI_SUCCESS && !lacks ? n : 0;
    free(buf);
    return rc;
}
