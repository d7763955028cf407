/* SPDX-License-Identifier: BSD-3-Clause */
/* sparbit.c - allgatherv at distances 2^(L - 1), ..., 2, 1.
 *
 * A rank sends every block that the rank at this distance lacks as a message of
 * its own, all at the same time. Blocks are received in place, without
 * rotation, for any P.
 *
 * Rounds  P - 1 messages in L = ceil(lg P)    P = comm_size, M = max m_i
 * Volume  at most n - m_i bytes               n = sum of m_i
 * Cost    (P - 1) (alpha + M beta) if a rank sends one message at a time; an
 *         upper bound if messages in flight overlap
 * Needs   any P, any datatype, displacements in any order
 * Source  Loch, Koslovski, arXiv 2109.08751
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_sparbit);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_ring(CHORALE_SIZES_RAMP, pt, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return (size_t)pt->comm_size * sizeof(MPI_Request);
}

const struct chorale_alg chorale_allgatherv_sparbit = {
    .coll = CHORALE_ALLGATHERV,
    .name = "sparbit",
    .summary = "distances P/2, ..., 2, 1; one message a block, no rotation",
    .formula = "<= (P-1) (alpha + M beta), M the largest block",
    .source = "Loch, Koslovski, arXiv 2109.08751",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.77,
    .overlaps = 1,
    .scratch = scratch,
    .run = run,
    .cost = cost,
};
