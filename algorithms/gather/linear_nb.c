/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat gather with several receives in flight.
 *
 * The root waits for all receives after every max_reqs-th one and at the end.
 * max_reqs 0 or 1: no limit.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all into the root
 * Cost    (P - 1) (alpha + m beta): exact if a rank receives one message at a
 *         time. If messages in flight overlap it is an upper bound: a batch
 *         then takes alpha once, ceil((P - 1)/max_reqs) alpha in total.
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_gather(call, call->param[0]);
}

const struct chorale_alg chorale_gather_linear_nb = {
    .coll = CHORALE_GATHER,
    .name = "linear_nb",
    .summary = "the root receives from every rank, several at a time",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "max_reqs 1 is no limit, as 0",
    .nparam = 1,
    .param = { CHORALE_PARAM_MAX_REQS("receives") },
    .overlaps = 1,
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_flat_receives,
};
