/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - barrier by exchanges at distance 1, 2, 4, ...
 *
 * If P is not a power of two, the ranks from Q = 2^F on fold: each signals the
 * rank Q below it first and is released by it at the end.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size,
 * Volume  at most F + 1 empty messages        Q = largest 2^F <= P
 *         from a rank
 * Cost    F alpha, folded (F + 2) alpha, exact
 * Needs   any P
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"
#include "algorithms/tree.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int core = chorale_pow2_below(ctx->size);
    int folded = ctx->rank + core < ctx->size; /* this rank stands in for
                                                * another */
    int err = MPI_SUCCESS;

    if (ctx->rank >= core) {
        err = chorale_signal(ctx, ctx->rank - core);
        return err == MPI_SUCCESS ? chorale_await(ctx, ctx->rank - core)
                                  : err;
    }
    if (folded)
        err = chorale_await(ctx, ctx->rank + core);
    for (int bit = 1; bit < core && err == MPI_SUCCESS; bit *= 2)
        err = chorale_signal_await(ctx, ctx->rank ^ bit, ctx->rank ^ bit);
    if (folded && err == MPI_SUCCESS)
        err = chorale_signal(ctx, ctx->rank + core);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int core = chorale_pow2_below(pt->comm_size);
    int rounds = chorale_ceil_log2(core) + 2 * (core != pt->comm_size);

    term[0] = (struct chorale_term){ .messages = rounds };
    return 1;
}

const struct chorale_alg chorale_barrier_recursive_doubling = {
    .coll = CHORALE_BARRIER,
    .name = "recursive_doubling",
    .summary = "exchanges at distance 1, 2, 4, ...; ranks above 2^F fold",
    .formula = "F alpha, F = floor(lg P); P not a power of two: + 2 alpha",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
