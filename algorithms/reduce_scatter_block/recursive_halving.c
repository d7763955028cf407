/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_halving.c - reduce-scatter by exchange of halves.
 *
 * With order far, partners are at distance Q/2, Q/4, ..., 1; with near, at
 * distance 1, 2, 4, ..., which is the butterfly. If P is not a power of two,
 * the upper rank of a pair of neighbours works for both: it receives the
 * operands first and returns the lower rank's block at the end.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = m P bytes
 * Volume  n - m bytes from each rank; folded at most 2 n
 * Cost    F alpha + (Q - 1)/Q n (beta + tau) for P = Q = 2^F; else the rounds
 *         carry the blocks of both neighbours, and alpha + n beta + n tau
 *         comes before, alpha + m beta after. Exact.
 * Needs   any P, any datatype, a commutative operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_halving(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_halving_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_recursive_halving = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "recursive_halving",
    .summary = "exchanges of halves of the remaining blocks; neighbours fold",
    .formula = "F alpha + (P-1)/P n (beta + tau), F = floor(lg P), Q = 2^F; P "
               "not a power of two: <= (F+2) alpha + (n + (2 Q - 1) m) beta + "
               "(n + (2 Q - 2) m) tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_RS_HALVING_PARAM },
    .run = chorale_rs_halving_run,
    .cost = cost,
    .scratch = scratch,
};
