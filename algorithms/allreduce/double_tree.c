/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.c - reduction up two trees to rank 0, then broadcast down them.
 *
 * All ranks get the bits of rank 0.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/2s)
 *
 * Rounds  4 (floor(lg(P - 1)) + S)
 * Volume  2 (P - 1) n bytes in total, 2 n from each rank at most
 * Cost    at most 2 (floor(lg(P - 1)) + S) (2 alpha + 2 s beta + s tau)
 * Needs   any P, any datatype, a commutative operation. segsize 0: S = 1
 * Source  Sanders, Speck, Traeff, Parallel Computing 35, 2009
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/reduction/reduce_then_bcast.h"

static int run(const struct chorale_call *call)
{
    return chorale_reduce_then_bcast_alike(call, &chorale_reduce_double_tree,
                                           &chorale_bcast_double_tree);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_reduce_then_bcast_alike_cost(
        pt, &chorale_reduce_double_tree, &chorale_bcast_double_tree, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_alike_scratch(
        pt, &chorale_reduce_double_tree, &chorale_bcast_double_tree);
}

const struct chorale_alg chorale_allreduce_double_tree = {
    .coll = CHORALE_ALLREDUCE,
    .name = "double_tree",
    .summary = "up two trees that use all ports, then down them",
    .formula = "<= 2 (floor(lg(P-1)) + S) (2 alpha + 2 s beta + s tau), S = "
               "ceil(n/(2 s))",
    .source = "Sanders, Speck, Traeff, Parallel Computing 35, 2009",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.34,
    .within_default = 1.27,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE_BY(8192, CHORALE_BY_HALVES |
                                                  CHORALE_BY_FULL) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
