/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - reduce-scatter and allgather on a circulant graph.
 *
 * For long vectors. Skips are ceil(P/2), ceil(P/4), ..., 1 for the
 * reduce-scatter, and in reverse for the allgather. For any P and without a
 * fold it has as few rounds and bytes as Rabenseifner's algorithm at powers of
 * two.
 *
 * Rounds  2 ceil(lg P)                        P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, up to rounding
 * Cost    2 ceil(lg P) alpha + (P - 1) b (2 beta + tau), b = ceil(n/P); exact,
 *         with parts of whole elements
 * Needs   any P, any datatype; a commutative operation
 * Source  Traeff, arXiv 2410.14234
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"

static int run(const struct chorale_call *call)
{
    return chorale_halves_run(call, CHORALE_WAY_CIRCULANT, 0,
                              CHORALE_WAY_CIRCULANT, 0);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size;
    int n = chorale_half_cost(pt, CHORALE_WAY_CIRCULANT, 0, p, 1, term, 0);

    return chorale_half_cost(pt, CHORALE_WAY_CIRCULANT, 0, p, 0, term, n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_halves_scratch(pt, CHORALE_WAY_CIRCULANT, 0,
                                  CHORALE_WAY_CIRCULANT, pt->comm_size);
}

const struct chorale_alg chorale_allreduce_circulant = {
    .coll = CHORALE_ALLREDUCE,
    .name = "circulant",
    .summary = "reduce-scatter and allgather on a circulant graph",
    .formula = "2 ceil(lg P) alpha + (P-1)/P n (2 beta + tau)",
    .source = "Traeff, arXiv 2410.14234",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
