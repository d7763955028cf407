/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat barrier: all ranks signal rank 0, which releases them.
 *
 * Rounds  2 (P - 1)                           P = comm_size
 * Volume  2 (P - 1) empty messages in total
 * Cost    2 (P - 1) alpha, exact
 * Needs   any P
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"

static int run_first(struct chorale_ctx *ctx)
{
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_await(ctx, i);
    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_signal(ctx, i);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int err;

    if (ctx->rank == 0)
        return run_first(ctx);
    err = chorale_signal(ctx, 0);
    return err == MPI_SUCCESS ? chorale_await(ctx, 0) : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){ .messages = 2.0 * (pt->comm_size - 1) };
    return 1;
}

const struct chorale_alg chorale_barrier_linear = {
    .coll = CHORALE_BARRIER,
    .name = "linear",
    .summary = "all ranks signal rank 0, which releases them",
    .formula = "2 (P-1) alpha",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = cost,
};
