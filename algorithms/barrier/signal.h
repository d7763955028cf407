/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - messages of no bytes, what barriers are made of. */
#ifndef CHORALE_ALGORITHMS_BARRIER_SIGNAL_H
#define CHORALE_ALGORITHMS_BARRIER_SIGNAL_H

#include "algorithms/ctx.h"

/* Tell dest. Returns an MPI error code, as all of these do. */
static inline int chorale_signal(struct chorale_ctx *ctx, int dest)
{
    return chorale_send(ctx, NULL, 0, MPI_BYTE, dest);
}

/* Wait until source tells. */
static inline int chorale_await(struct chorale_ctx *ctx, int source)
{
    return chorale_recv(ctx, NULL, 0, MPI_BYTE, source);
}

/* Tell dest and wait for source, at the same time. */
static inline int chorale_signal_await(struct chorale_ctx *ctx, int dest,
                                       int source)
{
    return chorale_sendrecv(ctx, NULL, 0, MPI_BYTE, dest, NULL, 0, MPI_BYTE,
                            source);
}

#endif
