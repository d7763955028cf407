/* SPDX-License-Identifier: BSD-3-Clause */
/* k_reduce_scatter_allgather.c - Rabenseifner's algorithm with a radix.
 *
 * In each round of the reduce-scatter, groups of radix ranks exchange their
 * parts of the remaining vector, one after the other; the allgather runs in
 * reverse. If P is not a power of the radix, runs of neighbours first fold onto
 * their last rank.
 *
 * Rounds  2 (radix - 1) q, folded + 2 e       P = comm_size, n = bytes,
 * Volume  2 (K - 1)/K n bytes from a rank     K = largest radix^q <= P,
 *         of the core, folded up to + e n     e = ceil(P/K) - 1
 * Cost    2 (radix - 1) q alpha + (K - 1)/K n (2 beta + tau); folded: + e (2
 *         (alpha + n beta) + n tau); exact, with parts of whole elements
 * Needs   any P, any datatype; a commutative operation
 * Source  Sack, Gropp, PPoPP 2012; MPICH
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/radix.h"

static int core(const struct chorale_call *call)
{
    int k = (int)call->param[0];

    return chorale_halves_run(call, CHORALE_WAY_EXCHANGE, k,
                              CHORALE_WAY_EXCHANGE, k);
}

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, (int)call->param[0], core);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int k = (int)pt->param[0];
    int parts = chorale_power_below(pt->comm_size, k, NULL);
    int n = chorale_fold_cost(pt, k, term, 0);

    n = chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, k, parts, 1, term, n);
    return chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, k, parts, 0, term, n);
}

static size_t scratch(const struct chorale_point *pt)
{
    int k = (int)pt->param[0];
    size_t passing, stays = chorale_fold_scratch(pt, k, &passing);

    stays += chorale_halves_scratch(
        pt, CHORALE_WAY_EXCHANGE, k, CHORALE_WAY_EXCHANGE,
        chorale_power_below(pt->comm_size, k, NULL));
    return passing > stays ? passing : stays;
}

const struct chorale_alg chorale_allreduce_k_reduce_scatter_allgather = {
    .coll = CHORALE_ALLREDUCE,
    .name = "k_reduce_scatter_allgather",
    .summary = "reduce-scatter and allgather in groups of radix ranks; "
               "neighbours fold",
    .formula = "2 (k-1) q alpha + (K-1)/K n (2 beta + tau) + e (2 alpha + 2 n "
               "beta + n tau), k = radix, q = floor(log_k P), K = k^q, e = "
               "ceil(P/K) - 1",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P: all ranks fold onto one, without an "
                "exchange",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_PARAM_RADIX(4) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
