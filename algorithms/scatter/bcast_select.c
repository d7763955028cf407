/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast_select.c - broadcast of all blocks, of which each rank keeps its own.
 *
 * For networks on which a broadcast costs no more than a message.
 *
 * Rounds  as bcast with n bytes               P = comm_size, n = m P bytes
 * Volume  as bcast with n bytes
 * Cost    as bcast with n bytes, an upper bound for some variants
 * Needs   any P, any root, any datatype; n bytes at every rank
 * Source  Almasi et al., ICS 2005: practice on Blue Gene
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"

static const struct chorale_alg *const part[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_scatter_rd_allgather,
    &chorale_bcast_pipeline,
    &chorale_bcast_binary,
    &chorale_bcast_circulant,
    &chorale_bcast_linear,
};
static const char *const bcast_word[] = {
    "binomial", "scatter_ring_allgather", "scatter_rd_allgather", "pipeline",
    "binary",   "circulant",              "linear",
};
static const long bcast[] = { 0, 1, 2, 3, 4, 5, 6 };
enum { NPART = sizeof(bcast) / sizeof(*bcast) };

/* Receive all blocks as packed bytes, whatever the root's type is. */
static int run_other(const struct chorale_call *call,
                     struct chorale_call *all)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    char *bytes = chorale_scratch(ctx, m * (size_t)ctx->size);
    int err;

    if (bytes == NULL)
        return MPI_ERR_NO_MEM;
    all->recvbuf = bytes;
    all->recvcount = (MPI_Count)m * ctx->size;
    all->recvtype = MPI_PACKED;
    err = chorale_part_run(part[call->param[0]], all);
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
    struct chorale_call all = { .ctx = ctx, .root = call->root };
    int err;

    if (ctx->rank == call->root) {
        all.recvbuf = chorale_at(call->sendbuf, 0, 0); /* only read */
        all.recvcount = call->sendcount * ctx->size;
        all.recvtype = call->sendtype;
        err = chorale_part_run(part[call->param[0]], &all);
        if (err == MPI_SUCCESS)
            err = chorale_scatter_own(call);
    } else {
        err = run_other(call, &all);
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

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point own = whole(pt);

    return chorale_part_scratch(part[pt->param[0]], &own) +
           (pt->comm_size > 1 ? pt->n : 0);
}

const struct chorale_alg chorale_scatter_bcast_select = {
    .coll = CHORALE_SCATTER,
    .name = "bcast_select",
    .summary = "broadcast of all blocks; each rank keeps its own",
    .formula = "<= as the bcast of n bytes",
    .source = "Almasi et al., ICS 2005",
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1,
    .nparam = 1,
    .param = { {
        .name = "bcast",
        .unit = "variant",
        .def = 0,
        .min = 0,
        .max = NPART - 1,
        .candidate = bcast,
        .ncandidate = NPART,
        .word = bcast_word,
    } },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
