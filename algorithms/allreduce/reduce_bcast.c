/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_bcast.c - reduction to rank 0, then broadcast.
 *
 * Each is a variant selected by a parameter.
 *
 * Rounds  as the parts; binomial: 2 ceil(lg P)   P = comm_size, n = bytes
 * Volume  as the parts; trees: 2 (P - 1) n bytes in total
 * Cost    <= the sum of both: all ranks wait for rank 0. Both binomial: ceil(lg
 *         P) (2 alpha + 2 n beta + n tau), exact
 * Needs   any P, any datatype; the reduction may need a commutative operation.
 *         Trees rooted at rank 0 preserve rank order
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/reduce_then_bcast.h"

static const long value[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* Names and variants; new ones are only appended. */
static const char *const reduce_word[] = {
    "binomial", "linear",          "rabenseifner", "ring_gather",
    "binary",   "in_order_binary", "pipeline",     "knomial",
};
static const struct chorale_alg *const reduce_part[] = {
    &chorale_reduce_binomial,     &chorale_reduce_linear,
    &chorale_reduce_rabenseifner, &chorale_reduce_ring_gather,
    &chorale_reduce_binary,       &chorale_reduce_in_order_binary,
    &chorale_reduce_pipeline,     &chorale_reduce_knomial,
};
static const char *const bcast_word[] = {
    "binomial", "linear", "scatter_ring_allgather",
    "binary",   "chain",  "pipeline", "knomial",
};
static const struct chorale_alg *const bcast_part[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_binary,
    &chorale_bcast_chain,
    &chorale_bcast_pipeline,
    &chorale_bcast_knomial,
};

static int run(const struct chorale_call *call)
{
    return chorale_reduce_then_bcast(call, reduce_part[call->param[0]],
                                     bcast_part[call->param[1]]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_reduce_then_bcast_cost(pt, reduce_part[pt->param[0]],
                                          bcast_part[pt->param[1]], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_scratch(pt, reduce_part[pt->param[0]],
                                             bcast_part[pt->param[1]]);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_refuses(pt, reduce_part[pt->param[0]],
                                             bcast_part[pt->param[1]]);
}

static enum chorale_order order_at(const struct chorale_point *pt)
{
    return chorale_reduce_then_bcast_order(pt, reduce_part[pt->param[0]]);
}

const struct chorale_alg chorale_allreduce_reduce_bcast = {
    .coll = CHORALE_ALLREDUCE,
    .name = "reduce_bcast",
    .summary = "a reduce to rank 0, then a bcast",
    .formula = "<= as the reduce and the bcast; reduce=binomial, "
               "bcast=binomial: <= ceil(lg P) (2 alpha + 2 n beta + n tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1,
    .core = CHORALE_CORE_FLAT,
    .nparam = 2,
    .param = { { .name = "reduce",
                 .unit = "variant",
                 .max = sizeof(reduce_part) / sizeof(*reduce_part) - 1,
                 .candidate = value,
                 .ncandidate = sizeof(reduce_part) / sizeof(*reduce_part),
                 .word = reduce_word },
               { .name = "bcast",
                 .unit = "variant",
                 .max = sizeof(bcast_part) / sizeof(*bcast_part) - 1,
                 .candidate = value,
                 .ncandidate = sizeof(bcast_part) / sizeof(*bcast_part),
                 .word = bcast_word } },
    .run = run,
    .cost = cost,
    .order_at = order_at,
    .refuses = refuses,
    .constraint = "with reduce=rabenseifner, ring_gather, binary or pipeline "
                  "a commutative operation",
    .scratch = scratch,
};
