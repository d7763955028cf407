/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - reduce-scatter on a ring: the partial sum of each block travels
 * round the ring to its owner, and every rank adds its own part.
 *
 *   step i = 0 ... P - 2: send the partial of block rank - 1 - i to the
 *   right, receive that of block rank - 2 - i from the left, add ours
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta + m tau), exact
 * Needs   any P, any datatype; a commutative operation, as the sum of block b
 *         starts at rank b + 1
 * Source  Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"

/* The input block of rank b. */
static void *block_at(const struct chorale_call *call, const void *input,
                      int b)
{
    return chorale_at(input, chorale_type_extent(call->recvtype),
                      (MPI_Aint)call->recvcount * b);
}

/* partial: two blocks of scratch, taken in turn. The input is read to the
 * last step, so the result is written after it. */
static int ring(const struct chorale_call *call, const void *input,
                void *partial[2])
{
    struct chorale_ctx *ctx = call->ctx;
    int size = ctx->size, rank = ctx->rank;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const void *out = block_at(call, input, left);
    int err = MPI_SUCCESS;

    for (int i = 0; i < size - 1 && err == MPI_SUCCESS; i++) {
        int b = (rank - 2 - i + 2 * size) % size;
        void *in = partial[i % 2];

        err = chorale_sendrecv(ctx, out, call->recvcount, call->recvtype,
                               right, in, call->recvcount, call->recvtype,
                               left);
        if (err == MPI_SUCCESS)
            err = chorale_reduce_local(ctx, block_at(call, input, b), in,
                                       call->recvcount, call->recvtype,
                                       call->op);
        out = in;
    }
    if (err != MPI_SUCCESS)
        return err;
    if (out == call->recvbuf)
        return MPI_SUCCESS;
    return chorale_copy(ctx, out, call->recvcount, call->recvtype,
                        call->recvbuf, call->recvcount, call->recvtype);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int in_place = call->sendbuf == MPI_IN_PLACE;
    const void *input = in_place ? call->recvbuf : call->sendbuf;
    int last = ctx->size % 2; /* partial[] of step P - 2 */
    void *partial[2] = { NULL, NULL };
    int err = MPI_SUCCESS;

    if (ctx->size == 1)
        return in_place ? MPI_SUCCESS
                        : chorale_copy(ctx, input, call->recvcount,
                                       call->recvtype, call->recvbuf,
                                       call->recvcount, call->recvtype);
    if (!in_place)
        partial[last] = call->recvbuf;
    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++) {
        if (partial[i] != NULL || (ctx->size == 2 && i != last))
            continue;
        partial[i] = chorale_scratch_typed(ctx, call->recvcount,
                                           call->recvtype);
        if (partial[i] == NULL)
            err = MPI_ERR_NO_MEM;
    }
    if (err == MPI_SUCCESS)
        err = ring(call, input, partial);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double rounds = pt->comm_size - 1;
    double m = (double)pt->msg_size;

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

/* In place; else one block less. */
static size_t scratch(const struct chorale_point *pt)
{
    int blocks = pt->comm_size - 1;

    return (size_t)(blocks < 2 ? blocks : 2) * pt->msg_size;
}

const struct chorale_alg chorale_reduce_scatter_block_ring = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "ring",
    .summary = "partial sums travel round a ring to their owners",
    .formula = "(P-1) alpha + (P-1)/P n (beta + tau)",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
