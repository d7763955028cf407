/* SPDX-License-Identifier: BSD-3-Clause */
/* or_whole.c - gather by one reduction with bitwise OR.
 *
 * Every rank contributes a vector of P blocks that are zero except its own. The
 * parameter base selects the reduction; "library" is the MPI library's own, for
 * networks that reduce in hardware.
 *
 * Rounds  as base                             P = comm_size, n = m P bytes
 * Volume  as base with n bytes at every rank
 * Cost    as base with n bytes, an upper bound for some bases. Binomial: L
 *         (alpha + n beta + n tau), L = ceil(lg P), exact. The library's cost
 *         is unknown; that of binomial is used instead
 * Needs   any P, any root, any datatype: packed bytes; n bytes of zeros at
 *         every rank
 * Source  US patent 8,140,826, with the whole buffer at once
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/combine.h"
#include "algorithms/engines/rooted/packed.h"

/* This rank's vector: zeros except its own block. In place, the root's block is
 * in its receive buffer. */
static int fill(const struct chorale_call *call, char *bytes, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t before = m * (size_t)ctx->rank, n = m * (size_t)ctx->size;
    struct chorale_blocks b;
    MPI_Count count;
    void *own;

    chorale_memzero(ctx, bytes, before);
    chorale_memzero(ctx, bytes + before + m, n - before - m);
    if (call->sendbuf != MPI_IN_PLACE)
        return chorale_pack(ctx, call->sendbuf, call->sendcount,
                            call->sendtype, bytes + before);
    b = chorale_blocks_equal(call->recvbuf, call->recvcount, call->recvtype,
                             ctx->size);
    own = chorale_block(&b, ctx->rank, &count);
    return chorale_pack(ctx, own, count, call->recvtype, bytes + before);
}

static int combine_at_root(const struct chorale_call *call, char *bytes,
                           size_t n)
{
    struct chorale_packed p;
    int err = chorale_packed_init(&p, call->ctx, call->recvbuf,
                                  call->recvcount * call->ctx->size,
                                  call->recvtype);

    if (err == MPI_SUCCESS)
        err = chorale_combine(call, call->param[0], bytes, p.bytes, n);
    return err == MPI_SUCCESS ? chorale_packed_unpack(&p) : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int at_root = ctx->rank == call->root, err = MPI_ERR_NO_MEM;
    size_t m = at_root ? chorale_type_size(call->recvtype) *
                             (size_t)call->recvcount
                       : chorale_type_size(call->sendtype) *
                             (size_t)call->sendcount;
    size_t n = m * (size_t)ctx->size;
    char *bytes = chorale_scratch(ctx, n);

    if (bytes != NULL)
        err = fill(call, bytes, m);
    if (err == MPI_SUCCESS)
        err = at_root ? combine_at_root(call, bytes, n)
                      : chorale_combine(call, call->param[0], bytes, NULL, n);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_combine_cost(pt, pt->param[0], pt->n, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_scratch(pt, pt->param[0], pt->n) + pt->n;
}

const struct chorale_alg chorale_gather_or_whole = {
    .coll = CHORALE_GATHER,
    .name = "or_whole",
    .summary = "one bitwise OR of vectors that are zero except for one block",
    .formula = "<= as the base's reduction of n bytes; base=library: as the "
               "library's own, not known; base=binomial: <= ceil(lg P) (alpha "
               "+ n beta + n tau)",
    .source = "US patent 8,140,826",
    .patents = "US 8,140,826",
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1,
    .nparam = 1,
    .param = { CHORALE_COMBINE_BASE },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
