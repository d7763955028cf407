/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_xor.c - allgatherv by pairwise exchange of own blocks.
 *
 * In round i a rank exchanges with the rank whose number is its own xor i.
 *
 * Rounds  P - 1                               P = comm_size, M = max m_i
 * Volume  (P - 1) m_i bytes from rank i       n = sum of m_i
 * Cost    (P - 1) (alpha + M beta), exact: the owner of the largest block
 *         sends it in every round
 * Needs   P a power of two, any datatype, displacements in any order
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_xor);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_ring(CHORALE_SIZES_RAMP, pt, term);
}

const struct chorale_alg chorale_allgatherv_pairwise_xor = {
    .coll = CHORALE_ALLGATHERV,
    .name = "pairwise_xor",
    .summary = "exchange of own blocks with rank xor i in round i",
    .formula = "(P-1) (alpha + M beta), M the largest block",
    .source = "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_POW2,
    .run = run,
    .cost = cost,
};
