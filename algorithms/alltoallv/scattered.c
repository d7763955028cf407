/* SPDX-License-Identifier: BSD-3-Clause */
/* scattered.c - flat alltoallv in batches.
 *
 * max_reqs receives and max_reqs sends are posted and waited for at a time.
 * Rank r starts with rank r + 1, so that no rank is the first partner of all
 * others. max_reqs 0: all at once.
 *
 * Rounds  P - 1                               P = comm_size, M = the largest
 * Volume  as given by the call; empty blocks are not sent          block
 * Cost    (P - 1) (4/3 alpha + 9/8 M beta), an upper bound for the ramp: a port
 *         serves messages in any order, and may also wait for small ones. With
 *         few messages in flight the bound on messages is reached, and 17/16 of
 *         the bytes, less small ones
 * Needs   any P, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"
#include "algorithms/engines/rooted/flat.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    return chorale_exchange_batches(call, call->param[0]);
}

const struct chorale_alg chorale_alltoallv_scattered = {
    .coll = CHORALE_ALLTOALLV,
    .name = "scattered",
    .summary = "batches of receives and sends",
    .formula = "<= (P-1) (4/3 alpha + 9/8 M beta), M the largest block",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.69,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_MAX_REQS(32, chorale_max_reqs) },
    .run = run,
    .cost = chorale_cost_in_flight_v,
    .scratch = chorale_scratch_window,
};
