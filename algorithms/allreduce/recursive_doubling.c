/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - allreduce by exchanges with partners at distance
 * 1, 2, 4, ... For P that is not a power of two, neighbours fold first: of
 * the first 2 (P - Q) ranks each odd one hands its vector to the even one
 * below and gets the result at the end. Every rank keeps a range of ranks'
 * values combined in rank order, so any operation works, and all evaluate
 * the same expression, so all get the same bits.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = bytes,
 * Volume  A n bytes from the busiest rank     Q = largest 2^F <= P
 * Cost    F (alpha + n beta + n tau); folded: + 2 (alpha + n beta) + n tau;
 *         exact
 * Needs   any P, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

struct state {
    const struct chorale_call *call;
    int folded; /* ranks that retire: P - Q */
    void *acc;  /* the combined value */
    void *spare;
};

/* acc = acc op spare; the result is where spare was. */
static int append(struct state *st)
{
    const struct chorale_call *call = st->call;
    void *left = st->acc;

    st->acc = st->spare;
    st->spare = left;
    return chorale_reduce_local(call->ctx, left, st->acc, call->recvcount,
                                call->recvtype, call->op);
}

/* acc = spare op acc, in place. */
static int prepend(struct state *st)
{
    const struct chorale_call *call = st->call;

    return chorale_reduce_local(call->ctx, st->spare, st->acc,
                                call->recvcount, call->recvtype, call->op);
}

/* The real rank of v in the core of Q ranks. */
static int core_rank(const struct state *st, int v)
{
    return v < st->folded ? 2 * v : v + st->folded;
}

static int core(struct state *st, int v)
{
    const struct chorale_call *call = st->call;
    int q = chorale_pow2_below(call->ctx->size);
    int err = MPI_SUCCESS;

    for (int bit = 1; bit < q && err == MPI_SUCCESS; bit *= 2) {
        int partner = core_rank(st, v ^ bit);

        err = chorale_sendrecv(call->ctx, st->acc, call->recvcount,
                               call->recvtype, partner, st->spare,
                               call->recvcount, call->recvtype, partner);
        if (err == MPI_SUCCESS)
            err = (v & bit) ? prepend(st) : append(st);
    }
    return err;
}

/* A rank without a folded partner, or an even one with it. */
static int run_core(struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    int pair = ctx->rank < 2 * st->folded;
    int err = MPI_SUCCESS;

    if (pair) {
        err = chorale_recv(ctx, st->spare, call->recvcount, call->recvtype,
                           ctx->rank + 1);
        if (err == MPI_SUCCESS)
            err = append(st);
    }
    if (err == MPI_SUCCESS)
        err = core(st, pair ? ctx->rank / 2 : ctx->rank - st->folded);
    if (err == MPI_SUCCESS && pair)
        err = chorale_send(ctx, st->acc, call->recvcount, call->recvtype,
                           ctx->rank + 1);
    if (err == MPI_SUCCESS && st->acc != call->recvbuf)
        err = chorale_copy(ctx, st->acc, call->recvcount, call->recvtype,
                           call->recvbuf, call->recvcount, call->recvtype);
    return err;
}

/* A rank that its lower neighbour stands in for. */
static int run_folded(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    const void *own = call->sendbuf == MPI_IN_PLACE ? call->recvbuf
                                                    : call->sendbuf;
    int err = chorale_send(ctx, own, call->recvcount, call->recvtype,
                           ctx->rank - 1);

    if (err == MPI_SUCCESS)
        err = chorale_recv(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, ctx->rank - 1);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st = {
        .call = call,
        .folded = ctx->size - chorale_pow2_below(ctx->size),
        .acc = call->recvbuf,
    };
    int err = MPI_SUCCESS;

    if (ctx->rank < 2 * st.folded && ctx->rank % 2 != 0)
        return run_folded(call);
    if (call->sendbuf != MPI_IN_PLACE)
        err = chorale_copy(ctx, call->sendbuf, call->recvcount,
                           call->recvtype, call->recvbuf, call->recvcount,
                           call->recvtype);
    if (err != MPI_SUCCESS || ctx->size == 1)
        return err;
    st.spare = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
    err = st.spare == NULL ? MPI_ERR_NO_MEM : run_core(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int q = chorale_pow2_below(pt->comm_size);
    int fold = pt->comm_size != q;
    double m = (double)pt->msg_size;
    double rounds = chorale_ceil_log2(q);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rounds + 2 * fold,
                                     .bytes = m,
                                     .reduced = (rounds + fold) * m };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->msg_size;
}

const struct chorale_alg chorale_allreduce_recursive_doubling = {
    .coll = CHORALE_ALLREDUCE,
    .name = "recursive_doubling",
    .summary = "exchanges at distance 1, 2, 4, ...; odd neighbours fold",
    .formula = "F (alpha + n beta + n tau), F = floor(lg P); P not a power "
               "of two: + 2 (alpha + n beta) + n tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
