/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - reduction in segments up one chain of all ranks.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  S + P - 2
 * Volume  (P - 1) n bytes in total; each rank but the last reduces n
 * Cost    (S + P - 2) (alpha + s beta + s tau), exact: a short last segment
 *         counts with its own size
 * Needs   any P, any root, any datatype, a commutative operation. segsize is
 *         rounded down to whole elements, at least one; 0: S = 1. An inner rank
 *         has one segment in flight upwards; max_reqs limits a leaf's segments
 *         that its parent has not begun to receive
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007; Worringen, LCN
 *         2003
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_CHAIN,
        .radix = 1,
        .segsize = param[0],
        .max_reqs = param[1],
    };
}

CHORALE_FLOW_REDUCE(flow)

const struct chorale_alg chorale_reduce_pipeline = {
    .coll = CHORALE_REDUCE,
    .name = "pipeline",
    .summary = "segments flow up one chain of all ranks",
    .formula = "(S + P-2) (alpha + s beta + s tau)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007; "
              "Worringen, LCN 2003",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .nparam = 2,
    .param = { CHORALE_PARAM_SEGSIZE(8192),
               CHORALE_PARAM_LEAF_REQS },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
