/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_barrier.c - alltoallv by pairwise exchange with synchronised rounds.
 *
 * Synchronisation keeps rounds from overlapping on networks that would congest.
 * kind: light, before each round but the first the receiver of a block signals
 * its sender; full, a barrier before each round; once, one before the first.
 * order: the pairs of pairwise_shift or pairwise_xor. empty: as in
 * pairwise_shift.
 *
 * Rounds  P - 1, and P - 2 empty messages (light), (P - 1) ceil(lg P)
 *         (full), ceil(lg P) (once)           P = comm_size, M = the largest
 * Volume  as given by the call; empty blocks: see empty            block
 * Cost    at most (P - 1) (alpha + M beta) + alpha for each empty message
 * Needs   any P, with order xor a power of two; any datatype, separate buffers
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_barriers(pt, term);

    return n + chorale_cost_exchange_v_with(pt, pt->param[2] != 0, term + n);
}

const struct chorale_alg chorale_alltoallv_pairwise_barrier = {
    .coll = CHORALE_ALLTOALLV,
    .name = "pairwise_barrier",
    .summary = "pairwise rounds that wait for each other",
    .formula = "<= (P-1) (alpha + M beta), M the largest block; kind=light: + "
               "(P-2) alpha; kind=full: + (P-1) ceil(lg P) alpha; kind=once: "
               "+ ceil(lg P) alpha",
    .source = "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.63,
    .within_default = 1.13,
    .nparam = 3,
    .param = { CHORALE_BARRIER_KIND_PARAM, CHORALE_BARRIER_ORDER_PARAM,
               CHORALE_EXCHANGE_EMPTY_PARAM },
    .run = chorale_exchange_barriers,
    .cost = cost,
    .refuses = chorale_refuses_barriers,
    .constraint = "with order=xor P a power of two",
};
