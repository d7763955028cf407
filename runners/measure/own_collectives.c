/* SPDX-License-Identifier: BSD-3-Clause */
/* own_collectives.c - the runner's own barriers, broadcasts and reductions,
 * made of messages. The library's collectives are under test: they may be
 * wrong, or forced to a wrong algorithm, which in simulation holds for a whole
 * launch. shared_memory.c has those of simulations, except the barrier. */
#include "runners/measure/runner.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree.h"

int chorale_p2p_barrier(struct chorale_ctx *ctx)
{
    int rc = MPI_SUCCESS;

    for (int step = 1; step < ctx->size && rc == MPI_SUCCESS; step *= 2)
        rc = chorale_sendrecv(ctx, NULL, 0, MPI_BYTE,
                              (ctx->rank + step) % ctx->size, NULL, 0,
                              MPI_BYTE,
                              (ctx->rank - step + ctx->size) % ctx->size);
    return rc;
}

#ifndef CHORALE_SIM
int chorale_p2p_bcast(struct chorale_bench *bench, void *buf, size_t bytes,
                      int root)
{
    int size = bench->world_size, parent, child[32], rc = MPI_SUCCESS;
    int n = chorale_binomial((bench->world_rank - root + size) % size, size,
                             &parent, child);

    if (parent >= 0)
        rc = chorale_recv(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                          (parent + root) % size);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                          (child[i] + root) % size);
    return rc;
}

int chorale_p2p_gather(struct chorale_bench *bench, const void *mine,
                       void *all, size_t bytes)
{
    int rc = MPI_SUCCESS;

    if (bench->world_rank != 0)
        return chorale_send(bench->sync, mine, (MPI_Count)bytes, MPI_BYTE, 0);
    memcpy(all, mine, bytes);
    for (int r = 1; r < bench->world_size && rc == MPI_SUCCESS; r++)
        rc = chorale_recv(bench->sync, (char *)all + (size_t)r * bytes,
                          (MPI_Count)bytes, MPI_BYTE, r);
    return rc;
}

int chorale_p2p_reduce(struct chorale_bench *bench, double *value, int n,
                       int sum, double *room)
{
    int parent, child[32], rc = MPI_SUCCESS;
    int nchild = chorale_binomial(bench->world_rank, bench->world_size,
                                  &parent, child);

    /* Fixed order, nearest child first, so that sums are reproducible. */
    for (int i = nchild - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
        rc = chorale_recv(bench->sync, room, n, MPI_DOUBLE, child[i]);
        if (rc == MPI_SUCCESS)
            chorale_values_combine(value, room, n, sum);
    }
    if (parent >= 0 && rc == MPI_SUCCESS)
        rc = chorale_send(bench->sync, value, n, MPI_DOUBLE, parent);
    return rc;
}

/* An exchange with a distant rank in every round, so that ranks wait for each
 * other only once a round; that wait dominates when ranks share processors.
 * Recursive doubling at powers of two. Otherwise a dissemination pattern, in
 * which a value may arrive on several ways: good for maxima, wrong for sums. */
int chorale_p2p_allreduce(struct chorale_bench *bench, double *value, int n,
                          int sum)
{
    int size = bench->world_size, rank = bench->world_rank;
    int rc = MPI_SUCCESS;
    int both = (size & (size - 1)) == 0;
    double room[CHORALE_AGREE_MAX];

    if (sum && !both) {
        rc = chorale_p2p_reduce(bench, value, n, 1, room);
        return rc == MPI_SUCCESS
                   ? chorale_p2p_bcast(bench, value,
                                       (size_t)n * sizeof(*value), 0)
                   : rc;
    }
    for (int step = 1; step < size && rc == MPI_SUCCESS; step *= 2) {
        rc = chorale_sendrecv(bench->sync, value, n, MPI_DOUBLE,
                              both ? rank ^ step : (rank + step) % size, room,
                              n, MPI_DOUBLE,
                              both ? rank ^ step
                                   : (rank - step + size) % size);
        if (rc == MPI_SUCCESS)
            chorale_values_combine(value, room, n, sum);
    }
    return rc;
}
#endif

int chorale_p2p_max(struct chorale_bench *bench, int *value)
{
    double most = *value;
    int rc = chorale_p2p_allreduce(bench, &most, 1, 0);

    *value = (int)most;
    return rc;
}
