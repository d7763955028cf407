/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_ways.c - allgather by several rings at once. */
#include "algorithms/engines/exchange/gather_all.h"

static int following(const struct chorale_ring_way *way)
{
    return (way->at + way->step + way->pieces) % way->pieces;
}

int chorale_ring_ways_round(struct chorale_ctx *ctx,
                            struct chorale_ring_way *way, int n)
{
    MPI_Request req[2 * CHORALE_RING_WAYS];
    int under_way = 0, err = MPI_SUCCESS, last;

    for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
        size_t at = way[i].pitch * (size_t)following(&way[i]);

        err = chorale_irecv(ctx, way[i].base + at, (MPI_Count)way[i].bytes,
                            MPI_PACKED, way[i].prev, &req[under_way]);
        under_way += err == MPI_SUCCESS;
    }
    for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
        size_t at = way[i].pitch * (size_t)way[i].at;

        err = chorale_isend(ctx, way[i].base + at, (MPI_Count)way[i].bytes,
                            MPI_PACKED, way[i].next, &req[under_way]);
        under_way += err == MPI_SUCCESS;
    }
    last = chorale_waitall(ctx, under_way, req);
    for (int i = 0; i < n; i++)
        way[i].at = following(&way[i]);
    return err == MPI_SUCCESS ? last : err;
}
