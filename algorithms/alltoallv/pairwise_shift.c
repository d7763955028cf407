/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_shift.c - alltoallv by shifts.
 *
 * In round i each rank sends to the rank i above it and receives from the rank
 * i below it. empty: empty blocks are skipped, or sent, which keeps the ranks
 * in step.
 *
 * Rounds  P - 1                               P = comm_size
 * Volume  as given by the call; empty blocks: see empty
 * Cost    at most (P - 1) (alpha + M beta), M the largest block. On the ramp
 *         exact: a block of the path from rank i to j is followed by one whose
 *         i + j differs by 1, except after round (P - 1)/2, so that blocks of
 *         the path alternate between the largest and the second largest.
 * Needs   any P, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_exchange_shift_with(call, call->param[0] != 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size, half = (p - 1) / 2;
    size_t m = pt->msg_size;
    double largest = p % 2 == 0 ? p / 2 : half + half % 2;

    if (p < 2 || (m == 0 && pt->param[0] == 0))
        return 0;
    term[0] = (struct chorale_term){
        .messages = largest,
        .bytes = (double)chorale_ramp(m, pt->type_size, p, p - 1),
    };
    term[1] = (struct chorale_term){
        .messages = p - 1 - largest,
        .bytes = (double)chorale_ramp(m, pt->type_size, p, p - 2),
    };
    return p > 2 ? 2 : 1;
}

const struct chorale_alg chorale_alltoallv_pairwise_shift = {
    .coll = CHORALE_ALLTOALLV,
    .name = "pairwise_shift",
    .summary = "in round i to the rank i above, from the rank i below",
    .formula = "<= (P-1) (alpha + M beta), M the largest block",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_EXCHANGE_EMPTY_PARAM },
    .run = run,
    .cost = cost,
};
