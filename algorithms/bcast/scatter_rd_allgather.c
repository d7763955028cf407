/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_rd_allgather.c - binomial scatter, then recursive doubling.
 *
 * For long vectors. If P is not a power of two, the last group of a round is
 * short. Its members send to two ranks each, which forward the blocks within
 * their group.
 *
 * Rounds  2 L, L = ceil(lg P); else <= 3 L    P = comm_size, n = bytes
 * Volume  about 2 (P - 1)/P n bytes from the root
 * Cost    L alpha + (n - b) beta for the scatter, b = ceil(n/P); then, for w =
 *         1, 2, 4, ... < P, a message of w blocks. If P is not a power of two,
 *         for each power w in P's binary form except the least: the time until
 *         then of the w ranks or of the last t = P mod w, whichever is longer,
 *         then two messages of w blocks together (or of 2 t, if that is more),
 *         and ceil(lg w/t) - 1 messages of t blocks. Exact for powers of two,
 *         else an upper bound. n < P: the scatter skips ranks with empty blocks
 * Needs   any P, any root, any datatype
 * Source  Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/composed/split_scatter.h"

static int spread(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                  int root, int radix)
{
    (void)radix;
    return chorale_gather_all_doubling_from(ctx, b, root);
}

static int run(const struct chorale_call *call)
{
    return chorale_bcast_scattered(call, 2, spread, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_split_scatter(pt, 2, term);

    return n + chorale_cost_gather_all_doubling(CHORALE_SIZES_SPLIT, pt,
                                                term + n);
}

const struct chorale_alg chorale_bcast_scatter_rd_allgather = {
    .coll = CHORALE_BCAST,
    .name = "scatter_rd_allgather",
    .summary = "binomial scatter, then recursive doubling",
    .formula = "2 L alpha + 2 (P-1)/P n beta, L = ceil(lg P); P not a power "
               "of two: <= 3 L alpha + (P + 4 Q)/P n beta, Q = 2^floor(lg P)",
    .source = "Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .cost_is = CHORALE_COST_POW2,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
