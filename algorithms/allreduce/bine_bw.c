/* SPDX-License-Identifier: BSD-3-Clause */
/* bine_bw.c - allreduce by a Bine butterfly with decreasing distances.
 *
 * For long vectors: a reduce-scatter with partners at distance ..., 11, -5, 3,
 * -1, 1, then an allgather in reverse order. If P is not a power of two,
 * neighbours fold first.
 *
 * Rounds  2 F, folded 2 F + 2                 P = comm_size, n = bytes,
 * Volume  2 (Q - 1)/Q n bytes from a rank     Q = largest 2^F <= P
 *         of the core
 * Cost    <= 2 F alpha + (Q - 1)/Q n (2 beta + tau); folded: + 2 (alpha + n
 *         beta) + n tau. Exact for parts of equal size. Copies of blocks that
 *         are not contiguous are not modelled
 * Needs   any P, any datatype; a commutative operation
 * Source  De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/swing.h"

static int run(const struct chorale_call *call)
{
    return chorale_swing_allreduce(call, 0);
}

const struct chorale_alg chorale_allreduce_bine_bw = {
    .coll = CHORALE_ALLREDUCE,
    .name = "bine_bw",
    .summary = "reduce-scatter and allgather on a Bine butterfly; neighbours "
               "fold",
    .formula = "<= 2 F alpha + (Q-1)/Q n (2 beta + tau), F = floor(lg P), Q = "
               "2^F; P not a power of two: + 2 (alpha + n beta) + n tau",
    .source = "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .copies = { 0, 3.25 }, /* blocks that lie apart travel together */
    .run = run,
    .cost = chorale_swing_cost,
    .scratch = chorale_swing_scratch,
};
