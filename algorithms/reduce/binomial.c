/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree reduction, nearest child first, whole or in
 * segments. It is what other variants are made of: without parameters it
 * reduces the whole vector at once.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s), L = ceil(lg P)
 *
 * Rounds  L S
 * Volume  (P - 1) n bytes in all; the root reduces L n
 * Cost    L S (alpha + s beta + s tau), exact for every P; a short last
 *         segment is counted as it is. With an operation that does not
 *         commute the tree runs on true ranks, so that each subtree is a
 *         range of ranks to the right of its parent, and rank 0 passes the
 *         result on: alpha + n beta more, unless it is the root
 * Needs   any P, any root, any datatype, any operation. segsize is cut to
 *         whole elements, at least one; 0: S = 1
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){ CHORALE_KNOMIAL, 2, param ? *param : 0 };
}

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param);

    return chorale_flow_reduce(call, &f, call->commutative ? call->root : 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_reduce_cost(pt, &f, pt->commutative ? pt->root : 0,
                                    term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_reduce_scratch(pt, &f, pt->commutative ? pt->root : 0);
}

const struct chorale_alg chorale_reduce_binomial = {
    .coll = CHORALE_REDUCE,
    .name = "binomial",
    .summary = "binomial tree; keeps rank order for operations that need it",
    .formula = "S ceil(lg P) (alpha + s beta + s tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .core = 1,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(0) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
