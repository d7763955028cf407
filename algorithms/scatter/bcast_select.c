/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_select.c - scatter as a broadcast of all blocks, of which each rank
 * keeps its own: for networks on which a broadcast costs no more than a
 * message.
 *
 * Rounds  as bcast with n bytes               P = comm_size, n = m P bytes
 * Volume  as bcast with n bytes
 * Cost    as bcast with n bytes
 * Needs   any P, any root, any datatype; n bytes at every rank
 * Source  Almasi et al., ICS, 2005: practice on Blue Gene
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/part.h"

static const struct chorale_alg *const part[] = {
    &chorale_bcast_linear,
    &chorale_bcast_binomial,
    &chorale_bcast_scatter_ring_allgather,
};
static const char *const bcast_word[] = { "linear", "binomial",
                                          "scatter_ring_allgather" };
enum { LINEAR, BINOMIAL, SCATTER_RING_ALLGATHER, NPART };

/* All blocks come as packed bytes, also where the root's have another type. */
static int run_other(const struct chorale_call *call,
                     struct chorale_call *bcast)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    char *bytes = chorale_scratch(ctx, m * (size_t)ctx->size);
    int err;

    if (bytes == NULL)
        return MPI_ERR_NO_MEM;
    bcast->recvbuf = bytes;
    bcast->recvcount = (MPI_Count)m * ctx->size;
    bcast->recvtype = MPI_PACKED;
    err = chorale_part_run(part[call->param[0]], bcast);
    return err == MPI_SUCCESS
               ? chorale_unpack(ctx, bytes + m * (size_t)ctx->rank,
                                call->recvbuf, call->recvcount,
                                call->recvtype)
               : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_call bcast = { .ctx = ctx, .root = call->root };
    int err;

    if (ctx->rank == call->root) {
        bcast.recvbuf = chorale_at(call->sendbuf, 0, 0); /* only read */
        bcast.recvcount = call->sendcount * ctx->size;
        bcast.recvtype = call->sendtype;
        err = chorale_part_run(part[call->param[0]], &bcast);
        if (err == MPI_SUCCESS)
            err = chorale_scatter_own(call);
    } else {
        err = run_other(call, &bcast);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

static struct chorale_point whole(const struct chorale_point *pt)
{
    struct chorale_point own = *pt;

    own.msg_size = own.n;
    return own;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point own = whole(pt);

    return chorale_part_cost(part[pt->param[0]], &own, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_point own = whole(pt);

    return chorale_part_refuses(part[pt->param[0]], &own);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point own = whole(pt);

    return chorale_part_scratch(part[pt->param[0]], &own) +
           (pt->comm_size > 1 ? pt->n : 0);
}

static const long bcast[] = { LINEAR, BINOMIAL, SCATTER_RING_ALLGATHER };

const struct chorale_alg chorale_scatter_bcast_select = {
    .coll = CHORALE_SCATTER,
    .name = "bcast_select",
    .summary = "broadcast of all blocks; each rank keeps its own",
    .formula = "as the bcast with n bytes",
    .source = "Almasi et al., ICS, 2005",
    .nparam = 1,
    .param = { {
        .name = "bcast",
        .unit = "variant",
        .def = BINOMIAL,
        .min = 0,
        .max = NPART - 1,
        .candidate = bcast,
        .ncandidate = NPART,
        .word = bcast_word,
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .scratch = scratch,
};
