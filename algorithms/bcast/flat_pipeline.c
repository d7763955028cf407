/* SPDX-License-Identifier: BSD-3-Clause */
/* flat_pipeline.c - flat broadcast, one segment to every rank in turn.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  (P - 1) S
 * Volume  (P - 1) n bytes, all from the root
 * Cost    (P - 1) (S alpha + n beta), exact
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  SimGrid, bcast flattree_pipeline
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_CHAIN,
        .radix = INT_MAX,
        .segsize = param[0],
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_flat_pipeline = {
    .coll = CHORALE_BCAST,
    .name = "flat_pipeline",
    .summary = "the root sends every segment to each rank in turn",
    .formula = "(P-1) (S alpha + n beta)",
    .source = "SimGrid, bcast flattree_pipeline",
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
};
