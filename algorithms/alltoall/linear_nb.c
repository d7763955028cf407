/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat alltoall with all receives posted first.
 *
 * Every rank then sends to all other ranks; after every max_reqs-th send it
 * waits for those sent.
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
#include "algorithms/engines/rooted/flat.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    return chorale_exchange_linear(call, call->param[0]);
}

const struct chorale_alg chorale_alltoall_linear_nb = {
    .coll = CHORALE_ALLTOALL,
    .name = "linear_nb",
    .summary = "all receives are posted, then all sends",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .needs = CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_MAX_REQS(0, chorale_max_reqs) },
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_linear,
};
