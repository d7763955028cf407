/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_halving.c - reduce-scatter by exchange of halves.
 *
 * With order far, partners are at distance Q/2, Q/4, ..., 1; with near, at
 * distance 1, 2, 4, ..., which is the butterfly. If P is not a power of two,
 * the upper rank of a pair of neighbours works for both: it receives the
 * operands first and returns the lower rank's block at the end.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = sum of m_i
 *         M = the largest m_i
 * Volume  at most n bytes from each rank; folded at most 2 n
 * Cost    a round pays for its largest part: F (alpha + part (beta + tau));
 *         folded: + alpha + n beta + n tau and alpha + M beta. Exact for
 *         powers of two, where the last rank keeps the largest parts.
 * Needs   any P, any datatype, a commutative operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_halving(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_halving_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_recursive_halving = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "recursive_halving",
    .summary = "exchanges of halves of the remaining blocks; neighbours fold",
    .formula = "<= F alpha + G (beta + tau), F = floor(lg P), G the 1, 2, 4, "
               "... largest blocks; P not a power of two: <= (F+2) alpha + (2 "
               "n + M + G) beta + (2 n + G) tau, M the largest block",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_POW2,
    .within = 1.31,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_RS_HALVING_PARAM },
    .run = chorale_rs_halving_run,
    .cost = cost,
    .scratch = scratch,
};
