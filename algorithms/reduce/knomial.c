/* SPDX-License-Identifier: BSD-3-Clause */
/* knomial.c - k-nomial-tree reduction, whole or in segments.
 *
 * The smallest subtree comes first, or the nearest child if the operation does
 * not commute.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  c (S - 1) + steps, c: children of the root, steps <= (radix - 1)
 *         ceil(log_radix P)
 * Volume  (P - 1) n bytes in total; the root reduces c n
 * Cost    (c (S - 1) + steps) (alpha + s beta + s tau), exact: a short last
 *         segment counts with its own size. If the operation does not commute,
 *         the tree is rooted at rank 0, which then forwards the result: alpha +
 *         n beta more, unless it is the root
 * Needs   any P, any root, any datatype, any operation. segsize is rounded down
 *         to whole elements, at least one; 0: S = 1
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param, int commutative)
{
    return (struct chorale_flow){
        .shape = commutative ? CHORALE_KNOMIAL_LARGE : CHORALE_KNOMIAL,
        .radix = param[0],
        .segsize = param[1],
    };
}

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param, call->commutative);

    return chorale_flow_reduce(call, &f, call->commutative ? call->root : 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_flow f = flow(pt->param, pt->commutative);

    return chorale_flow_reduce_cost(pt, &f, pt->commutative ? pt->root : 0,
                                    term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_flow f = flow(pt->param, pt->commutative);

    return chorale_flow_reduce_scratch(pt, &f,
                                       pt->commutative ? pt->root : 0);
}

static enum chorale_order order_at(const struct chorale_point *pt)
{
    return pt->commutative ? CHORALE_ORDER_FIXED : CHORALE_ORDER_RANK;
}

const struct chorale_alg chorale_reduce_knomial = {
    .coll = CHORALE_REDUCE,
    .name = "knomial",
    .summary = "k-nomial tree; keeps rank order for operations that need it",
    .formula = "<= S (k-1) ceil(log_k P) (alpha + s beta + s tau), k = "
               "min(radix, P)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .fallback = "roots other than 0 with an operation that does not commute: "
                "rank 0 forwards the result; a radix beyond P is P",
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .nparam = 2,
    .param = { CHORALE_PARAM_RADIX(4),
               CHORALE_PARAM_SEGSIZE(0) },
    .run = run,
    .cost = cost,
    .order_at = order_at,
    .scratch = scratch,
};
