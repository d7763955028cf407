/* SPDX-License-Identifier: BSD-3-Clause */
/* dissemination.c - barrier by dissemination at distance 1, 2, 4, ...
 *
 * In each round every rank signals the rank that distance above it and waits
 * for the rank that distance below.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size
 * Volume  L empty messages from each rank
 * Cost    L alpha, exact
 * Needs   any P
 * Source  Hensgen, Finkel, Manber, IJPP 17(1), 1988
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"
#include "algorithms/tree.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    unsigned rank = (unsigned)ctx->rank, size = (unsigned)ctx->size;
    int err = MPI_SUCCESS;

    for (unsigned d = 1; d < size && err == MPI_SUCCESS; d *= 2)
        err = chorale_signal_await(ctx, (int)((rank + d) % size),
                                   (int)((rank + size - d) % size));
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){
        .messages = chorale_ceil_log2(pt->comm_size),
    };
    return 1;
}

const struct chorale_alg chorale_barrier_dissemination = {
    .coll = CHORALE_BARRIER,
    .name = "dissemination",
    .summary = "signals to the rank at distance 1, 2, 4, ...",
    .formula = "ceil(lg P) alpha",
    .source = "Hensgen, Finkel, Manber, IJPP 17(1), 1988",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
