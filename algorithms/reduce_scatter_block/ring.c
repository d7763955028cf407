/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - reduce-scatter on a ring.
 *
 * The partial sum of each block travels around the ring to its owner, and every
 * rank adds its own operand.
 *
 *   step i = 0 ... P - 2: send the partial of block rank - 1 - i to the right,
 *   receive that of block rank - 2 - i from the left, add the own operand
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta + m tau), exact
 * Needs   any P, any datatype; a commutative operation, as the sum of block b
 *         starts at rank b + 1
 * Source  Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_ring, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_ring(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_ring_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_ring = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "ring",
    .summary = "partial sums travel round a ring to their owners",
    .formula = "(P-1) alpha + (P-1)/P n (beta + tau)",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
