/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - reduce-scatter by recursive exchange with radix k.
 *
 * Groups of k ranks at distance K/k, K/k^2, ... exchange their parts of the
 * remaining blocks. If P is not a power of k, the last rank of each run of up
 * to k works for the whole run.
 *
 * Rounds  (k - 1) q messages, K = k^q <= P    P = comm_size, n = m P bytes
 * Volume  n - m bytes from each rank for P = K
 * Cost    (k - 1) q alpha + (K - 1)/K n (beta + tau) for P = K; else the
 *         rounds carry the blocks of whole runs, and with r = ceil(P/K) - 1
 *         come r (alpha + n beta + n tau) before and r (alpha + m beta) after.
 *         Exact.
 * Needs   any P, any datatype, a commutative operation; k at most P
 * Source  Sack, Gropp, PPoPP 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_recexch(pt, 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_recexch_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_recexch = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "recexch",
    .summary = "groups of radix ranks exchange parts of the remaining blocks",
    .formula = "(k-1) q alpha + (P-1)/P n (beta + tau), k = min(radix, P), q "
               "= floor(log_k P), K = k^q, e = ceil(P/K) - 1; P > K: <= "
               "((k-1) q + 2 e) alpha + (e n + e m) beta + e n tau + (K-1) "
               "(e+1) m (beta + tau)",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P is P",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_RS_RECEXCH_PARAM },
    .run = chorale_rs_recexch_run,
    .cost = cost,
    .scratch = scratch,
};
