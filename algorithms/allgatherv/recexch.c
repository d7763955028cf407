/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - allgatherv by recursive exchange in groups of radix ranks.
 *
 * Distances grow (order doubling) or shrink (halving). If P is not a power of
 * the radix, the other ranks first send their blocks to a neighbour in the
 * core. They receive all blocks from it at the end. A radix above P acts as P.
 *
 * Rounds  (k - 1) q; folded + 2 e             P = comm_size, k = radix,
 * Volume  about n bytes from each rank        K = k^q <= P, n = sum of m_i
 * Cost    in each of q phases k - 1 messages with the blocks of the largest
 *         group; folded: before e (alpha + m_i beta), after e (alpha + n beta),
 *         e = ceil(P/K) - 1 ranks to one. With unequal blocks an upper bound
 * Needs   any P, any datatype, displacements in any order; n bytes of scratch
 *         with halving, so that a group's blocks are contiguous
 * Source  Sack, Gropp, PPoPP 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_recexch(CHORALE_SIZES_RAMP, pt,
                                           (int)pt->param[0],
                                           pt->param[1] != 0, term);
}

const struct chorale_alg chorale_allgatherv_recexch = {
    .coll = CHORALE_ALLGATHERV,
    .name = "recexch",
    .summary = "exchanges in groups of radix ranks; the rest folds",
    .formula = "<= ((k-1) q + 2 e) alpha + ((K-1) (e+1) + e) M beta + e n "
               "beta, k = min(radix, P), q = floor(log_k P), K = k^q, e = "
               "ceil(P/K) - 1, M the largest block",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P is P",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.76,
    .within_default = 1.6,
    .scratch = chorale_allgather_recexch_scratch,
    .nparam = 2,
    .param = { CHORALE_RECEXCH_RADIX_PARAM, CHORALE_RECEXCH_ORDER_PARAM },
    .run = chorale_allgather_recexch_run,
    .cost = cost,
};
