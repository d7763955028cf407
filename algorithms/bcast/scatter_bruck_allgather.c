/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_bruck_allgather.c - binomial scatter, then Bruck's allgather.
 *
 * For long vectors and any P, not only powers of two.
 *
 * Rounds  2 L, L = ceil(lg P)                 P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from the root
 * Cost    2 L alpha + 2 (n - b) beta, b = ceil(n/P): exact, except for blocks
 *         that differ by a byte
 * Needs   any P, any root, any datatype; n bytes of scratch
 * Source  Barnett et al., 1994; Bruck et al., IEEE TPDS 8(11), 1997
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/composed/split_scatter.h"

static int spread(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                  int root, int radix)
{
    return chorale_gather_all_bruck_from(ctx, b, radix, root);
}

static int run(const struct chorale_call *call)
{
    return chorale_bcast_scattered(call, 2, spread, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_split_scatter(pt, 2, term);

    return n + chorale_cost_gather_all_bruck(CHORALE_SIZES_SPLIT, pt, 2,
                                             term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->msg_size;
}

const struct chorale_alg chorale_bcast_scatter_bruck_allgather = {
    .coll = CHORALE_BCAST,
    .name = "scatter_bruck_allgather",
    .summary = "binomial scatter, then Bruck's allgather",
    .formula = "2 ceil(lg P) alpha + 2 (P-1)/P n beta",
    .source = "Barnett et al., 1994; Bruck et al., IEEE TPDS 8(11), 1997",
    .scratch = scratch,
    .copies = { 0, 1 }, /* rotates the whole */
    .run = run,
    .cost = cost,
};
