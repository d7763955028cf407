/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - messages of no bytes, what barriers are made of. */
#ifndef CHORALE_ALGORITHMS_ENGINES_SIGNAL_H
#define CHORALE_ALGORITHMS_ENGINES_SIGNAL_H

#include "algorithms/context.h"

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

/* Tell all n ranks of to and wait for all n of from, in any order. Receives
 * are posted first, so that the sends end at once: a library sends such small
 * messages without waiting for the receiver. req: room for n. */
int chorale_signal_round(struct chorale_ctx *ctx, int n, const int *to,
                         const int *from, MPI_Request *req);

#endif
