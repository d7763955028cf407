/* SPDX-License-Identifier: BSD-3-Clause */
/* call_args.c - checks the arguments of a collective call.
 *
 * A call with a wrong argument goes to the MPI library, which reports the
 * error. A check must never reject a correct call on one rank only. Therefore:
 * - Arguments that are not significant on this rank are not checked.
 * - A null or shared address is wrong only for types whose data begins at the
 *   buffer's address, and only if there is data. */
#include "config.h"

#include "algorithms/context.h"
#include "algorithms/dispatch/base/call_args.h"

/* Send or receive arguments of one call on one rank. */
struct side {
    const void *buf;
    MPI_Count count;         /* elements, all blocks together */
    MPI_Datatype type;
};

/* Bytes of count elements; -1 if wrong, so that the library reports it. */
static MPI_Count bytes_of(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size, bytes;

    if (count < 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0
        || __builtin_mul_overflow(count, size, &bytes))
        return -1;
    return bytes;
}

/* Before the ranks have agreed there is no private communicator to test types
 * on. Only arguments that every library rejects count as wrong then. */
static int early(const struct chorale_ctx *ctx)
{
    return ctx->comm == MPI_COMM_NULL;
}

/* 1 if messages can be sent with that type: neither null nor uncommitted.
 * Tested by a send of one element to MPI_PROC_NULL; MPICH does not check the
 * type if the count is 0. */
static int type_ok(const struct chorale_ctx *ctx, MPI_Datatype type)
{
    const char nothing = 0;

    if (type == MPI_DATATYPE_NULL)
        return 0;
    return early(ctx) || chorale_type_is_plain(type)
        || PMPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, ctx->comm)
               == MPI_SUCCESS;
}

/* 0 if the arguments of a side that is significant on this rank are wrong. */
static int side_ok(const struct chorale_ctx *ctx, struct side side,
                   int may_be_in_place)
{
    if (side.buf == MPI_IN_PLACE)
        return may_be_in_place;
    if (side.count < 0 || !type_ok(ctx, side.type))
        return 0;
    return side.buf != NULL || side.count == 0
        || !chorale_type_is_plain(side.type);
}

static struct side send_side(const struct chorale_call *c, MPI_Count count)
{
    return (struct side){ c->sendbuf, count, c->sendtype };
}

static struct side recv_side(const struct chorale_call *c, MPI_Count count)
{
    return (struct side){ c->recvbuf, count, c->recvtype };
}

/* The sum of count[size]; -1 if one is negative or both arrays are NULL. */
static MPI_Count sum_of(const MPI_Count *count, const int *ints, int size)
{
    MPI_Count sum = 0, sign = 0;

    if (count == NULL && ints == NULL)
        return -1;
    for (int i = 0; i < size; i++) {
        const MPI_Count one = ints != NULL ? ints[i] : count[i];

        sign |= one;
        if (__builtin_add_overflow(sum, one, &sum))
            return -1;
    }
    return sign < 0 ? -1 : sum;
}

static MPI_Count one_of(const MPI_Count *count, const int *ints, int i)
{
    return ints != NULL ? ints[i] : count[i];
}

/* Address of this rank's own block in buf. */
static const char *own_block(const void *buf, const MPI_Aint *displ,
                             const int *ints, MPI_Datatype type, int rank)
{
    return (const char *)buf
         + (ints != NULL ? ints[rank] : displ[rank])
               * chorale_type_extent(type);
}

/* 0 if a rank's own block has the same address on both sides, which MPI
 * forbids. Checked only where the library reports it: under another library one
 * root would leave the call to the library while the other ranks wait for its
 * messages.
 * from and to are this rank's own blocks. */
static int apart(const struct chorale_ctx *ctx, struct side from,
                 struct side to)
{
    return !CHORALE_ARGS_APART || early(ctx) || from.buf != to.buf
        || from.type != to.type || from.count == 0 || to.count == 0
        || !chorale_type_is_plain(to.type);
}

