/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - reductions that the MPI library does itself, for variants that
 * are built on whatever it has (a network that combines, for example). They
 * use the context's communicator whole: never on a view (ctx->map not NULL).
 * No schedule can be written down then, and nothing is counted. */
#ifndef CHORALE_ALGORITHMS_ENGINES_LIBRARY_H
#define CHORALE_ALGORITHMS_ENGINES_LIBRARY_H

#include "algorithms/context.h"

/* PMPI_Allreduce; sendbuf may be MPI_IN_PLACE. Counts above INT_MAX go in
 * several calls. Returns an MPI error code; MPI_ERR_COMM on a view. */
int chorale_library_allreduce(struct chorale_ctx *ctx, const void *sendbuf,
                              void *recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op);

/* PMPI_Reduce, alike; sendbuf may be MPI_IN_PLACE at the root. */
int chorale_library_reduce(struct chorale_ctx *ctx, const void *sendbuf,
                           void *recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root);

#endif
