/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat gatherv with several receives in flight.
 *
 * The root waits for all receives after every max_reqs-th one and at the end.
 * max_reqs 0 or 1: no limit. Empty blocks are not sent.
 *
 * Rounds  P - 1, less one for each empty block
 * Volume  n - m_root bytes, all into the root
 * Cost    (P - 1) alpha + (n - m_root) beta: exact if a rank receives one
 *         message at a time. If messages in flight overlap it is an upper
 *         bound: a batch then takes alpha once, ceil((P - 1)/max_reqs) alpha in
 *         total.
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_gatherv(call, call->param[0]);
}

const struct chorale_alg chorale_gatherv_linear_nb = {
    .coll = CHORALE_GATHERV,
    .name = "linear_nb",
    .summary = "the root receives from every rank, several at a time",
    .formula = "<= (P-1) alpha + (n - m_root) beta, less a message for every "
               "empty block",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "max_reqs 1 is no limit, as 0",
    .nparam = 1,
    .param = { CHORALE_PARAM_MAX_REQS("receives") },
    .core = CHORALE_CORE_ANY,
    .overlaps = 1,
    .run = run,
    .cost = chorale_cost_flat_v,
    .scratch = chorale_scratch_flat_receives,
};
