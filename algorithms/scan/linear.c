/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - scan along a chain.
 *
 * Each rank combines the value from the rank below with its operand and sends
 * the result to the rank above.
 *
 * Rounds  P - 1                               P = comm_size, n = bytes
 * Volume  n bytes from each rank but the last
 * Cost    (P - 1) (alpha + n beta + n tau), exact
 * Needs   any P, any datatype, any operation
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"

static int run(const struct chorale_call *call)
{
    return chorale_prefix_chain(call, 0, 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_prefix_chain_cost(pt, 0, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_prefix_chain_scratch(pt, 0, 1);
}

const struct chorale_alg chorale_scan_linear = {
    .coll = CHORALE_SCAN,
    .name = "linear",
    .summary = "a chain: each rank adds its operand and sends on",
    .formula = "(P-1) (alpha + n beta + n tau)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
