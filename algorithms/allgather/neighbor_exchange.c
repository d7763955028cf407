/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_exchange.c - allgather between neighbours.
 *
 * A rank exchanges with its left and right neighbour alternately, each time the
 * two blocks received last.
 *
 * Rounds  P/2                                 P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    alpha + m beta + (P/2 - 1) (alpha + 2 m beta), exact
 * Needs   P even, any datatype
 * Source  Chen et al., HPC Asia 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_neighbor);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_neighbor(CHORALE_SIZES_EQUAL, pt, term);
}

const struct chorale_alg chorale_allgather_neighbor_exchange = {
    .coll = CHORALE_ALLGATHER,
    .name = "neighbor_exchange",
    .summary = "pairs of blocks between neighbours, left and right in turn",
    .formula = "P/2 alpha + (P-1)/P n beta",
    .source = "Chen et al., HPC Asia 2005",
    .needs = CHORALE_NEEDS_EVEN,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
