/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_barrier.c - alltoall by pairwise exchange with synchronised rounds.
 *
 * Synchronisation keeps rounds from overlapping on networks that would congest.
 * kind: light, before each round but the first the receiver of a block signals
 * its sender; full, a barrier before each round; once, one before the first.
 * order: the pairs of pairwise_shift or pairwise_xor.
 *
 * Rounds  P - 1, and P - 2 empty messages (light), (P - 1) ceil(lg P)
 *         (full), ceil(lg P) (once)           P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta) + alpha for each empty message, exact
 * Needs   any P, with order xor a power of two; any datatype, separate buffers
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_barriers(pt, term);

    return n + chorale_cost_in_turn(pt, term + n);
}

const struct chorale_alg chorale_alltoall_pairwise_barrier = {
    .coll = CHORALE_ALLTOALL,
    .name = "pairwise_barrier",
    .summary = "pairwise rounds that wait for each other",
    .formula = "(P-1) (alpha + n/P beta); kind=light: + (P-2) alpha; "
               "kind=full: + (P-1) ceil(lg P) alpha; kind=once: + ceil(lg P) "
               "alpha",
    .source = "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .nparam = 2,
    .param = { CHORALE_BARRIER_KIND_PARAM, CHORALE_BARRIER_ORDER_PARAM },
    .run = chorale_exchange_barriers,
    .cost = cost,
    .refuses = chorale_refuses_barriers,
    .constraint = "with order=xor P a power of two",
};
