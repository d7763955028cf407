/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_bidir.c - reduce-scatter on a ring in both directions at once.
 *
 * The first half of each block travels upwards, the other half downwards.
 *
 * Rounds  P - 1, two messages each way        P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank, half of them each way
 * Cost    (P - 1) (alpha + m/2 beta + m tau) with two ports. With one, at most
 *         2 (P - 1) messages, which is the stated cost.
 * Needs   any P, any datatype, a commutative operation
 * Source  Chen, Lee, linear integration
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_ring_bidir, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_ring_bidir(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_ring_bidir_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_ring_bidir = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "ring_bidir",
    .summary = "two rings at once, half of each block in either direction",
    .formula = "<= 2 (P-1) (alpha + m/2 beta) + (P-1) m tau; two ports: (P-1) "
               "(alpha + m/2 beta + m tau)",
    .source = "Chen, Lee, linear integration",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 2,
    .overlaps = 1,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
