/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat reduction: the root receives from each rank in turn.
 *
 * It starts with the last rank and combines in rank order.
 *
 * Rounds  P - 1                               P = comm_size, n = bytes
 * Volume  (P - 1) n bytes, all to the root, which reduces (P - 1) n
 * Cost    (P - 1) (alpha + n beta + n tau), exact
 * Needs   any P, any root, any datatype, any operation. In place, a root other
 *         than the last rank copies its data aside
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"

static int receive(const struct chorale_call *call, void *buf, int source)
{
    return chorale_recv(call->ctx, buf, call->recvcount, call->recvtype,
                        source);
}

/* recvbuf has the last rank's data; combine the other ranks' data, each as the
 * left operand. */
static int combine(const struct chorale_call *call, const void *own,
                   void *spare)
{
    int err = MPI_SUCCESS;

    for (int i = call->ctx->size - 2; i >= 0 && err == MPI_SUCCESS; i--) {
        if (i != call->root)
            err = receive(call, spare, i);
        if (err == MPI_SUCCESS)
            err = chorale_reduce_local(call->ctx,
                                       i == call->root ? own : spare,
                                       call->recvbuf, call->recvcount,
                                       call->recvtype, call->op);
    }
    return err;
}

static int copy(const struct chorale_call *call, const void *from, void *to)
{
    return chorale_copy(call->ctx, from, call->recvcount, call->recvtype, to,
                        call->recvcount, call->recvtype);
}

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int in_place = call->sendbuf == MPI_IN_PLACE;
    int last = call->root == ctx->size - 1;
    const void *own = in_place ? call->recvbuf : call->sendbuf;
    void *spare = NULL, *aside = NULL;
    int err = MPI_SUCCESS;

    /* With two operands, one of them own, no receive buffer is needed. */
    if (ctx->size > 2 || (ctx->size == 2 && last)) {
        spare = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = spare == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS && in_place && !last) {
        aside = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = aside == NULL ? MPI_ERR_NO_MEM : copy(call, own, aside);
        own = aside;
    }
    if (err == MPI_SUCCESS && !last)
        err = receive(call, call->recvbuf, ctx->size - 1);
    else if (err == MPI_SUCCESS && !in_place)
        err = copy(call, own, call->recvbuf);
    if (err == MPI_SUCCESS)
        err = combine(call, own, spare);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    if (call->ctx->rank == call->root)
        return run_root(call);
    return chorale_send(call->ctx, call->sendbuf, call->recvcount,
                        call->recvtype, call->root);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double rounds = pt->comm_size - 1, m = (double)pt->msg_size;

    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

/* A receive buffer and, in place, a copy of the own operand. Only one of these
 * with two ranks, or if the root is the last rank. */
static size_t scratch(const struct chorale_point *pt)
{
    int one = pt->comm_size == 2 || pt->root == pt->comm_size - 1;

    return pt->comm_size < 2 ? 0 : (one ? 1 : 2) * pt->msg_size;
}

const struct chorale_alg chorale_reduce_linear = {
    .coll = CHORALE_REDUCE,
    .name = "linear",
    .summary = "the root receives from every rank in turn, in rank order",
    .formula = "(P-1) (alpha + n beta + n tau)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
