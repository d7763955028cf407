/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_exchange.c - allgatherv between neighbours.
 *
 * A rank exchanges with its left and right neighbour alternately, each time the
 * two blocks received last.
 *
 * Rounds  P/2                                 P = comm_size, M = max m_i
 * Volume  at most (P - 1) M bytes             n = sum of m_i
 * Cost    alpha + M beta + (P/2 - 1) (alpha + W beta), W = largest pair of
 *         blocks 2 i, 2 i + 1: it makes a hop in every round. Exact if sizes
 *         increase with the rank
 * Needs   P even, any datatype, displacements in any order: pairs that are not
 *         contiguous pass through scratch
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
    return chorale_cost_gather_all_neighbor(CHORALE_SIZES_RAMP, pt, term);
}

const struct chorale_alg chorale_allgatherv_neighbor_exchange = {
    .coll = CHORALE_ALLGATHERV,
    .name = "neighbor_exchange",
    .summary = "pairs of blocks between neighbours, left and right in turn",
    .formula = "<= P/2 alpha + (P-1) M beta, M the largest block",
    .source = "Chen et al., HPC Asia 2005",
    .needs = CHORALE_NEEDS_EVEN,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
