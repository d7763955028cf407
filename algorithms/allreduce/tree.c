/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - pipelined reduction up a tree and broadcast down the same tree.
 *
 * While a rank receives a child's operand, it sends that child a segment of the
 * result. All ranks get the bits of the tree's root. radix is used by kary and
 * knomial trees; chain is one chain.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s), c: most children of a
 * rank, D <= c * height: steps from the root to the last rank, in turn
 *
 * Rounds  2 D + (S - 1) (c + 1) + w, w <= D where the paths up and down meet; w
 *         = 0 if S = 1, w <= 1 in a chain
 * Volume  2 (P - 1) n bytes in total; an inner rank sends (c + 1) n and reduces
 *         c n
 * Cost    at most (2 D + w) (alpha + s beta) + D s tau
 *         + (S - 1) ((c + 1) (alpha + s beta) + c s tau): between two
 *         segments an inner rank meets its c children and its parent
 * Needs   any P, any datatype; knomial, chain and in_order preserve rank order,
 *         other trees need a commutative operation. segsize is rounded down to
 *         whole elements, at least one; 0: S = 1
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; pipelined as in
 *         Worringen, LCN 2003
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

enum type { KARY, KNOMIAL, KNOMIAL_NEAR, BINARY, CHAIN, IN_ORDER };

static const char *const type_word[] = {
    "kary", "knomial", "knomial_near", "binary", "chain", "in_order"
};

static const enum chorale_shape type_shape[] = {
    CHORALE_KARY, CHORALE_KNOMIAL, CHORALE_KNOMIAL_NEAR,
    CHORALE_KARY, CHORALE_CHAIN,   CHORALE_IN_ORDER
};

static const long types[] = {
    KARY, KNOMIAL, KNOMIAL_NEAR, BINARY, CHAIN, IN_ORDER
};

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = type_shape[param[0]],
        .radix = param[0] == CHAIN    ? 1
                 : param[0] == BINARY ? 2
                                      : param[1],
        .segsize = param[2],
    };
}

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param);

    return chorale_flow_allreduce(call, &f);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_allreduce_cost(pt, &f, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_allreduce_scratch(pt, &f);
}

static enum chorale_order order_at(const struct chorale_point *pt)
{
    long type = pt->param[0];

    return type == KNOMIAL || type == CHAIN || type == IN_ORDER
               ? CHORALE_ORDER_RANK
               : CHORALE_ORDER_FIXED;
}

static const char *refuses(const struct chorale_point *pt)
{
    return pt->commutative || order_at(pt) == CHORALE_ORDER_RANK
               ? NULL
               : "this tree needs a commutative operation";
}

const struct chorale_alg chorale_allreduce_tree = {
    .coll = CHORALE_ALLREDUCE,
    .name = "tree",
    .summary = "up and down one tree, segments flowing through",
    .formula = "<= as (3 D + (S-1) (c+1)) (alpha + s beta) + (D + (S-1) c) s "
               "tau, c the most children, D the longest way down, each child "
               "taking its turn; tree_type=chain: <= (3 (P-1) + 2 (S-1)) "
               "(alpha + s beta) + (P-1 + S-1) s tau; tree_type=knomial: <= "
               "(3 c + (S-1) (c+1)) (alpha + s beta) + S c s tau, c = (k-1) "
               "ceil(log_k P), k = min(radix, P)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Worringen, "
              "LCN 2003",
    .fallback = "a radix beyond P is P; chain and in_order ignore it, and "
                "binary is kary with radix 2",
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.88,
    .within_default = 1.72,
    .nparam = 3,
    .param = { {
                   .name = "tree_type",
                   .unit = "shape",
                   .def = KNOMIAL,
                   .min = 0,
                   .max = IN_ORDER,
                   .candidate = types,
                   .ncandidate = sizeof(types) / sizeof(*types),
                   .word = type_word,
               },
               CHORALE_PARAM_RADIX(2),
               CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
    .order_at = order_at,
    .refuses = refuses,
    .constraint = "with tree_type=kary, knomial_near or binary a commutative "
                  "operation",
    .scratch = scratch,
};
