/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - ring reduce-scatter, then ring allgather.
 *
 * For long vectors: the partial sum of each of P parts travels to its owner,
 * then the results travel to all ranks.
 *
 * Rounds  2 (P - 1)                           P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, up to rounding
 * Cost    (P - 1) (2 (alpha + b beta) + b tau), b = ceil(n/P) in whole
 *         elements: exact. The first part is one of the largest, and its result
 *         starts as soon as its sum is complete.
 * Needs   any P, any datatype; a commutative operation
 * Source  Patarasuk, Yuan, JPDC 69(2), 2009
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"

static int run(const struct chorale_call *call)
{
    return chorale_halves_run(call, CHORALE_WAY_RING, 0, CHORALE_WAY_RING,
                              0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size;
    int n = chorale_half_cost(pt, CHORALE_WAY_RING, 0, p, 1, term, 0);

    return chorale_half_cost(pt, CHORALE_WAY_RING, 0, p, 0, term, n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_halves_scratch(pt, CHORALE_WAY_RING, 0, CHORALE_WAY_RING,
                                  pt->comm_size);
}

const struct chorale_alg chorale_allreduce_ring = {
    .coll = CHORALE_ALLREDUCE,
    .name = "ring",
    .summary = "ring reduce-scatter, then ring allgather",
    .formula = "2 (P-1) alpha + (P-1)/P n (2 beta + tau)",
    .source = "Patarasuk, Yuan, JPDC 69(2), 2009",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
