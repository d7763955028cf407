/* SPDX-License-Identifier: BSD-3-Clause */
/* binary.c - reduction in segments up a complete binary tree.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  2 (S - 1) + steps, steps = 2 H at most, H = floor(lg P)
 * Volume  (P - 1) n bytes in total; inner ranks reduce 2 n
 * Cost    (2 (S - 1) + steps) (alpha + s beta + s tau), exact for P > 2: steps
 *         from the rank farthest from the root, each child in its turn; a short
 *         last segment counts with its own size
 * Needs   any P, any root, any datatype, a commutative operation. segsize is
 *         rounded down to whole elements, at least one; 0: S = 1. An inner rank
 *         has one segment in flight upwards; max_reqs limits a leaf's segments
 *         that its parent has not begun to receive
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KARY,
        .radix = 2,
        .segsize = param[0],
        .max_reqs = param[1],
    };
}

CHORALE_FLOW_REDUCE(flow)

const struct chorale_alg chorale_reduce_binary = {
    .coll = CHORALE_REDUCE,
    .name = "binary",
    .summary = "segments flow up a complete binary tree",
    .formula = "<= 2 (floor(lg P) + S-1) (alpha + s beta + s tau)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_FLAT,
    .nparam = 2,
    .param = { CHORALE_PARAM_SEGSIZE(8192),
               CHORALE_PARAM_LEAF_REQS },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
