/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_xor.c - allgather by pairwise exchange of own blocks.
 *
 * In round i a rank exchanges with the rank whose number is its own xor i.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   P a power of two, any datatype
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_xor);
}

const struct chorale_alg chorale_allgather_pairwise_xor = {
    .coll = CHORALE_ALLGATHER,
    .name = "pairwise_xor",
    .summary = "exchange of own blocks with rank xor i in round i",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_POW2,
    .run = run,
    .cost = chorale_cost_in_turn,
};
