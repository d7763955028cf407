/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - reduce-scatter that preserves rank order.
 *
 * With partners at distance 1, 2, 4, ... ranks exchange the sums of all blocks
 * except those of the group that has exchanged so far. If P is not a power of
 * two, the upper rank of a pair of neighbours works for both.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = m P bytes
 * Volume  F n - (Q - 1) m bytes from each rank of a power of two
 * Cost    F alpha + (F n - (P - 1) m) beta + (F n - 2 (P - 1) m + F m) tau for
 *         P = 2^F: of the group that is complete after a round, only the own
 *         block is combined. Exact there; else an upper bound: with runs of two
 *         ranks as blocks, + alpha + n beta + n tau before and alpha + m beta
 *         after.
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
    return chorale_rs_cost_doubling(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_doubling_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_recursive_doubling = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "recursive_doubling",
    .summary = "sums of all blocks but the own group's, at distance 1, 2, 4, "
               "...",
    .formula = "F alpha + (F n - (P-1) m) beta + (F n - (2 P - 2 - F) m) tau, "
               "F = floor(lg P), Q = 2^F; P not a power of two: <= (F+2) "
               "alpha + ((F+1) n - (Q-2) m) beta + ((F+1) n - 2 (Q-1 - F) m) "
               "tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_POW2,
    .copies = { 1, 1 }, /* all contributions are added up in scratch */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
