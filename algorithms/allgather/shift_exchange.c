/* SPDX-License-Identifier: BSD-3-Clause */
/* shift_exchange.c - allgather by shifts of own blocks.
 *
 * In round i a rank sends its block to rank + i and receives that of rank - i.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any datatype
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_shift);
}

const struct chorale_alg chorale_allgather_shift_exchange = {
    .coll = CHORALE_ALLGATHER,
    .name = "shift_exchange",
    .summary = "own block to the rank i further on in round i",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS 2005",
    .run = run,
    .cost = chorale_cost_in_turn,
};
