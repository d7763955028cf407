/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - reduce-scatter that preserves rank order.
 *
 * With partners at distance 1, 2, 4, ... ranks exchange the sums of all blocks
 * except those of the group that has exchanged so far. If P is not a power of
 * two, the upper rank of a pair of neighbours works for both.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = sum of m_i
 *         M = the largest m_i
 * Volume  at most F n bytes from each rank
 * Cost    F (alpha + (n - g) beta) with g the smallest group of 1, 2, 4, ...
 *         ranks; less is reduced: of the group that is complete after a round,
 *         only the own block. An upper bound. Folded: + alpha + n beta + n tau
 *         before and alpha + M beta after.
 * Needs   any P, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_doubling_folded, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_doubling(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_doubling_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_recursive_doubling = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "recursive_doubling",
    .summary = "sums of all blocks but the own group's, at distance 1, 2, 4, "
               "...",
    .formula = "<= F (alpha + n beta + (n + 2 M) tau), F = floor(lg P), M the "
               "largest block; P not a power of two: + 2 alpha + (n + M) beta "
               "+ n tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.31,
    .copies = { 1, 2 }, /* as reduce_scatter_block */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
