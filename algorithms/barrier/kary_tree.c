/* SPDX-License-Identifier: BSD-3-Clause */
/* kary_tree.c - barrier on two complete trees rooted at rank 0.
 *
 * Arrivals travel up a tree in which each rank has fanin children, the release
 * travels down one with fanout children.
 *
 * Rounds  see the cost
 * Volume  2 (P - 1) empty messages in total
 * Cost    at most (i H_i + o H_o) alpha, i = fanin, o = fanout, H_k the height
 *         of the complete k-ary tree of P = comm_size ranks
 * Needs   any P
 * Source  Mellor-Crummey, Scott, TOCS, 1991
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/signal.h"

#include <limits.h>

/* The children of rank are first ... last - 1. */
static void children(int rank, int size, long k, int *first, int *last)
{
    long long from = (long long)rank * k + 1, to = from + k;

    *first = (int)(from < size ? from : size);
    *last = (int)(to < size ? to : size);
}

static int up(struct chorale_ctx *ctx, long fanin)
{
    int first, last, err = MPI_SUCCESS;

    children(ctx->rank, ctx->size, fanin, &first, &last);
    /* Later children have smaller subtrees, so they arrive earlier. */
    while (last > first && err == MPI_SUCCESS)
        err = chorale_await(ctx, --last);
    if (err == MPI_SUCCESS && ctx->rank > 0)
        err = chorale_signal(ctx, (int)((ctx->rank - 1) / fanin));
    return err;
}

static int down(struct chorale_ctx *ctx, long fanout)
{
    int first, last, err = MPI_SUCCESS;

    children(ctx->rank, ctx->size, fanout, &first, &last);
    if (ctx->rank > 0)
        err = chorale_await(ctx, (int)((ctx->rank - 1) / fanout));
    for (; first < last && err == MPI_SUCCESS; first++)
        err = chorale_signal(ctx, first);
    return err;
}

static int run(const struct chorale_call *call)
{
    int err = up(call->ctx, call->param[0]);

    return err == MPI_SUCCESS ? down(call->ctx, call->param[1]) : err;
}

/* Upper bound on the messages in sequence along the path to the last level: at
 * most k per level, and no more than there are other ranks. */
static double levels(int size, long k)
{
    int height = 0;

    for (int rank = size - 1; rank > 0; rank = (int)((rank - 1) / k))
        height++;
    return (double)height * (double)(k < size - 1 ? k : size - 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){
        .messages = levels(pt->comm_size, pt->param[0]) +
                    levels(pt->comm_size, pt->param[1]),
    };
    return 1;
}

const struct chorale_alg chorale_barrier_kary_tree = {
    .coll = CHORALE_BARRIER,
    .name = "kary_tree",
    .summary = "up a tree of degree fanin, down one of degree fanout",
    .formula = "<= (i H_i + o H_o) alpha, i = min(fanin, P-1), o = "
               "min(fanout, P-1), H_i = ceil(log_fanin(P (fanin-1) + 1)) - 1, "
               "H_o = ceil(log_fanout(P (fanout-1) + 1)) - 1",
    .source = "Mellor-Crummey, Scott, TOCS, 1991",
    .fallback = "a fanin or fanout beyond P - 1 is P - 1",
    .cost_is = CHORALE_COST_BOUND,
    .within = 2,
    .within_default = 1.75,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_WAYS("fanin", "children", 4, 1, CHORALE_BY_FULL),
        CHORALE_PARAM_WAYS("fanout", "children", 2, 1, CHORALE_BY_FULL),
    },
    .run = run,
    .cost = cost,
};
