/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat reduction to rank 0, then flat broadcast.
 *
 * Rank 0 receives from every rank in turn, combines in rank order, and sends
 * the result to every rank in turn.
 *
 * Rounds  2 (P - 1)                           P = comm_size, n = bytes
 * Volume  2 (P - 1) n bytes, all at rank 0
 * Cost    (P - 1) (2 (alpha + n beta) + n tau), exact
 * Needs   any P, any datatype, any operation
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/reduce_then_bcast.h"

static int run(const struct chorale_call *call)
{
    return chorale_reduce_then_bcast(call, &chorale_reduce_linear,
                                     &chorale_bcast_linear);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_reduce_then_bcast_cost(pt, &chorale_reduce_linear,
                                          &chorale_bcast_linear, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_scratch(pt, &chorale_reduce_linear,
                                             &chorale_bcast_linear);
}

const struct chorale_alg chorale_allreduce_linear = {
    .coll = CHORALE_ALLREDUCE,
    .name = "linear",
    .summary = "flat reduce to rank 0, then flat bcast",
    .formula = "(P-1) (2 alpha + 2 n beta + n tau)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
