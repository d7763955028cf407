/* SPDX-License-Identifier: BSD-3-Clause */
/* two_proc.c - barrier of two ranks: one exchange.
 *
 * Rounds  1
 * Volume  1 empty message from each rank
 * Cost    alpha, exact
 * Needs   two ranks
 * Source  Open MPI, coll/tuned
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/signal.h"

static int run(const struct chorale_call *call)
{
    int other = !call->ctx->rank;

    return chorale_signal_await(call->ctx, other, other);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    (void)pt;
    term[0] = (struct chorale_term){ .messages = 1 };
    return 1;
}

const struct chorale_alg chorale_barrier_two_proc = {
    .coll = CHORALE_BARRIER,
    .name = "two_proc",
    .summary = "two ranks exchange one message",
    .formula = "alpha",
    .source = "Open MPI, coll/tuned",
    .needs = CHORALE_NEEDS_PAIR,
    .run = run,
    .cost = cost,
};
