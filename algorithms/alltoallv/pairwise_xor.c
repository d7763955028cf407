/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_xor.c - alltoallv by pairwise exchange.
 *
 * In round i pairs of ranks that differ by xor i exchange their blocks. empty:
 * empty blocks are skipped, or sent, which keeps the ranks in step.
 *
 * Rounds  P - 1                               P = comm_size, M = the largest
 * Volume  as given by the call; empty blocks: see empty            block
 * Cost    at most (P - 1) (alpha + M beta)
 * Needs   P a power of two, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_exchange_xor_with(call, call->param[0] != 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_exchange_v_with(pt, pt->param[0] != 0, term);
}

const struct chorale_alg chorale_alltoallv_pairwise_xor = {
    .coll = CHORALE_ALLTOALLV,
    .name = "pairwise_xor",
    .summary = "in round i ranks that differ by xor i exchange",
    .formula = "<= (P-1) (alpha + M beta), M the largest block",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_POW2 | CHORALE_NEEDS_SEPARATE,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.7,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_EMPTY_PARAM },
    .run = run,
    .cost = cost,
};
