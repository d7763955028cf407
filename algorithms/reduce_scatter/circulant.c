/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - reduce-scatter on a circulant graph.
 *
 * The skips are ceil(P/2), ceil(P/4), ..., 1. Of the remaining blocks rank,
 * rank + 1, ..., the upper half goes to the rank one skip above.
 *
 * Rounds  ceil(lg P)                          P = comm_size, n = sum of m_i
 * Volume  at most n from each rank
 * Cost    ceil(lg P) alpha + n (beta + tau) at most: a round pays for the
 *         largest run of as many blocks
 * Needs   any P without folding, any datatype, a commutative operation
 * Source  Traeff, arXiv 2410.14234
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_circulant, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_circulant(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_circulant_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_circulant = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "circulant",
    .summary = "half of the remaining blocks per round, skips P/2, P/4, ..., 1",
    .formula = "<= ceil(lg P) alpha + (P-1) M (beta + tau), M the largest "
               "block",
    .source = "Traeff, arXiv 2410.14234",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .core = CHORALE_CORE_ANY,
    .copies = { 0.6, 2 }, /* as reduce_scatter_block */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
