/* SPDX-License-Identifier: BSD-3-Clause */
/* kary.c - reduction in segments up a complete k-ary tree.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  radix (S - 1) + steps, steps <= radix H, H the height
 * Volume  (P - 1) n bytes in total; inner ranks reduce radix n
 * Cost    (radix (S - 1) + steps) (alpha + s beta + s tau), exact for P >
 *         radix: steps from the rank farthest from the root, each child in its
 *         turn; a short last segment counts with its own size
 * Needs   any P, any root, any datatype, a commutative operation. segsize is
 *         rounded down to whole elements, at least one; 0: S = 1. With
 *         buffer_per_child a rank receives from all children at once; the cost
 *         is then an upper bound
 * Source  Worringen, LCN 2003
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KARY,
        .radix = param[0],
        .segsize = param[1],
        .each = param[2] > 0,
    };
}

CHORALE_FLOW_REDUCE(flow)

static int overlaps_at(const struct chorale_point *pt)
{
    return pt->param[2] > 0;
}

const struct chorale_alg chorale_reduce_kary = {
    .coll = CHORALE_REDUCE,
    .name = "kary",
    .summary = "segments flow up a complete k-ary tree",
    .formula = "<= k (H + S-1) (alpha + s beta + s tau), k = min(radix, P-1), "
               "H = ceil(log_radix(P (radix-1) + 1)) - 1",
    .source = "Worringen, LCN 2003",
    .fallback = "a radix beyond P - 1 is P - 1",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 3,
    .param = { CHORALE_PARAM_RADIX(4),
               CHORALE_PARAM_SEGSIZE(8192),
               {
                   .name = "buffer_per_child",
                   .unit = "1: receives from all children at once",
                   .def = 0,
                   .min = 0,
                   .max = 1,
                   .candidate = chorale_no_yes,
                   .ncandidate = 2,
               } },
    .run = run,
    .cost = cost,
    .within = 1.34,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
