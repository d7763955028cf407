/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_segmented.c - exscan along a chain in segments.
 *
 * A rank receives the next segment while it sends the previous result.
 *
 * Rounds  S + P - 2                           P = comm_size, n = bytes,
 * Volume  n bytes from each rank but the last S = ceil(n / segsize)
 * Cost    (S + P - 3) (alpha + s beta) + (S + P - 4) s tau + alpha + l beta
 *         + l tau, with s = segsize and l the last segment, exact. P = 2: no
 *         tau
 * Needs   any P, any datatype, any operation
 * Source  Sanders, Traeff, EuroPVM/MPI 2006
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"

static int run(const struct chorale_call *call)
{
    return chorale_prefix_chain(call, call->param[0], 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_prefix_chain_cost(pt, pt->param[0], 0, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_prefix_chain_scratch(pt, pt->param[0], 0);
}

const struct chorale_alg chorale_exscan_linear_segmented = {
    .coll = CHORALE_EXSCAN,
    .name = "linear_segmented",
    .summary = "a chain in segments that overlap",
    .formula = "(S + P-3) (alpha + s beta) + alpha + l beta, l = n - (S-1) s; "
               "P > 2: + ((S + P-4) s + l) tau",
    .source = "Sanders, Traeff, EuroPVM/MPI 2006",
    .order = CHORALE_ORDER_RANK,
    .nparam = 1,
    .param = { CHORALE_PREFIX_SEGSIZE_PARAM },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
