/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_ring_allgather.c - binomial scatter, then a ring allgather.
 *
 * For long vectors.
 *
 * Rounds  L + P - 1, L = ceil(lg P)           P = comm_size, n = bytes
 * Volume  at most 2 (P - 1)/P n bytes from each rank, up to rounding
 * Cost    L alpha + (n - b) beta + (P - 1) (alpha + b beta), b = ceil(n/P):
 *         exact. The root is the last to leave the scatter and holds one of
 *         the largest blocks, which then makes P - 1 hops.
 * Needs   any P, any root, any datatype. Empty blocks are sent too
 * Source  Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/composed/split_scatter.h"

static int spread(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                  int root, int radix)
{
    (void)radix;
    return chorale_gather_all_ring_from(ctx, b, root);
}

static int run(const struct chorale_call *call)
{
    return chorale_bcast_scattered(call, 2, spread, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_split_scatter(pt, 2, term);

    return n + chorale_cost_gather_all_ring(CHORALE_SIZES_SPLIT, pt, term + n);
}

const struct chorale_alg chorale_bcast_scatter_ring_allgather = {
    .coll = CHORALE_BCAST,
    .name = "scatter_ring_allgather",
    .summary = "binomial scatter, then a ring allgather",
    .formula = "(ceil(lg P) + P-1) alpha + 2 (P-1)/P n beta",
    .source = "Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
