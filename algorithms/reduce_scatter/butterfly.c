/* SPDX-License-Identifier: BSD-3-Clause */
/* butterfly.c - reduce-scatter by a butterfly that preserves rank order.
 *
 * Halves are exchanged at distance 1, 2, 4, ..., so that only contiguous ranges
 * of ranks are combined. Blocks are stored in bit-reversed order, so that each
 * half is one message. If P is not a power of two, the upper rank of a pair of
 * neighbours works for both.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = sum of m_i
 *         M = the largest m_i
 * Volume  at most n bytes from each rank; folded at most 2 n
 * Cost    a round pays for its largest part: F (alpha + part (beta + tau));
 *         folded: + alpha + n beta + n tau and alpha + M beta. Exact for
 *         powers of two, where the last rank keeps the largest parts.
 * Needs   any P, any datatype, any operation
 * Source  Traeff, EuroPVM/MPI 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_butterfly_folded, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_exchange(pt, 1, 2, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_butterfly_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_butterfly = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "butterfly",
    .summary = "halves exchanged at distance 1, 2, 4, ... in rank order",
    .formula = "<= F alpha + G (beta + tau), F = floor(lg P), G the 1, 2, 4, "
               "... largest blocks; P not a power of two: <= (F+2) alpha + (2 "
               "n + M + G) beta + (2 n + G) tau, M the largest block",
    .source = "Traeff, EuroPVM/MPI 2005",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_POW2,
    .within = 1.31,
    .core = CHORALE_CORE_ANY,
    .copies = { 1, 2 }, /* as reduce_scatter_block */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
