/* SPDX-License-Identifier: BSD-3-Clause */
/* or_positionwise.c - gather by combining, position by position: one bitwise
 * OR for each block of the result, to which its owner contributes the block
 * and all others zeros. base does the reductions; "library" is the MPI
 * library's own, for networks that combine.
 *
 * Rounds  P times those of base               P = comm_size, n = m P bytes
 * Volume  as base with m bytes, P times
 * Cost    P times that of base with m bytes; binomial: P L (alpha + m beta +
 *         m tau), L = ceil(lg P), exact: the root is busy all the time. The
 *         same is stated for the library's
 * Needs   any P, any root, any datatype: packed bytes
 * Source  US patent 8,140,826, as claimed
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/combine.h"
#include "algorithms/packed.h"

/* What a rank contributes: its block, packed, at its own position. */
struct state {
    const struct chorale_call *call;
    struct chorale_packed own;
    char *zeros; /* m bytes */
};

static int init(struct state *st, const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int err = MPI_SUCCESS;

    *st = (struct state){ .call = call };
    if (call->sendbuf == MPI_IN_PLACE) /* the block is where it belongs */
        st->own.n = chorale_type_size(call->recvtype) *
                    (size_t)call->recvcount;
    else
        err = chorale_packed_init(&st->own, ctx, call->sendbuf,
                                  call->sendcount, call->sendtype);
    if (err != MPI_SUCCESS)
        return err;
    st->zeros = chorale_scratch(ctx, st->own.n);
    if (st->zeros == NULL)
        return MPI_ERR_NO_MEM;
    chorale_zero(ctx, st->zeros, st->own.n);
    return call->sendbuf == MPI_IN_PLACE ? MPI_SUCCESS
                                         : chorale_packed_out(&st->own);
}

/* Position i at the root, into place (the packed view of one block). */
static int combine_at_root(const struct state *st, struct chorale_packed *to,
                           int i)
{
    const struct chorale_call *call = st->call;
    const void *mine = i == call->root ? st->own.bytes : st->zeros;
    int err = MPI_SUCCESS;

    if (i == call->root && call->sendbuf == MPI_IN_PLACE) {
        err = chorale_packed_out(to);
        mine = MPI_IN_PLACE;
    }
    if (err == MPI_SUCCESS)
        err = chorale_combine(call, call->param[0], mine, to->bytes, to->n);
    return err == MPI_SUCCESS ? chorale_packed_in(to) : err;
}

static int run_root(const struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct chorale_packed to;
    int err = chorale_packed_init(&to, ctx, call->recvbuf, call->recvcount,
                                  call->recvtype);

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++) {
        MPI_Count count;

        chorale_packed_turn(&to, chorale_block(&b, i, &count));
        err = combine_at_root(st, &to, i);
    }
    return err;
}

static int run_other(const struct state *st)
{
    struct chorale_ctx *ctx = st->call->ctx;
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_combine(st->call, st->call->param[0],
                              i == ctx->rank ? st->own.bytes : st->zeros,
                              NULL, st->own.n);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st;
    int err = init(&st, call);

    if (err == MPI_SUCCESS)
        err = ctx->rank == call->root ? run_root(&st) : run_other(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_combine_cost(pt, pt->param[0], pt->msg_size, term);

    for (int i = 0; i < n; i++) {
        term[i].messages *= pt->comm_size;
        term[i].reduced *= pt->comm_size;
    }
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_scratch(pt, pt->param[0], pt->msg_size) +
           pt->msg_size;
}

const struct chorale_alg chorale_gather_or_positionwise = {
    .coll = CHORALE_GATHER,
    .name = "or_positionwise",
    .summary = "a bitwise OR for every block, zeros from all but its owner",
    .formula = "P times the base with m bytes; binomial: "
               "P ceil(lg P) (alpha + m beta + m tau)",
    .source = "US patent 8,140,826",
    .patents = "US 8,140,826",
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_COMBINE_BASE },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
