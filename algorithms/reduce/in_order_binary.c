/* SPDX-License-Identifier: BSD-3-Clause */
/* in_order_binary.c - reduction in segments up a binary tree in rank order.
 *
 * The last rank is the tree's root. Every subtree is a range of ranks with its
 * root at the end: lower half op upper half op own.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  2 (S - 1) + steps, steps = 2 H at most, H = floor(lg P)
 * Volume  (P - 1) n bytes in total, n more if the root is not the last rank;
 *         inner ranks reduce 2 n
 * Cost    (2 (S - 1) + steps) (alpha + s beta + s tau) for P > 2, and alpha + n
 *         beta more if the root is not the last rank: exact; a short last
 *         segment counts with its own size
 * Needs   any P, any root, any datatype, any operation. segsize is rounded down
 *         to whole elements, at least one; 0: S = 1. If the last rank is not
 *         the root, it needs scratch for the whole result
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_IN_ORDER,
        .radix = 2,
        .segsize = param[0],
    };
}

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param);

    return chorale_flow_reduce(call, &f, call->ctx->size - 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_reduce_cost(pt, &f, pt->comm_size - 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_reduce_scratch(pt, &f, pt->comm_size - 1);
}

const struct chorale_alg chorale_reduce_in_order_binary = {
    .coll = CHORALE_REDUCE,
    .name = "in_order_binary",
    .summary = "segments flow up a binary tree that keeps rank order",
    .formula = "<= 2 (floor(lg P) + S-1) (alpha + s beta + s tau); root < "
               "P-1: + alpha + n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
