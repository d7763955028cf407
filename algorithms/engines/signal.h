/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - zero-byte messages, from which barriers are built. */
#ifndef CHORALE_ALGORITHMS_ENGINES_SIGNAL_H
#define CHORALE_ALGORITHMS_ENGINES_SIGNAL_H

#include "algorithms/context.h"

/* Signal dest. Returns an MPI error code, as all functions here do. */
static inline int chorale_signal(struct chorale_ctx *ctx, int dest)
{
    return chorale_send(ctx, NULL, 0, MPI_BYTE, dest);
}

/* Wait for a signal from source. */
static inline int chorale_await(struct chorale_ctx *ctx, int source)
{
    return chorale_recv(ctx, NULL, 0, MPI_BYTE, source);
}

/* Signal dest and wait for source at the same time. */
static inline int chorale_signal_await(struct chorale_ctx *ctx, int dest,
                                       int source)
{
    return chorale_sendrecv(ctx, NULL, 0, MPI_BYTE, dest, NULL, 0, MPI_BYTE,
                            source);
}

/* Signal all n ranks of to and wait for all n of from, in any order. Receives
 * are posted first; the blocking sends then complete at once, because libraries
 * send such small messages eagerly. req has room for n requests. */
int chorale_signal_round(struct chorale_ctx *ctx, int n, const int *to,
                         const int *from, MPI_Request *req);

#endif
