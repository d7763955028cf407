/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_reduce.c - gather to the root, which reduces in rank order.
 *
 * The order of operands depends only on P, so the result has the same bits for
 * every root and gather.
 *
 * Rounds  as the gather: ceil(lg P)           P = comm_size, n = bytes
 * Volume  (P - 1) n bytes to the root, which needs P n bytes of memory
 * Cost    as the gather (binomial: ceil(lg P) alpha + (P - 1) n beta), then
 *         (P - 1) n tau; exact
 * Needs   any P, any root, any datatype, any operation
 * Source  the definition; similar to Open MPI's reproducible reduction
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/ordered.h"
#include "algorithms/engines/part.h"

static const char *const gather_word[] = { "binomial", "linear" };
static const long gather_value[] = { 0, 1 };
static const struct chorale_alg *const gather_part[] = {
    &chorale_gather_binomial,
    &chorale_gather_linear,
};

static int run(const struct chorale_call *call)
{
    return chorale_reduce_gathered(call, gather_part[call->param[0]],
                                   call->ctx->rank == call->root);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gathered(pt, gather_part[pt->param[0]], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_gathered(pt, gather_part[pt->param[0]]);
}

const struct chorale_alg chorale_reduce_gather_reduce = {
    .coll = CHORALE_REDUCE,
    .name = "gather_reduce",
    .summary = "gather to the root, which combines all in rank order",
    .formula = "gather=binomial: ceil(lg P) alpha + (P-1) n (beta + tau); "
               "gather=linear: (P-1) (alpha + n beta + n tau)",
    .source = "the definition",
    .order = CHORALE_ORDER_RANK,
    .nparam = 1,
    .param = { { .name = "gather",
                 .unit = "variant",
                 .def = 0,
                 .min = 0,
                 .max = 1,
                 .candidate = gather_value,
                 .ncandidate = 2,
                 .word = gather_word } },
    .copies = { 0, 2 }, /* gathers into scratch */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
