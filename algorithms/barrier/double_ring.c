/* SPDX-License-Identifier: BSD-3-Clause */
/* double_ring.c - barrier by a token that travels around a ring twice.
 *
 * The first trip collects the arrival of all ranks, the second one announces
 * it.
 *
 * Rounds  2 P                                 P = comm_size >= 2
 * Volume  2 empty messages from each rank
 * Cost    2 P alpha, exact
 * Needs   any P
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int right = ctx->rank + 1 < ctx->size ? ctx->rank + 1 : 0;
    int left = ctx->rank > 0 ? ctx->rank - 1 : ctx->size - 1;
    int err = MPI_SUCCESS;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    for (int turn = 0; turn < 2 && err == MPI_SUCCESS; turn++) {
        if (ctx->rank > 0)
            err = chorale_await(ctx, left);
        if (err == MPI_SUCCESS)
            err = chorale_signal(ctx, right);
        if (err == MPI_SUCCESS && ctx->rank == 0)
            err = chorale_await(ctx, left);
    }
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = 2.0 * pt->comm_size };
    return 1;
}

const struct chorale_alg chorale_barrier_double_ring = {
    .coll = CHORALE_BARRIER,
    .name = "double_ring",
    .summary = "a token travels around a ring twice",
    .formula = "2 P alpha",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = cost,
};
