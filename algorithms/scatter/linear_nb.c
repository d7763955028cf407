/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat scatter with several sends in flight.
 *
 * Every max_reqs-th send blocks; the root waits for the other sends at the end.
 * max_reqs 0 or 1: no send blocks.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (alpha + m beta): exact if a rank sends one message at a
 *         time. If messages in flight overlap it is an upper bound.
 * Needs   any P, any root, any datatype
 * Source  Open MPI, coll/base, scatter linear_nb
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_scatter(call, call->param[0]);
}

const struct chorale_alg chorale_scatter_linear_nb = {
    .coll = CHORALE_SCATTER,
    .name = "linear_nb",
    .summary = "the root sends every rank its block without waiting",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Open MPI, coll/base, scatter linear_nb",
    .fallback = "max_reqs 1: no send blocks, as with 0",
    .nparam = 1,
    .param = { CHORALE_PARAM_SEND_REQS },
    .core = CHORALE_CORE_ANY,
    .overlaps = 1,
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_flat_sends,
};
