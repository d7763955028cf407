/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c - zero-byte messages. */
#include "algorithms/engines/signal.h"

int chorale_signal_round(struct chorale_ctx *ctx, int n, const int *to,
                         const int *from, MPI_Request *req)
{
    int under_way = 0, err = MPI_SUCCESS, last;

    for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
        err = chorale_irecv(ctx, NULL, 0, MPI_BYTE, from[i], &req[under_way]);
        under_way += err == MPI_SUCCESS;
    }
    for (int i = 0; i < n && err == MPI_SUCCESS; i++)
        err = chorale_signal(ctx, to[i]);
    last = chorale_waitall(ctx, under_way, req);
    return err == MPI_SUCCESS ? last : err;
}
