/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_doubling.c - allreduce by exchanges at distance 1, 2, 4, ...
 *
 * If P is not a power of two, neighbours fold first: of the first 2 (P - Q)
 * ranks each even one sends its vector to the odd one above and receives the
 * result at the end. Every rank combines a contiguous range of ranks in rank
 * order, so any operation is valid. All ranks evaluate the same expression, so
 * they get the same bits.
 *
 * Rounds  F = lg Q, folded F + 2              P = comm_size, n = bytes,
 * Volume  F n bytes, folded (F + 1) n, from   Q = largest 2^F <= P
 *         the busiest rank
 * Cost    F (alpha + n beta + n tau); folded: + 2 (alpha + n beta) + n tau;
 *         exact
 * Needs   any P, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/exchange.h"
#include "algorithms/engines/reduction/fold.h"

static int core(const struct chorale_call *call)
{
    return chorale_exchange_digits(call, 2, 0);
}

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, 2, core);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_exchange_cost(pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_exchange_scratch(pt, 2);
}

const struct chorale_alg chorale_allreduce_recursive_doubling = {
    .coll = CHORALE_ALLREDUCE,
    .name = "recursive_doubling",
    .summary = "exchanges at distance 1, 2, 4, ...; neighbours fold",
    .formula = "F (alpha + n beta + n tau), F = floor(lg P); P not a power "
               "of two: + 2 (alpha + n beta) + n tau",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .copies = { 0, 2 }, /* the result may end in scratch, to keep the order */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
