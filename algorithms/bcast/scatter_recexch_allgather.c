/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_recexch_allgather.c - k-nomial scatter, then recursive exchange.
 *
 * For long vectors; scatter and exchange each have their own radix.
 *
 * Rounds  <= (k1 - 1) ceil(log_k1 P) +        P = comm_size, n = bytes,
 *         (k2 - 1) q; folded + 2 e            k1 = scatter_radix,
 * Volume  about 2 n bytes from the root       k2 = gather_radix,
 * Cost    A alpha + (n - b) beta for the      K = k2^q <= P, b = ceil(n/P)
 *         A messages of the scatter's root, then for w = 1, k2, ..., K/k2
 *         k2 - 1 messages of the largest w places' blocks; folded: before
 *         that e messages of a block, after it e of n bytes,
 *         e = ceil(P/K) - 1. Exact
 * Needs   any P, any root, any datatype. A radix above P acts as P
 * Source  Sack, Gropp, PPoPP 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/composed/split_scatter.h"

#include <limits.h>

static int spread(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                  int root, int radix)
{
    return chorale_gather_all_recexch_from(ctx, b, radix, 0, root);
}

static int run(const struct chorale_call *call)
{
    return chorale_bcast_scattered(call, call->param[0], spread,
                                   (int)call->param[1]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_split_scatter(pt, pt->param[0], term);

    return n + chorale_cost_gather_all_recexch(CHORALE_SIZES_SPLIT, pt,
                                               (int)pt->param[1], 0,
                                               term + n);
}

const struct chorale_alg chorale_bcast_scatter_recexch_allgather = {
    .coll = CHORALE_BCAST,
    .name = "scatter_recexch_allgather",
    .summary = "k-nomial scatter, then exchanges in groups of radix ranks",
    .formula = "<= ((a-1) ceil(log_a P) + (k-1) q + 2 e) alpha + (P-1 + (K-1) "
               "(e+1) + e) n/P beta + e n beta, a = scatter_radix, k = "
               "min(gather_radix, P), q = floor(log_k P), K = k^q, e = "
               "ceil(P/K) - 1",
    .source = "Sack, Gropp, PPoPP 2012",
    .fallback = "a radix beyond P is P",
    .nparam = 2,
    .param = { CHORALE_PARAM_WAYS("scatter_radix",
                                  "digits of the scatter's tree", 2, 2,
                                  CHORALE_BY_FULL),
               CHORALE_PARAM_WAYS("gather_radix", "ranks in a group", 2,
                                  2, CHORALE_BY_FULL) },
    .run = run,
    .cost = cost,
};
