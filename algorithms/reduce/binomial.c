/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree reduction, nearest child first.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = bytes
 * Volume  (P - 1) n bytes in all; the root reduces L n
 * Cost    L (alpha + n beta + n tau), exact for every P with a commutative
 *         operation. With another one the tree runs on true ranks, so that
 *         each subtree is a range of ranks to the right of its parent, and
 *         rank 0 passes the result on: alpha + n beta more, unless the root
 *         is rank 0, which the cost cannot know: it counts it.
 * Needs   any P, any root, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

/* What a rank has combined so far, and where the next operand may go. */
struct state {
    const struct chorale_call *call;
    const void *acc; /* the combined value; at first the rank's own */
    void *spare[2];  /* next operand goes to spare[turn], then turn flips */
    int turn;
};

/* Combine the children's values, those of nearer ranks first: received data
 * is the right operand and also takes the result. */
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

/* Give the operands their two places in turn. result: where the value is
 * wanted, or NULL; the last operand goes there, so that it need not be
 * copied, unless that would overwrite the first left operand. */
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

/* The value is in st->acc at the tree's root; bring it to call->root. */
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

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int base = call->commutative ? call->root : 0;
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

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double rounds = chorale_ceil_log2(pt->comm_size);
    double m = (double)pt->msg_size;

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    if (pt->commutative)
        return 1;
    term[1] = (struct chorale_term){ .messages = 1, .bytes = m };
    return 2;
}

static size_t scratch(const struct chorale_point *pt)
{
    int rounds = chorale_ceil_log2(pt->comm_size);

    return (size_t)(rounds < 2 ? rounds : 2) * pt->msg_size;
}

const struct chorale_alg chorale_reduce_binomial = {
    .coll = CHORALE_REDUCE,
    .name = "binomial",
    .summary = "binomial tree; keeps rank order for operations that need it",
    .formula = "ceil(lg P) (alpha + n beta + n tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
