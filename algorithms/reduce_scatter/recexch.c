/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - reduce-scatter by recursive exchange with radix k.
 *
 * Groups of k ranks at distance K/k, K/k^2, ... exchange their parts of the
 * remaining blocks. If P is not a power of k, the last rank of each run of up
 * to k works for the whole run.
 *
 * Rounds  (k - 1) q messages, K = k^q <= P    P = comm_size, n = sum of m_i
 *         M = the largest m_i
 * Volume  at most n bytes from each rank for P = K
 * Cost    at most (k - 1) (alpha + part (beta + tau)) a round with its largest
 *         part; folded, with r = ceil(P/K) - 1: + r (alpha + n beta + n tau)
 *         and r (alpha + M beta)
 * Needs   any P, any datatype, a commutative operation; k at most P
 * Source  Sack, Gropp, PPoPP 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_recexch(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_recexch_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_recexch = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "recexch",
    .summary = "groups of radix ranks exchange parts of the remaining blocks",
    .formula = "<= ((k-1) q + 2 e) alpha + e (n + M) beta + e n tau + (K-1) "
               "(e+1) M (beta + tau), k = min(radix, P), q = floor(log_k P), "
               "K = k^q, e = ceil(P/K) - 1, M the largest block",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P is P",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.33,
    .nparam = 1,
    .param = { CHORALE_RS_RECEXCH_PARAM },
    .run = chorale_rs_recexch_run,
    .cost = cost,
    .scratch = scratch,
};
