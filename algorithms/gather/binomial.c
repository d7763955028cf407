/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree gather, nearest child first.
 *
 * Inner ranks collect their subtree's blocks as packed bytes. The root receives
 * each subtree in its final place, except one that wraps past the last rank.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes into the root
 * Cost    L alpha + (P - 1) m beta, exact for every P: each child is ready
 *         no later than its parent is
 * Needs   any P, any root, any datatype; a rank with a subtree of s blocks
 *         holds s m bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"

static int run(const struct chorale_call *call)
{
    return chorale_gather_tree(call, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_block_tree(pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_block_tree(pt, 2);
}

const struct chorale_alg chorale_gather_binomial = {
    .coll = CHORALE_GATHER,
    .name = "binomial",
    .summary = "binomial tree, nearest child first",
    .formula = "ceil(lg P) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
