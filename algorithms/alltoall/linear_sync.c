/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_sync.c - flat alltoall with a sliding window.
 *
 * max_reqs receives and max_reqs sends are in flight; as soon as one completes,
 * the next of its kind is posted. max_reqs 0: all at once.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), if a rank's port serves the messages in an
 *         order that leaves no gap.
 * Needs   any P, any datatype, separate buffers
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    return chorale_exchange_window(call, call->param[0]);
}

static const long max_reqs[] = { 0, 1, 2, 4, 8, 16, 32, 64 };

const struct chorale_alg chorale_alltoall_linear_sync = {
    .coll = CHORALE_ALLTOALL,
    .name = "linear_sync",
    .summary = "a sliding window of receives and sends",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .needs = CHORALE_NEEDS_SEPARATE,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_MAX_REQS(4, max_reqs) },
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_window,
};
