/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c - what the runner itself has to tell its ranks: binomial trees of
 * messages. The library's collectives are what is measured, and may be wrong,
 * or forced to an algorithm that is: SimGrid forces one for a whole launch. */
#include "runners/runner.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/engines/tree.h"

int chorale_own_bcast(struct chorale_bench *bench, void *buf, size_t bytes,
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

int chorale_own_gather(struct chorale_bench *bench, const void *mine,
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

int chorale_own_reduce(struct chorale_bench *bench, double *value, int n,
                       int sum, double *room)
{
    int parent, child[32], rc = MPI_SUCCESS;
    int nchild = chorale_binomial(bench->world_rank, bench->world_size, &parent, child);

    /* The nearest first: the order of a sum is always the same. */
    for (int i = nchild - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
        rc = chorale_recv(bench->sync, room, n, MPI_DOUBLE, child[i]);
        for (int k = 0; k < n && rc == MPI_SUCCESS; k++) {
            if (sum)
                value[k] += room[k];
            else if (room[k] > value[k])
                value[k] = room[k];
        }
    }
    if (parent >= 0 && rc == MPI_SUCCESS)
        rc = chorale_send(bench->sync, value, n, MPI_DOUBLE, parent);
    return rc;
}

int chorale_own_most(struct chorale_bench *bench, int *value)
{
    double most = *value, room;
    int rc = chorale_own_reduce(bench, &most, 1, 0, &room);

    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, &most, sizeof(most), 0);
    *value = (int)most;
    return rc;
}
