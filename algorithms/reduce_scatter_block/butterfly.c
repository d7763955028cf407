/* SPDX-License-Identifier: BSD-3-Clause */
/* butterfly.c - reduce-scatter by a butterfly that preserves rank order.
 *
 * Halves are exchanged at distance 1, 2, 4, ..., so that only contiguous ranges
 * of ranks are combined. Blocks are stored in bit-reversed order, so that each
 * half is one message. If P is not a power of two, the upper rank of a pair of
 * neighbours works for both.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = m P bytes
 * Volume  n - m bytes from each rank; folded at most 2 n
 * Cost    F alpha + (Q - 1)/Q n (beta + tau) for P = Q = 2^F; else the rounds
 *         carry the blocks of both neighbours, and alpha + n beta + n tau
 *         comes before, alpha + m beta after. Exact.
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
    return chorale_rs_cost_exchange(pt, 0, 2, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_butterfly_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_butterfly = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "butterfly",
    .summary = "halves exchanged at distance 1, 2, 4, ... in rank order",
    .formula = "F alpha + (P-1)/P n (beta + tau), F = floor(lg P), Q = 2^F; P "
               "not a power of two: <= (F+2) alpha + (n + (2 Q - 1) m) beta + "
               "(n + (2 Q - 2) m) tau",
    .source = "Traeff, EuroPVM/MPI 2005",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .copies = { 1, 1 }, /* the blocks are put in the order of bits */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
