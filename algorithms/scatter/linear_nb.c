/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat scatter with several sends in flight: the root waits for
 * all of them after every max_reqs-th send and at the end. max_reqs 0 or 1:
 * no limit.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (alpha + m beta): exact where a rank sends one
 *         message at a time. Where messages in flight overlap it is a bound:
 *         a batch then pays alpha once, ceil((P - 1)/max_reqs) alpha in all.
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_scatter(call, call->param[0]);
}

const struct chorale_alg chorale_scatter_linear_nb = {
    .coll = CHORALE_SCATTER,
    .name = "linear_nb",
    .summary = "the root sends every rank its block, several at a time",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .nparam = 1,
    .param = { CHORALE_PARAM_MAX_REQS("sends") },
    .core = 1,
    .overlaps = 1,
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_flat,
};
