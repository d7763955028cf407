/* SPDX-License-Identifier: BSD-3-Clause */
/* scattered.c - flat alltoall in batches.
 *
 * max_reqs receives and max_reqs sends are posted and waited for at a time.
 * Rank r starts with rank r + 1, so that no rank is the first partner of all
 * others. max_reqs 0: all at once.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), if a rank's port serves the messages in an
 *         order that leaves no gap.
 * Needs   any P, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"
#include "algorithms/engines/rooted/flat.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    return chorale_exchange_batches(call, call->param[0]);
}

const struct chorale_alg chorale_alltoall_scattered = {
    .coll = CHORALE_ALLTOALL,
    .name = "scattered",
    .summary = "batches of receives and sends",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_MAX_REQS(32, chorale_max_reqs) },
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_window,
};
