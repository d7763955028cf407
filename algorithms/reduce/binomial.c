/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree reduction, nearest child first.
 *
 * The vector is reduced whole or in segments. Other variants use this one as a
 * sub-algorithm; with default parameters it reduces the whole vector at once.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s), L = ceil(lg P)
 *
 * Rounds  L S
 * Volume  (P - 1) n bytes in total; the root reduces L n
 * Cost    L S (alpha + s beta + s tau), exact for every P; a short last segment
 *         counts with its own size. If the operation does not commute, the tree
 *         is rooted at rank 0, so that each subtree is a range of ranks above
 *         its parent. Rank 0 then forwards the result: alpha + n beta more,
 *         unless it is the root
 * Needs   any P, any root, any datatype, any operation. segsize is rounded down
 *         to whole elements, at least one; 0: S = 1. max_reqs limits a leaf's
 *         segments that its parent has not begun to receive
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KNOMIAL,
        .radix = 2,
        .segsize = param ? *param : 0,
        .max_reqs = param ? param[1] : 0,
    };
}

/* Rank of the tree's root: see Cost. */
static int base_of(const struct chorale_call *call)
{
    return call->commutative ? call->root : 0;
}

/* --- the whole vector -------------------------------------------------- *
 * This does not use the flow engine, because the smallest messages are
 * sensitive to a few nanoseconds. */

/* The value combined so far, and buffers for the next operand. */
struct state {
    const struct chorale_call *call;
    const void *acc; /* the combined value; at first the rank's own */
    void *spare[2];  /* the next operand goes to spare[turn]; then turn flips */
    int turn;
};

/* Combine the children's values, nearest child first. Received data are the
 * right operand and receive the result. */
static int combine(struct state *st, const int *child, int nchild, int base)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    int err = MPI_SUCCESS;

    for (int i = nchild - 1; i >= 0 && err == MPI_SUCCESS; i--) {
        void *in = st->spare[st->turn];

        err = chorale_recv(ctx, in, call->recvcount, call->recvtype,
                           (child[i] + base) % ctx->size);
        if (err == MPI_SUCCESS)
            err = chorale_reduce_local(ctx, st->acc, in, call->recvcount,
                                       call->recvtype, call->op);
        st->acc = in;
        st->turn = !st->turn;
    }
    return err;
}

/* Assign the two alternating buffers. result: place of the final value, or
 * NULL. The last operand is received there to avoid a copy, unless that would
 * overwrite the first left operand. */
static int set_buffers(struct state *st, int nchild, void *result)
{
    const struct chorale_call *call = st->call;
    int odd = nchild % 2;

    st->turn = st->acc == result ? 0 : odd;
    st->spare[1] = result;
    for (int i = 0; i < 2; i++) {
        if (nchild == 0 || (nchild == 1 && i != st->turn) || st->spare[i])
            continue;
        st->spare[i] = chorale_scratch_typed(call->ctx, call->recvcount,
                                             call->recvtype);
        if (st->spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Move the result from st->acc at the tree's root to call->root. */
static int deliver(const struct state *st, int base)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;

    if (ctx->rank == call->root && base != call->root)
        return chorale_recv(ctx, call->recvbuf, call->recvcount,
                            call->recvtype, base);
    if (ctx->rank != base)
        return MPI_SUCCESS;
    if (base != call->root)
        return chorale_send(ctx, st->acc, call->recvcount, call->recvtype,
                            call->root);
    if (st->acc == call->recvbuf)
        return MPI_SUCCESS;
    return chorale_copy(ctx, st->acc, call->recvcount, call->recvtype,
                        call->recvbuf, call->recvcount, call->recvtype);
}

static int whole(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int base = base_of(call);
    int v = (ctx->rank - base + ctx->size) % ctx->size;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    void *result = v == 0 && base == call->root ? call->recvbuf : NULL;
    struct state st = {
        .call = call,
        .acc = in_place ? call->recvbuf : call->sendbuf,
    };
    int child[32], parent;
    int nchild = chorale_binomial(v, ctx->size, &parent, child);
    int err = set_buffers(&st, nchild, result);

    if (err == MPI_SUCCESS)
        err = combine(&st, child, nchild, base);
    if (err == MPI_SUCCESS && parent >= 0)
        err = chorale_send(ctx, st.acc, call->recvcount, call->recvtype,
                           (parent + base) % ctx->size);
    if (err == MPI_SUCCESS)
        err = deliver(&st, base);
    chorale_scratch_release(ctx, mark);
    return err;
}

/* --- whole or segmented ------------------------------------------------ */

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param);

    return f.segsize == 0 ? whole(call)
                          : chorale_flow_reduce(call, &f, base_of(call));
}

CHORALE_FLOW_REDUCE_COSTS(flow, pt->commutative ? pt->root : 0)

const struct chorale_alg chorale_reduce_binomial = {
    .coll = CHORALE_REDUCE,
    .name = "binomial",
    .summary = "binomial tree; keeps rank order for operations that need it",
    .formula = "S ceil(lg P) (alpha + s beta + s tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .fallback = "roots other than 0 with an operation that does not commute: "
                "rank 0 forwards the result",
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .nparam = 2,
    .param = { CHORALE_PARAM_SEGSIZE(0),
               CHORALE_PARAM_LEAF_REQS },
    .run = run,
    .cost = cost,
    .order_at = chorale_flow_order_at,
    .scratch = scratch,
};