static int judge_reduction(enum chorale_coll coll,
                           const struct chorale_call *c,
                           const struct chorale_ctx *ctx)
{
    const int root = coll == CHORALE_REDUCE ? c->root : ctx->rank;
    const int receives = ctx->rank == root
                      && !(coll == CHORALE_EXSCAN && ctx->rank == 0
                           && c->sendbuf != MPI_IN_PLACE);

    if (!side_ok(ctx, (struct side){ c->sendbuf, c->recvcount, c->recvtype },
                 ctx->rank == root))
        return 0;
    if (receives && !side_ok(ctx, recv_side(c, c->recvcount), 0))
        return 0;
    /* Also checked on rank 0 of an exscan, as libraries do. */
    return ctx->rank != root || early(ctx) || c->sendbuf != c->recvbuf
        || c->recvcount == 0;
}

/* own: elements of this rank's result; all: elements of all results. */
static int judge_reduce_scatter(const struct chorale_call *c,
                                const struct chorale_ctx *ctx, MPI_Count own,
                                MPI_Count all)
{
    if (c->sendbuf == MPI_IN_PLACE)
        return side_ok(ctx, recv_side(c, all), 0);
    return side_ok(ctx, (struct side){ c->sendbuf, all, c->recvtype }, 0)
        && side_ok(ctx, recv_side(c, own), 0)
        && (early(ctx) || c->sendbuf != c->recvbuf || own == 0);
}

/* 1 if a rank's own block has as many bytes on both sides. */
static int own_blocks_equal_size(const struct chorale_ctx *ctx,
                                 const struct chorale_call *c)
{
    return early(ctx) || bytes_of(c->sendcount, c->sendtype)
                             == bytes_of(c->recvcount, c->recvtype);
}

/* This rank's block in an array of equal blocks; first is block 0. */
static struct side own_of(struct side first, const struct chorale_ctx *ctx)
{
    first.buf = chorale_at(first.buf, chorale_type_extent(first.type),
                           (MPI_Aint)first.count * ctx->rank);
    return first;
}

/* For collectives where both sides are significant on this rank. */
static int judge_both(const struct chorale_call *c,
                      const struct chorale_ctx *ctx)
{
    return side_ok(ctx, send_side(c, c->sendcount), 1)
        && side_ok(ctx, recv_side(c, c->recvcount), 0)
        && (c->sendbuf == MPI_IN_PLACE || own_blocks_equal_size(ctx, c));
}

static int judge_alltoall(const struct chorale_call *c,
                          const struct chorale_ctx *ctx)
{
    return judge_both(c, ctx)
        && apart(ctx, send_side(c, c->sendcount),
                 recv_side(c, c->recvcount));
}

static int judge_allgather(const struct chorale_call *c,
                           const struct chorale_ctx *ctx)
{
    return judge_both(c, ctx)
        && (c->sendbuf == MPI_IN_PLACE
            || apart(ctx, send_side(c, c->sendcount),
                     own_of(recv_side(c, c->recvcount), ctx)));
}

static int judge_gather(const struct chorale_call *c,
                        const struct chorale_ctx *ctx)
{
    if (ctx->rank != c->root)
        return side_ok(ctx, send_side(c, c->sendcount), 0);
    return judge_allgather(c, ctx);
}

static int judge_scatter(const struct chorale_call *c,
                         const struct chorale_ctx *ctx)
{
    if (ctx->rank != c->root)
        return side_ok(ctx, recv_side(c, c->recvcount), 0);
    return side_ok(ctx, recv_side(c, c->recvcount), 1)
        && side_ok(ctx, send_side(c, c->sendcount), 0)
        && (c->recvbuf == MPI_IN_PLACE
            || (own_blocks_equal_size(ctx, c)
                && apart(ctx, own_of(send_side(c, c->sendcount), ctx),
                         recv_side(c, c->recvcount))));
}

/* For the root of a gatherv, and allgatherv. */
static int judge_gatherv(const struct chorale_call *c,
                         const struct chorale_ints *ints,
                         const struct chorale_ctx *ctx)
{
    const MPI_Count all = sum_of(c->recvcounts, ints->recvcounts, ctx->size);
    struct side own;

    if ((c->rdispls == NULL && ints->rdispls == NULL)
        || !side_ok(ctx, send_side(c, c->sendcount), 1)
        || !side_ok(ctx, recv_side(c, all), 0))
        return 0;
    if (c->sendbuf == MPI_IN_PLACE || early(ctx))
        return 1;
    own = recv_side(c, one_of(c->recvcounts, ints->recvcounts, ctx->rank));
    own.buf = own_block(c->recvbuf, c->rdispls, ints->rdispls, c->recvtype,
                        ctx->rank);
    return apart(ctx, send_side(c, c->sendcount), own);
}

