/* SPDX-License-Identifier: BSD-3-Clause */
/* doubling_123.c - exscan by shifts of 1, 2, 3, 6, 12, ... ranks.
 *
 * Let x be a rank's operand and W its result so far. It sends x in the first
 * round, W x in the second and W from then on. The received value becomes the
 * left operand of W. After the rounds W covers 1, 3, 6, 12, ... ranks: for most
 * P one round fewer than a shift and a scan.
 *
 * Rounds  R = ceil(lg(4/3 (P - 1)))           P = comm_size, n = bytes
 * Volume  at most R n bytes from each rank
 * Cost    R (alpha + n beta + n tau), exact for P >= 4: one operation makes
 *         W x, one follows each receive but the first. P = 3: n tau less,
 *         P = 2: no tau
 * Needs   any P, any datatype, any operation
 * Source  Traeff, arXiv 2507.04785
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"

/* Send to the rank distance above and receive from the rank distance below, if
 * they exist. Rank 0 sends only its own operand. */
static int shift(const struct chorale_call *call, const void *out, void *in,
                 long distance, int first)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Count n = call->recvcount;
    MPI_Datatype type = call->recvtype;
    int to = (int)(ctx->rank + distance), from = (int)(ctx->rank - distance);
    int sends = ctx->rank >= first && distance < ctx->size - ctx->rank;
    int receives = from >= first;

    if (sends && receives)
        return chorale_sendrecv(ctx, out, n, type, to, in, n, type, from);
    if (sends)
        return chorale_send(ctx, out, n, type, to);
    return receives ? chorale_recv(ctx, in, n, type, from) : MPI_SUCCESS;
}

/* mine: buffer for x, then W x; tmp: receive buffer. Either may be NULL if it
 * is not needed. */
static int rounds(const struct chorale_call *call, void *mine, void *tmp)
{
    struct chorale_ctx *ctx = call->ctx;
    const void *own = chorale_prefix_own(call);
    MPI_Count n = call->recvcount;
    MPI_Datatype type = call->recvtype;
    int rank = ctx->rank, err = MPI_SUCCESS;

    if (mine != NULL) {
        err = chorale_copy(ctx, own, n, type, mine, n, type);
        own = mine;
    }
    if (err == MPI_SUCCESS)
        err = shift(call, own, call->recvbuf, 1, 0);
    if (err == MPI_SUCCESS && rank > 0 && rank < ctx->size - 2)
        err = chorale_reduce_local(ctx, call->recvbuf, mine, n, type,
                                   call->op);
    if (err == MPI_SUCCESS)
        err = shift(call, own, tmp, 2, 0);
    if (err == MPI_SUCCESS && rank >= 2)
        err = chorale_reduce_local(ctx, tmp, call->recvbuf, n, type,
                                   call->op);
    for (long d = 3; d < ctx->size - 1 && err == MPI_SUCCESS; d *= 2) {
        err = shift(call, call->recvbuf, tmp, d, 1);
        if (err == MPI_SUCCESS && rank > d)
            err = chorale_reduce_local(ctx, tmp, call->recvbuf, n, type,
                                       call->op);
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int above = ctx->size - 1 - ctx->rank;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    void *mine = NULL, *tmp = NULL;
    int err = MPI_SUCCESS;

    if (ctx->rank > 0 && above > !in_place) {
        mine = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = mine == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (ctx->rank > 1 && err == MPI_SUCCESS) {
        tmp = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = tmp == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS)
        err = rounds(call, mine, tmp);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = pt->comm_size > 1; /* rounds; after n rounds W covers covered
                                * ranks */
    double m = (double)pt->msg_size;

    for (long covered = 1; covered < pt->comm_size - 1; n++)
        covered = n == 1 ? 3 : 2 * covered;
    term[0] = (struct chorale_term){
        .messages = n,
        .bytes = m,
        .reduced = (pt->comm_size > 3 ? n : n / 2) * m,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 3 ? 0 : (pt->comm_size == 3 ? 1 : 2) * pt->msg_size;
}

const struct chorale_alg chorale_exscan_doubling_123 = {
    .coll = CHORALE_EXSCAN,
    .name = "doubling_123",
    .summary = "shifts of 1, 2, 3, 6, 12, ...: fewest rounds",
    .formula = "R (alpha + n beta + n tau), R = ceil(lg(4/3 (P-1))); P < 4: R "
               "(alpha + n beta) + (R-1) n tau",
    .source = "Traeff, arXiv 2507.04785",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
