/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - broadcast in segments down one chain of all ranks.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  S + P - 2
 * Volume  (P - 1) n bytes in total, n from each rank
 * Cost    (S + P - 2) (alpha + s beta), exact: a short last segment counts with
 *         its own size
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_CHAIN,
        .radix = 1,
        .segsize = param[0],
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_pipeline = {
    .coll = CHORALE_BCAST,
    .name = "pipeline",
    .summary = "segments flow down one chain of all ranks",
    .formula = "(S + P-2) (alpha + s beta)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
};