static int judge_scatterv(const struct chorale_call *c,
                          const struct chorale_ints *ints,
                          const struct chorale_ctx *ctx)
{
    const MPI_Count all = sum_of(c->sendcounts, ints->sendcounts, ctx->size);
    struct side own;

    if ((c->sdispls == NULL && ints->sdispls == NULL)
        || c->sendbuf == MPI_IN_PLACE
        || !side_ok(ctx, recv_side(c, c->recvcount), 1)
        || !side_ok(ctx, send_side(c, all), 0))
        return 0;
    if (c->recvbuf == MPI_IN_PLACE || early(ctx))
        return 1;
    own = send_side(c, one_of(c->sendcounts, ints->sendcounts, ctx->rank));
    own.buf = own_block(c->sendbuf, c->sdispls, ints->sdispls, c->sendtype,
                        ctx->rank);
    return apart(ctx, own, recv_side(c, c->recvcount));
}

/* 0 if both sides of an alltoallv share address, type and count array. A
 * shared address alone is not enough, as the displacements may differ; MPICH
 * compares the count arrays, too. */
static int sides_not_aliased(const struct chorale_call *c,
                             const struct chorale_ints *ints,
                             const struct chorale_ctx *ctx)
{
    return !CHORALE_ARGS_APART || early(ctx) || c->sendbuf != c->recvbuf
        || c->sendtype != c->recvtype || c->sendcounts != c->recvcounts
        || ints->sendcounts != ints->recvcounts;
}

static int judge_alltoallv(const struct chorale_call *c,
                           const struct chorale_ints *ints,
                           const struct chorale_ctx *ctx)
{
    const MPI_Count in = sum_of(c->recvcounts, ints->recvcounts, ctx->size);

    if ((c->rdispls == NULL && ints->rdispls == NULL)
        || !side_ok(ctx, recv_side(c, in), 0))
        return 0;
    if (c->sendbuf == MPI_IN_PLACE)
        return 1;
    return (c->sdispls != NULL || ints->sdispls != NULL)
        && side_ok(ctx,
                   send_side(c, sum_of(c->sendcounts, ints->sendcounts,
                                       ctx->size)), 0)
        && sides_not_aliased(c, ints, ctx);
}

static int judge_sides(enum chorale_coll coll, const struct chorale_call *c,
                       const struct chorale_ints *ints,
                       const struct chorale_ctx *ctx)
{
    switch (coll) {
    case CHORALE_BARRIER:
        return 1;
    case CHORALE_BCAST:
        return side_ok(ctx, recv_side(c, c->recvcount), 0);
    case CHORALE_REDUCE:
    case CHORALE_ALLREDUCE:
    case CHORALE_REDUCE_SCATTER_BLOCK:
    case CHORALE_SCAN:
    case CHORALE_EXSCAN:
        return judge_reduction(coll, c, ctx);
    case CHORALE_REDUCE_SCATTER:
        return judge_reduce_scatter(
            c, ctx,
            c->recvcounts == NULL && ints->recvcounts == NULL
                ? -1 : one_of(c->recvcounts, ints->recvcounts, ctx->rank),
            sum_of(c->recvcounts, ints->recvcounts, ctx->size));
    case CHORALE_GATHER:
        return judge_gather(c, ctx);
    case CHORALE_SCATTER:
        return judge_scatter(c, ctx);
    case CHORALE_ALLGATHER:
        return judge_allgather(c, ctx);
    case CHORALE_ALLTOALL:
        return judge_alltoall(c, ctx);
    case CHORALE_GATHERV:
        return ctx->rank != c->root
                   ? side_ok(ctx, send_side(c, c->sendcount), 0)
                   : judge_gatherv(c, ints, ctx);
    case CHORALE_SCATTERV:
        return ctx->rank != c->root
                   ? side_ok(ctx, recv_side(c, c->recvcount), 0)
                   : judge_scatterv(c, ints, ctx);
    case CHORALE_ALLGATHERV:
        return judge_gatherv(c, ints, ctx);
    case CHORALE_ALLTOALLV:
        return judge_alltoallv(c, ints, ctx);
    case CHORALE_NCOLL:
        break;
    }
    return 0;
}

