/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant_pipelined.c - reduction to rank 0 and broadcast of S blocks.
 *
 * Both run on a circulant graph in the fewest rounds.
 *
 * Rounds  2 (S + L - 1), L = ceil(lg P)       P = comm_size, n = bytes,
 * Volume  2 n bytes from each rank            S = nblocks
 * Cost    <= (S + L - 1) (2 (alpha + b beta) + b tau), b the largest block
 * Needs   any P, any datatype; a commutative operation
 * Source  Traeff, arXiv 2312.11236, 2407.18004
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/circulant.h"
#include "algorithms/engines/reduction/reduce_then_bcast.h"

static int run(const struct chorale_call *call)
{
    return chorale_reduce_then_bcast_alike(call, &chorale_reduce_circulant,
                                           &chorale_bcast_circulant);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_reduce_then_bcast_alike_cost(
        pt, &chorale_reduce_circulant, &chorale_bcast_circulant, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_alike_scratch(
        pt, &chorale_reduce_circulant, &chorale_bcast_circulant);
}

const struct chorale_alg chorale_allreduce_circulant_pipelined = {
    .coll = CHORALE_ALLREDUCE,
    .name = "circulant_pipelined",
    .summary = "reduce, then bcast of blocks on the circulant graph",
    .formula = "<= (S + ceil(lg P) - 1) (2 alpha + n/S (2 beta + tau)), "
               "S = nblocks",
    .source = "Traeff, arXiv 2312.11236, 2407.18004",
    .fallback = "no more blocks than elements",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1.01,
    .nparam = 1,
    .param = { CHORALE_CIRCULANT_NBLOCKS("blocks") },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
