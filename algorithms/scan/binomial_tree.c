/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial_tree.c - scan up and down one binomial tree.
 *
 * Let u = rank + 1 and b its lowest set bit. A rank first combines the values
 * of the b ranks that end with it and sends the result to the rank b above. It
 * then receives the prefix of all ranks below these from the rank b below.
 * Finally it sends the ranks b/2, b/4, ..., 1 above their prefix.
 *
 * Rounds  R = floor(lg P) + floor(lg 2P/3)    P = comm_size, n = bytes
 * Volume  fewer than 2 P n bytes in total
 * Cost    R (alpha + n beta) + (floor(lg (P+1)) + floor(lg 2(P+1)/3) - 1) n
 *         tau, exact: the rank in the middle sends up before it sends down, so
 *         there is one more step down from 3/2 of a power of two on
 * Needs   any P, any datatype, any operation
 * Source  Sanders, Traeff, EuroPVM/MPI 2006
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"
#include "algorithms/tree.h"

struct state {
    const struct chorale_call *call;
    void *tmp;
};

/* Receive from a lower rank and combine, with the received value on the
 * left. */
static int add(const struct state *st, int source)
{
    const struct chorale_call *call = st->call;
    int err = chorale_recv(call->ctx, st->tmp, call->recvcount,
                           call->recvtype, source);

    if (err != MPI_SUCCESS)
        return err;
    return chorale_reduce_local(call->ctx, st->tmp, call->recvbuf,
                                call->recvcount, call->recvtype, call->op);
}

/* Send to the rank at that distance above, if it exists. */
static int pass(const struct state *st, int distance)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;

    if (distance >= ctx->size - ctx->rank)
        return MPI_SUCCESS;
    return chorale_send(ctx, call->recvbuf, call->recvcount, call->recvtype,
                        ctx->rank + distance);
}

static int up_and_down(const struct state *st)
{
    int rank = st->call->ctx->rank;
    int low = (int)(((unsigned)rank + 1) & -((unsigned)rank + 1));
    int err = MPI_SUCCESS;

    for (int d = 1; d < low && err == MPI_SUCCESS; d *= 2)
        err = add(st, rank - d);
    if (err == MPI_SUCCESS)
        err = pass(st, low);
    if (err == MPI_SUCCESS && rank >= low)
        err = add(st, rank - low);
    for (int d = low / 2; d > 0 && err == MPI_SUCCESS; d /= 2)
        err = pass(st, d);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st = { .call = call };
    int err = chorale_prefix_start(call);

    if (err == MPI_SUCCESS && ctx->rank > 0) {
        st.tmp = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = st.tmp == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS)
        err = up_and_down(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

/* floor(lg x) + floor(lg 2x/3) */
static int steps(int x)
{
    int below = chorale_pow2_below(x);

    return 2 * chorale_ceil_log2(below) - (x - below < below / 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double m = (double)pt->msg_size;

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = steps(pt->comm_size),
        .bytes = m,
        .reduced = (steps(pt->comm_size + 1) - 1) * m,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->msg_size;
}

const struct chorale_alg chorale_scan_binomial_tree = {
    .coll = CHORALE_SCAN,
    .name = "binomial_tree",
    .summary = "up a binomial tree and down again: fewest messages",
    .formula = "(floor(lg P) + floor(lg(2 P/3))) (alpha + n beta) + "
               "(floor(lg(P+1)) + floor(lg(2 (P+1)/3)) - 1) n tau",
    .source = "Sanders, Traeff, EuroPVM/MPI 2006",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