/* Elements (in *elements_p) and bytes of one block, or of all blocks of an
 * irregular collective: the same on all ranks. Read from the side that is
 * significant on this rank, as MPI requires equal signatures of both sides. */
static MPI_Count common_bytes(enum chorale_coll coll,
                              const struct chorale_call *c,
                              const struct chorale_ints *ints,
                              const struct chorale_ctx *ctx,
                              MPI_Count *elements_p)
{
    MPI_Datatype type = c->recvtype;

    *elements_p = c->recvcount;
    if (chorale_coll_info(coll)->irregular)
        *elements_p = sum_of(c->recvcounts, ints->recvcounts, ctx->size);
    if ((coll == CHORALE_GATHER && ctx->rank != c->root)
        || (coll == CHORALE_SCATTER && ctx->rank == c->root)) {
        *elements_p = c->sendcount;
        type = c->sendtype;
    }
    return bytes_of(*elements_p, type);
}

static const struct chorale_ints no_ints;

static int is_right(enum chorale_coll coll, const struct chorale_call *call,
                    const struct chorale_ints *ints,
                    const struct chorale_ctx *ctx,
                    enum chorale_opclass *opclass)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);

    *opclass = info->reduces
                   ? chorale_op_class(call->op, call->recvtype)
                   : CHORALE_OP_BUILTIN;
    return (*opclass != CHORALE_OP_WRONG
            || (early(ctx) && call->op != MPI_OP_NULL))
        && (!info->rooted || (call->root >= 0 && call->root < ctx->size))
        && judge_sides(coll, call, ints, ctx);
}

int chorale_call_args_valid(MPI_Comm comm, enum chorale_coll coll,
                            const struct chorale_call *call,
                            const struct chorale_ints *ints)
{
    struct chorale_ctx ctx = { .comm = MPI_COMM_NULL };
    enum chorale_opclass opclass;
    int inter;

    return PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter
        || PMPI_Comm_rank(comm, &ctx.rank) != MPI_SUCCESS
        || PMPI_Comm_size(comm, &ctx.size) != MPI_SUCCESS
        || is_right(coll, call, ints != NULL ? ints : &no_ints, &ctx,
                    &opclass);
}

int chorale_call_args_check(enum chorale_coll coll,
                            const struct chorale_call *call,
                            const struct chorale_ints *ints,
                            const struct chorale_ctx *ctx,
                            enum chorale_opclass *opclass,
                            struct chorale_point *pt)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    MPI_Count bytes, elements;

    if (ints == NULL)
        ints = &no_ints;
    if (!is_right(coll, call, ints, ctx, opclass))
        return 0;
    pt->comm_size = ctx->size;
    pt->root = call->root;
    pt->type_size = 1;
    pt->commutative = *opclass != CHORALE_OP_USER;
    pt->in_place = coll == CHORALE_ALLTOALL || coll == CHORALE_ALLTOALLV
                       ? call->sendbuf == MPI_IN_PLACE : 0;
    if (info->dataless || info->blind)
        return CHORALE_ARGS_SERVED;
    bytes = common_bytes(coll, call, ints, ctx, &elements);
    if (bytes <= 0)
        return bytes == 0 ? CHORALE_ARGS_NOTHING : 0;
    /* Only reductions need equal types on all ranks; others need equal
     * signatures, and their type_size stays 1. */
    if (info->reduces)
        pt->type_size = (size_t)(bytes / elements);
    pt->msg_size = (size_t)bytes;
    if (info->irregular)
        pt->msg_size = chorale_coll_mean(pt->msg_size, pt->type_size,
                                         ctx->size);
    pt->n = chorale_coll_n(coll, pt->msg_size, ctx->size);
    return CHORALE_ARGS_SERVED;
}
