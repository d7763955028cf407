/* SPDX-License-Identifier: BSD-3-Clause */
/* shift_exchange.c - allgatherv by shifts of own blocks.
 *
 * In round i a rank sends its block to rank + i and receives that of rank - i.
 *
 * Rounds  P - 1                               P = comm_size, M = max m_i
 * Volume  (P - 1) m_i bytes from rank i       n = sum of m_i
 * Cost    (P - 1) (alpha + M beta), exact: the owner of the largest block
 *         sends it in every round
 * Needs   any P, any datatype, displacements in any order
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_shift);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_ring(CHORALE_SIZES_RAMP, pt, term);
}

const struct chorale_alg chorale_allgatherv_shift_exchange = {
    .coll = CHORALE_ALLGATHERV,
    .name = "shift_exchange",
    .summary = "own block to the rank i further on in round i",
    .formula = "(P-1) (alpha + M beta), M the largest block",
    .source = "Faraj, Yuan, ICS 2005",
    .run = run,
    .cost = cost,
};
