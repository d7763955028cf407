/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - allgatherv by exchanges at distance 1, 2, 4, ...
 *
 * In each round both partners send each other all their blocks.
 *
 * Rounds  L = lg P                            P = comm_size, M = max m_i
 * Volume  n - m_i bytes from each rank        n = sum of m_i
 * Cost    L alpha + the largest block, the 2 largest, the 4, ... beta, exact if
 *         sizes increase with the rank: the last rank sends the largest message
 *         of every round
 * Needs   P a power of two, any datatype, displacements in any order: blocks
 *         that are not contiguous pass through scratch
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_doubling);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_doubling(CHORALE_SIZES_RAMP, pt, term);
}

const struct chorale_alg chorale_allgatherv_recursive_doubling = {
    .coll = CHORALE_ALLGATHERV,
    .name = "recursive_doubling",
    .summary = "exchanges at distance 1, 2, 4, ...",
    .formula = "lg P alpha + G beta, G the 1, 2, 4, ... largest blocks",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_POW2,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
