/* SPDX-License-Identifier: BSD-3-Clause */
/* chain.c - reduction in segments up several chains of ranks.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  fanout (S - 1) + steps, steps = fanout + ceil((P - 1)/fanout) - 1 at
 *         most
 * Volume  (P - 1) n bytes in total, n from each rank; the root reduces fanout n
 * Cost    (fanout (S - 1) + steps) (alpha + s beta + s tau), exact: a short
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
        .shape = CHORALE_CHAIN,
        .radix = param[0],
        .segsize = param[1],
        .max_reqs = param[2],
    };
}

CHORALE_FLOW_REDUCE(flow)

const struct chorale_alg chorale_reduce_chain = {
    .coll = CHORALE_REDUCE,
    .name = "chain",
    .summary = "segments flow up several chains",
    .formula = "<= (c S + ceil((P-1)/c) - 1) (alpha + s beta + s tau), c = "
               "min(fanout, P-1)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "a fanout beyond P - 1 is P - 1",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 3,
    .param = { CHORALE_PARAM_FANOUT,
               CHORALE_PARAM_SEGSIZE(8192),
               CHORALE_PARAM_LEAF_REQS },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
