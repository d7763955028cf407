/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - reductions by the MPI library. */
#include "algorithms/engines/library.h"

#include <limits.h>


#ifndef CHORALE_COUNT_MAX
#define CHORALE_COUNT_MAX INT_MAX
#endif

/* One reduction, split so that each count fits an int; root < 0: allreduce. A
 * count of 0 still makes one call, as the application would. */
static int in_pieces(struct chorale_ctx *ctx, const void *sendbuf,
                     void *recvbuf, MPI_Count count, MPI_Datatype type,
                     MPI_Op op, int root)
{
    MPI_Aint extent = chorale_type_extent(type);
    MPI_Count done = 0;
    int err;

    if (ctx->recorder != NULL) {
        ctx->recorder->opaque(ctx);
        return MPI_SUCCESS;
    }
    if (ctx->map != NULL)
        return MPI_ERR_COMM;
    do {
        MPI_Count left = count - done;
        int piece = left > CHORALE_COUNT_MAX ? CHORALE_COUNT_MAX : (int)left;
        const void *in = sendbuf == MPI_IN_PLACE
                             ? MPI_IN_PLACE
                             : chorale_at(sendbuf, extent, (MPI_Aint)done);
        void *out = chorale_at(recvbuf, extent, (MPI_Aint)done);

        err = root < 0 ? PMPI_Allreduce(in, out, piece, type, op, ctx->comm)
                       : PMPI_Reduce(in, out, piece, type, op, root,
                                     ctx->comm);
        done += piece;
    } while (done < count && err == MPI_SUCCESS);
    return err;
}

int chorale_library_allreduce(struct chorale_ctx *ctx, const void *sendbuf,
                              void *recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op)
{
    return in_pieces(ctx, sendbuf, recvbuf, count, type, op, -1);
}

int chorale_library_reduce(struct chorale_ctx *ctx, const void *sendbuf,
                           void *recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root)
{
    return in_pieces(ctx, sendbuf, recvbuf, count, type, op, root);
}
