/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - exscan by exchanges with ranks r xor 1, 2, 4, ...
 *
 * Each rank keeps the value of its group and its own result. Missing partners
 * are skipped, and values that no rank needs later are not sent.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = bytes
 * Volume  at most L n bytes from each rank
 * Cost    L (alpha + n beta) + (2 L - 2) n tau at powers of two, where a rank
 *         combines for both its group and its result in all rounds but the
 *         first and the last; for other P an upper bound
 * Needs   any P, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"

static int run(const struct chorale_call *call)
{
    return chorale_prefix_recursive_doubling(call, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_prefix_recursive_doubling_cost(pt, 0, term);
}

/* With two ranks, the operand that one receives is its result. */
static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size > 2 ? chorale_prefix_recursive_doubling_scratch(pt)
                             : 0;
}

const struct chorale_alg chorale_exscan_recursive_doubling = {
    .coll = CHORALE_EXSCAN,
    .name = "recursive_doubling",
    .summary = "exchanges with the ranks r xor 1, 2, 4, ...",
    .formula = "<= L (alpha + n beta) + (2L-2) n tau, L = ceil(lg P)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_POW2,
    .within = 1.67,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
