/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - barrier up and down a binomial tree.
 *
 * Arrivals travel up, nearest child first; the release travels down, farthest
 * child first.
 *
 * Rounds  2 L, L = ceil(lg P)                 P = comm_size
 * Volume  2 (P - 1) empty messages in total
 * Cost    2 L alpha, exact
 * Needs   any P
 * Source  Mellor-Crummey, Scott, TOCS, 1991
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"
#include "algorithms/tree.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int child[32], parent;
    int nchild = chorale_binomial(ctx->rank, ctx->size, &parent, child);
    int err = MPI_SUCCESS;

    for (int i = nchild - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_await(ctx, child[i]);
    if (parent >= 0 && err == MPI_SUCCESS)
        err = chorale_signal(ctx, parent);
    if (parent >= 0 && err == MPI_SUCCESS)
        err = chorale_await(ctx, parent);
    for (int i = 0; i < nchild && err == MPI_SUCCESS; i++)
        err = chorale_signal(ctx, child[i]);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){
        .messages = 2 * chorale_ceil_log2(pt->comm_size),
    };
    return 1;
}

const struct chorale_alg chorale_barrier_tree = {
    .coll = CHORALE_BARRIER,
    .name = "tree",
    .summary = "up a binomial tree and down again",
    .formula = "2 ceil(lg P) alpha",
    .source = "Mellor-Crummey, Scott, TOCS, 1991",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
