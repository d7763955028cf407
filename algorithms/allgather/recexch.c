/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - allgather by exchanges in groups of radix ranks, at distances
 * that grow (order doubling) or shrink (halving). Of a number of ranks that is
 * no power of the radix the rest hands its blocks to its neighbours first and
 * gets all from them in the end. A radix above P is read as P.
 *
 * Rounds  (k - 1) q; folded + 2 e             P = comm_size, k = radix,
 * Volume  about n bytes from each rank        K = k^q <= P, n = m P
 * Cost    (k - 1) alpha + beta times the largest group in each of q phases;
 *         folded: before it e (alpha + m beta), after it e (alpha + n beta),
 *         e = ceil(P/K) - 1 ranks to one. Exact
 * Needs   any P, any datatype; n bytes of scratch with halving, so that what
 *         a group holds is one piece
 * Source  Sack, Gropp, PPoPP, 2012
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/gather_all.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? chorale_gather_all_recexch_from(
                                    call->ctx, &b, (int)call->param[0],
                                    call->param[1] != 0, 0)
                              : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_recexch(CHORALE_SIZES_EQUAL, pt,
                                           (int)pt->param[0],
                                           pt->param[1] != 0, term);
}

/* Halving: all blocks once more, and where each position's are. */
static size_t scratch(const struct chorale_point *pt)
{
    size_t places = (size_t)pt->comm_size;

    return pt->param[1] == 0 || pt->comm_size < 2
               ? 0
               : pt->n + places * (sizeof(MPI_Count) + sizeof(MPI_Aint));
}

static const long radix[] = { 2, 3, 4, 8, 16 };
static const long order[] = { 0, 1 };
static const char *const order_word[] = { "doubling", "halving" };

const struct chorale_alg chorale_allgather_recexch = {
    .coll = CHORALE_ALLGATHER,
    .name = "recexch",
    .summary = "exchanges in groups of radix ranks; the rest folds",
    .formula = "(k-1) q alpha + n beta; folded + 2 e alpha + e (m + n) beta",
    .source = "Sack, Gropp, PPoPP, 2012",
    .scratch = scratch,
    .nparam = 2,
    .param = { {
        .name = "radix",
        .unit = "ranks in a group",
        .def = 2,
        .min = 2,
        .max = INT_MAX,
        .candidate = radix,
        .ncandidate = sizeof(radix) / sizeof(*radix),
    }, {
        .name = "order",
        .unit = "distances",
        .def = 0,
        .min = 0,
        .max = sizeof(order_word) / sizeof(*order_word) - 1,
        .candidate = order,
        .ncandidate = sizeof(order) / sizeof(*order),
        .word = order_word,
    } },
    .run = run,
    .cost = cost,
};
