/* SPDX-License-Identifier: BSD-3-Clause */
/* binary.c - broadcast in segments down a complete binary tree.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  2 (S - 1) + steps, steps = 2 H at most, H = floor(lg P)
 * Volume  (P - 1) n bytes in total, 2 n from each inner rank
 * Cost    (2 (S - 1) + steps) (alpha + s beta), exact for P > 2: steps of the
 *         last rank reached, each child in its turn; a short last segment
 *         counts with its own size
 * Needs   any P, any root, any datatype. segsize 0: S = 1
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
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_binary = {
    .coll = CHORALE_BCAST,
    .name = "binary",
    .summary = "segments flow down a complete binary tree",
    .formula = "<= 2 (floor(lg P) + S-1) (alpha + s beta)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_FLAT,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
};
