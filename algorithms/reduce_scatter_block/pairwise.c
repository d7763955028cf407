/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise.c - reduce-scatter by pairwise exchange.
 *
 * In round i every rank sends rank + i the operand of that rank's block. It
 * receives the operand of its own block from rank - i and combines it.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta + m tau), exact
 * Needs   any P, any datatype; a commutative operation, as operands come in
 *         the order rank, rank - 1, ...
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_pairwise, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_ring(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_ring_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_pairwise = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "pairwise",
    .summary = "each rank sends each other rank the operand of its block",
    .formula = "(P-1) alpha + (P-1)/P n (beta + tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
