/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - reductions by the MPI library, for variants that build on them.
 *
 * Such variants profit from library features, for example a network that
 * reduces in hardware. The functions use the context's whole communicator, so
 * they must not be called on a view (ctx->map not NULL). No schedule can be
 * recorded, and no event is counted. */
#ifndef CHORALE_ALGORITHMS_ENGINES_LIBRARY_H
#define CHORALE_ALGORITHMS_ENGINES_LIBRARY_H

#include "algorithms/context.h"

/* PMPI_Allreduce; sendbuf may be MPI_IN_PLACE. Counts above INT_MAX are split
 * into several calls. Returns an MPI error code; MPI_ERR_COMM on a view. */
int chorale_library_allreduce(struct chorale_ctx *ctx, const void *sendbuf,
                              void *recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op);

/* PMPI_Reduce, with the same rules; sendbuf may be MPI_IN_PLACE at the root. */
int chorale_library_reduce(struct chorale_ctx *ctx, const void *sendbuf,
                           void *recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root);

#endif
