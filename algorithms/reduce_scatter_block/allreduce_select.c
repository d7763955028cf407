/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce_select.c - allreduce of which every rank keeps its block.
 *
 * A baseline.
 *
 * Rounds  as the allreduce                    P = comm_size, n = m P bytes
 * Volume  as the allreduce
 * Cost    that of the allreduce of n bytes, exact
 * Needs   as the allreduce, and n bytes of memory on every rank
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_parts.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_select_cost(pt, 0, term);
}

static enum chorale_order order_at(const struct chorale_point *pt)
{
    return chorale_rs_select_order(pt, 0);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_rs_select_refuses(pt, 0);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_select_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_allreduce_select = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "allreduce_select",
    .summary = "an allreduce of which each rank keeps its block",
    .formula = "as the allreduce; allreduce=recursive_doubling: F (alpha + n "
               "beta + n tau), F = floor(lg P); allreduce=recursive_doubling, "
               "P not a power of two: + 2 (alpha + n beta) + n tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_RS_ALLREDUCE_PARAM },
    .copies = { 2, 1 }, /* the allreduce's, and a block */
    .run = chorale_rs_select_run,
    .cost = cost,
    .order_at = order_at,
    .refuses = refuses,
    .constraint = "with allreduce=ring, rabenseifner or circulant a "
                  "commutative operation",
    .scratch = scratch,
};
