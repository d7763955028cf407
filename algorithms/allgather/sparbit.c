/* SPDX-License-Identifier: BSD-3-Clause */
/* sparbit.c - allgather at distances 2^(L - 1), ..., 2, 1.
 *
 * A rank sends every block that the rank at this distance lacks as a message of
 * its own, all at the same time. Blocks are received in place, without
 * rotation, for any P.
 *
 * Rounds  P - 1 messages in L = ceil(lg P)    P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta) if a rank sends one message at a time; an
 *         upper bound if messages in flight overlap
 * Needs   any P, any datatype
 * Source  Loch, Koslovski, arXiv 2109.08751
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_sparbit);
}

static size_t scratch(const struct chorale_point *pt)
{
    return (size_t)pt->comm_size * sizeof(MPI_Request);
}

const struct chorale_alg chorale_allgather_sparbit = {
    .coll = CHORALE_ALLGATHER,
    .name = "sparbit",
    .summary = "distances P/2, ..., 2, 1; one message a block, no rotation",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Loch, Koslovski, arXiv 2109.08751",
    .overlaps = 1,
    .scratch = scratch,
    .run = run,
    .cost = chorale_cost_in_turn,
};
