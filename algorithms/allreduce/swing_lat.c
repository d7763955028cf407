/* SPDX-License-Identifier: BSD-3-Clause */
/* swing_lat.c - recursive doubling at the distances of Swing.
 *
 * Partners are at distance 1, -1, 3, -5, 11, ...: even ranks pair to the right,
 * odd ones to the left. On a ring or torus fewer messages share a link. If P is
 * not a power of two, neighbours fold first.
 *
 * From 8 ranks on, ranks combine in different orders, for example (01)(67)
 * (23)(45) and (01)(23) (45)(67). Floating-point sums may therefore differ in
 * their bits between ranks: the variant may be measured but not chosen.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = bytes,
 * Volume  F n bytes, folded (F + 1) n, from   Q = largest 2^F <= P
 *         the busiest rank
 * Cost    F (alpha + n beta + n tau); folded: + 2 (alpha + n beta) + n tau;
 *         exact
 * Needs   any P, any datatype; a commutative operation
 * Source  De Sensi et al., Swing, arXiv 2401.09356
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/exchange.h"
#include "algorithms/engines/reduction/fold.h"

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, 2, chorale_exchange_swing);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_exchange_cost(pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_exchange_scratch(pt, 2);
}

const struct chorale_alg chorale_allreduce_swing_lat = {
    .coll = CHORALE_ALLREDUCE,
    .name = "swing_lat",
    .summary = "exchanges at Swing's distances 1, -1, 3, -5, ...; "
               "neighbours fold",
    .formula = "F (alpha + n beta + n tau), F = floor(lg P); P not a power "
               "of two: + 2 (alpha + n beta) + n tau",
    .source = "De Sensi et al., Swing, arXiv 2401.09356",
    .unselectable = "ranks may end with different bits",
    .bits_differ = 1,
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .copies = { 0, 2 }, /* the result may end in scratch, to keep the order */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
