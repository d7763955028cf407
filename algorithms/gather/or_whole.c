/* SPDX-License-Identifier: BSD-3-Clause */
/* or_whole.c - gather by combining: every rank contributes a vector of P
 * blocks, its own one in place and zeros elsewhere, and one bitwise OR of
 * these vectors is what the root wants. base does the reduction; "library" is
 * the MPI library's own, for networks that combine.
 *
 * Rounds  as base                             P = comm_size, n = m P bytes
 * Volume  as base with n bytes at every rank
 * Cost    as base with n bytes; binomial: L (alpha + n beta + n tau),
 *         L = ceil(lg P), which is what is stated for the library's as well
 * Needs   any P, any root, any datatype: packed bytes; n bytes of zeros at
 *         every rank
 * Source  US patent 8,140,826, with the whole buffer at once
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/combine.h"
#include "algorithms/packed.h"

/* The root combines in place: in its buffer, or its packed copy. */
static int run_root(const struct chorale_call *call, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t before = m * (size_t)ctx->rank, n = m * (size_t)ctx->size;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct chorale_packed p;
    MPI_Count count;
    void *own = chorale_block(&b, ctx->rank, &count);
    int err = chorale_packed_init(&p, ctx, call->recvbuf,
                                  call->recvcount * ctx->size,
                                  call->recvtype);

    if (err == MPI_SUCCESS && call->sendbuf != MPI_IN_PLACE)
        err = chorale_pack(ctx, call->sendbuf, call->sendcount,
                           call->sendtype, p.bytes + before);
    else if (err == MPI_SUCCESS && p.staged)
        err = chorale_pack(ctx, own, count, call->recvtype, p.bytes + before);
    if (err != MPI_SUCCESS)
        return err;
    chorale_zero(ctx, p.bytes, before);
    chorale_zero(ctx, p.bytes + before + m, n - before - m);
    err = chorale_combine(call, call->param[0], MPI_IN_PLACE, p.bytes, n);
    return err == MPI_SUCCESS ? chorale_packed_in(&p) : err;
}

static int run_other(const struct chorale_call *call, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t before = m * (size_t)ctx->rank, n = m * (size_t)ctx->size;
    char *bytes = chorale_scratch(ctx, n);
    int err;

    if (bytes == NULL)
        return MPI_ERR_NO_MEM;
    chorale_zero(ctx, bytes, before);
    chorale_zero(ctx, bytes + before + m, n - before - m);
    err = chorale_pack(ctx, call->sendbuf, call->sendcount, call->sendtype,
                       bytes + before);
    return err == MPI_SUCCESS
               ? chorale_combine(call, call->param[0], bytes, NULL, n)
               : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int err;

    if (ctx->rank == call->root)
        err = run_root(call, chorale_type_size(call->recvtype) *
                                 (size_t)call->recvcount);
    else
        err = run_other(call, chorale_type_size(call->sendtype) *
                                  (size_t)call->sendcount);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_combine_cost(pt, pt->param[0], pt->n, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_scratch(pt, pt->param[0], pt->n) +
           (pt->comm_size > 1 ? pt->n : 0);
}

const struct chorale_alg chorale_gather_or_whole = {
    .coll = CHORALE_GATHER,
    .name = "or_whole",
    .summary = "one bitwise OR of vectors that are zero but for a block",
    .formula = "as the base with n bytes; binomial: "
               "ceil(lg P) (alpha + n beta + n tau)",
    .source = "US patent 8,140,826",
    .patents = "US 8,140,826",
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_COMBINE_BASE },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
