/* SPDX-License-Identifier: BSD-3-Clause */
/* chain.c - broadcast in segments down several chains of ranks.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  fanout (S - 1) + steps, steps = fanout + ceil((P - 1)/fanout) - 1 at
 *         most
 * Volume  (P - 1) n bytes in total, fanout n from the root, n from others
 * Cost    (fanout (S - 1) + steps) (alpha + s beta), exact: a short last
 *         segment counts with its own size
 * Needs   any P, any root, any datatype. segsize 0: S = 1
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
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_chain = {
    .coll = CHORALE_BCAST,
    .name = "chain",
    .summary = "segments flow down several chains",
    .formula = "<= (c S + ceil((P-1)/c) - 1) (alpha + s beta), c = "
               "min(fanout, P-1)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "a fanout beyond P - 1 is P - 1",
    .nparam = 2,
    .param = { CHORALE_PARAM_FANOUT,
               CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
};
