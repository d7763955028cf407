/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - reduction to rank 0, then a scatter of the sums.
 *
 * Both are selected by parameters.
 *
 * Rounds  binomial both: 2 ceil(lg P)         P = comm_size, n = m P bytes
 * Volume  binomial reduction: (P - 1) n bytes in all
 * Cost    the sum of both; binomial: ceil(lg P) (2 alpha + n beta + n tau) + (P
 *         - 1) m beta. Exact: all ranks wait for rank 0.
 * Needs   any P, any datatype, any operation; rank 0 holds n bytes more
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_parts.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_linear_cost(pt, 0, term);
}

static enum chorale_order order_at(const struct chorale_point *pt)
{
    return chorale_rs_linear_order(pt, 0);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_rs_linear_refuses(pt, 0);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_linear_scratch(pt, 0);
}

const struct chorale_alg chorale_reduce_scatter_block_linear = {
    .coll = CHORALE_REDUCE_SCATTER_BLOCK,
    .name = "linear",
    .summary = "reduce to rank 0, then scatter",
    .formula = "as the reduce and the scatter; reduce=binomial, "
               "scatter=binomial: ceil(lg P) (2 alpha + n beta + n tau) + "
               "(P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .nparam = 2,
    .param = { CHORALE_RS_REDUCE_PARAM, CHORALE_RS_SCATTER_PARAM },
    .run = chorale_rs_linear_run,
    .cost = cost,
    .order_at = order_at,
    .refuses = refuses,
    .constraint = "with reduce=pipeline a commutative operation",
    .scratch = scratch,
};
