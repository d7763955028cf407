/* SPDX-License-Identifier: BSD-3-Clause */
/* two_proc.c - allgatherv of two ranks: they exchange their blocks.
 *
 * Rounds  1                                   P = comm_size, M = max m_i
 * Volume  at most M bytes from each rank      n = sum of m_i
 * Cost    alpha + M beta, exact
 * Needs   P = 2, any datatype
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

const struct chorale_alg chorale_allgatherv_two_proc = {
    .coll = CHORALE_ALLGATHERV,
    .name = "two_proc",
    .summary = "the two ranks exchange their blocks",
    .formula = "alpha + M beta, M the largest block",
    .source = "Open MPI, coll/tuned",
    .needs = CHORALE_NEEDS_PAIR,
    .run = run,
    .cost = cost,
};
