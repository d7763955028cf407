/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - allgather by exchanges at distance 1, 2, 4, ...
 *
 * In each round both partners send each other all their blocks.
 *
 * Rounds  L = lg P                            P = comm_size, n = m P bytes
 * Volume  n - m bytes from each rank
 * Cost    L alpha + (P - 1)/P n beta, exact
 * Needs   P a power of two, any datatype
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
    return chorale_cost_gather_all_doubling(CHORALE_SIZES_EQUAL, pt, term);
}

const struct chorale_alg chorale_allgather_recursive_doubling = {
    .coll = CHORALE_ALLGATHER,
    .name = "recursive_doubling",
    .summary = "exchanges at distance 1, 2, 4, ...",
    .formula = "lg P alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_POW2,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
