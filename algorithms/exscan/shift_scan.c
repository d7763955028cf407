/* SPDX-License-Identifier: BSD-3-Clause */
/* shift_scan.c - exscan by one shift, then an inclusive scan.
 *
 * The scan shifts by 1, 2, 4, ... over all ranks but the first.
 *
 * Rounds  1 + M, M = ceil(lg(P - 1))          P = comm_size, n = bytes
 * Volume  at most (1 + M) n bytes from each rank
 * Cost    (1 + M) (alpha + n beta) + M n tau, exact
 * Needs   any P, any datatype, any operation
 * Source  Traeff, arXiv 2507.04785
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"
#include "algorithms/tree.h"

/* Send the own operand to the rank above and receive that of the rank below
 * into recvbuf. tmp: buffer for an operand that is in recvbuf itself. */
static int shift(const struct chorale_call *call, void *tmp)
{
    struct chorale_ctx *ctx = call->ctx;
    const void *own = chorale_prefix_own(call);
    MPI_Count n = call->recvcount;
    MPI_Datatype type = call->recvtype;
    int err = MPI_SUCCESS;

    if (ctx->rank == 0)
        return chorale_send(ctx, own, n, type, 1);
    if (ctx->rank == ctx->size - 1)
        return chorale_recv(ctx, call->recvbuf, n, type, ctx->rank - 1);
    if (own == call->recvbuf) {
        err = chorale_copy(ctx, own, n, type, tmp, n, type);
        own = tmp;
    }
    if (err != MPI_SUCCESS)
        return err;
    return chorale_sendrecv(ctx, own, n, type, ctx->rank + 1, call->recvbuf,
                            n, type, ctx->rank - 1);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    void *tmp = NULL;
    int err;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    if (ctx->rank > 0 && ctx->size > 2) {
        tmp = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        if (tmp == NULL)
            return MPI_ERR_NO_MEM;
    }
    err = shift(call, tmp);
    if (err == MPI_SUCCESS && ctx->rank > 0)
        err = chorale_prefix_shifts(call, call->recvbuf, tmp, 1);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double m = (double)pt->msg_size, rounds;

    if (pt->comm_size < 2)
        return 0;
    rounds = chorale_ceil_log2(pt->comm_size - 1);
    term[0] = (struct chorale_term){ .messages = 1 + rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 3 ? 0 : pt->msg_size;
}

const struct chorale_alg chorale_exscan_shift_scan = {
    .coll = CHORALE_EXSCAN,
    .name = "shift_scan",
    .summary = "one shift, then a scan over all ranks but the first",
    .formula = "(1 + M) (alpha + n beta) + M n tau, M = ceil(lg(P-1))",
    .source = "Traeff, arXiv 2507.04785",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
