/* SPDX-License-Identifier: BSD-3-Clause */
/* rabenseifner.c - recursive halving, then recursive doubling.
 *
 * For long vectors: a reduce-scatter and an allgather. If P is not a power of
 * two, neighbours fold first: of the first 2 (P - Q) ranks each even one sends
 * its vector to the odd one above and receives the result at the end.
 *
 * Rounds  2 F, folded 2 F + 2                 P = comm_size, n = bytes,
 * Volume  2 (Q - 1)/Q n bytes from a rank     Q = largest 2^F <= P
 *         of the core
 * Cost    2 F alpha + (Q - 1)/Q n (2 beta + tau); folded: + 2 (alpha + n beta)
 *         + n tau; exact, with parts of whole elements
 * Needs   any P, any datatype; a commutative operation
 * Source  Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/tree.h"

static int core(const struct chorale_call *call)
{
    return chorale_halves_run(call, CHORALE_WAY_EXCHANGE, 2,
                              CHORALE_WAY_EXCHANGE, 2);
}

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, 2, core);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int q = chorale_pow2_below(pt->comm_size);
    int n = chorale_fold_cost(pt, 2, term, 0);

    n = chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 1, term, n);
    return chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 0, term, n);
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t passing, stays = chorale_fold_scratch(pt, 2, &passing);

    stays += chorale_halves_scratch(pt, CHORALE_WAY_EXCHANGE, 2,
                                    CHORALE_WAY_EXCHANGE,
                                    chorale_pow2_below(pt->comm_size));
    return passing > stays ? passing : stays;
}

const struct chorale_alg chorale_allreduce_rabenseifner = {
    .coll = CHORALE_ALLREDUCE,
    .name = "rabenseifner",
    .summary = "recursive halving, then recursive doubling; neighbours fold",
    .formula = "2 F alpha + (Q-1)/Q n (2 beta + tau), F = floor(lg P), Q = "
               "2^F; P not a power of two: + 2 (alpha + n beta) + n tau",
    .source = "Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
