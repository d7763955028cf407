/* SPDX-License-Identifier: BSD-3-Clause */
/* two_proc.c - allgather of two ranks: they exchange their blocks.
 *
 * Rounds  1                                   P = comm_size, n = m P bytes
 * Volume  m bytes from each rank
 * Cost    alpha + m beta, exact
 * Needs   P = 2, any datatype
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_xor);
}

const struct chorale_alg chorale_allgather_two_proc = {
    .coll = CHORALE_ALLGATHER,
    .name = "two_proc",
    .summary = "the two ranks exchange their blocks",
    .formula = "alpha + m beta",
    .source = "Open MPI, coll/tuned",
    .needs = CHORALE_NEEDS_PAIR,
    .run = run,
    .cost = chorale_cost_in_turn,
};
