/* SPDX-License-Identifier: BSD-3-Clause */
/* knomial.c - k-nomial-tree broadcast, largest subtree first.
 *
 * The vector is sent whole or in segments.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  c (S - 1) + steps, c: children of the root, steps <= (radix - 1)
 *         ceil(log_radix P)
 * Volume  (P - 1) n bytes in total, c n from the root
 * Cost    (c (S - 1) + steps) (alpha + s beta), exact: a short last segment
 *         counts with its own size
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KNOMIAL_LARGE,
        .radix = param[0],
        .segsize = param[1],
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_knomial = {
    .coll = CHORALE_BCAST,
    .name = "knomial",
    .summary = "k-nomial tree, largest subtree first",
    .formula = "<= S (k-1) ceil(log_k P) (alpha + s beta), k = min(radix, P)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "a radix beyond P is P",
    .core = CHORALE_CORE_ANY,
    .nparam = 2,
    .param = { CHORALE_PARAM_RADIX(4),
               CHORALE_PARAM_SEGSIZE(0) },
    .run = run,
    .cost = cost,
};
