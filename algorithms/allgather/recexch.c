/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - allgather by recursive exchange in groups of radix ranks.
 *
 * Distances grow (order doubling) or shrink (halving). If P is not a power of
 * the radix, the other ranks first send their blocks to a neighbour in the
 * core. They receive all blocks from it at the end. A radix above P acts as P.
 *
 * Rounds  (k - 1) q; folded + 2 e             P = comm_size, k = radix,
 * Volume  about n bytes from each rank        K = k^q <= P, n = m P
 * Cost    in each of q phases k - 1 messages with the blocks of the largest
 *         group; folded: before e (alpha + m beta), after e (alpha + n beta),
 *         e = ceil(P/K) - 1 ranks to one. Exact
 * Needs   any P, any datatype; n bytes of scratch with halving, so that a
 *         group's blocks are contiguous
 * Source  Sack, Gropp, PPoPP 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_recexch(CHORALE_SIZES_EQUAL, pt,
                                           (int)pt->param[0],
                                           pt->param[1] != 0, term);
}

const struct chorale_alg chorale_allgather_recexch = {
    .coll = CHORALE_ALLGATHER,
    .name = "recexch",
    .summary = "exchanges in groups of radix ranks; the rest folds",
    .formula = "(k-1) q alpha + (P-1)/P n beta, k = min(radix, P), q = "
               "floor(log_k P), K = k^q, e = ceil(P/K) - 1; P > K: <= ((k-1) "
               "q + 2 e) alpha + ((K-1) (e+1) + e) m beta + e n beta",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P is P",
    .scratch = chorale_allgather_recexch_scratch,
    .nparam = 2,
    .param = { CHORALE_RECEXCH_RADIX_PARAM, CHORALE_RECEXCH_ORDER_PARAM },
    .run = chorale_allgather_recexch_run,
    .cost = cost,
};
