/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.c - allgather by direct messages to all other ranks.
 *
 * max_reqs messages in each direction are in flight at a time (0: all).
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta) if a rank sends one message at a time; less
 *         if messages in flight overlap
 * Needs   any P, any datatype
 * Source  Open MPI, coll/base, "direct messaging"
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/exchange/gather_all.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? chorale_gather_all_direct(call->ctx, &b,
                                                          call->param[0])
                              : err;
}

static size_t scratch(const struct chorale_point *pt)
{
    return 2 * sizeof(MPI_Request) * (size_t)pt->comm_size;
}

const struct chorale_alg chorale_allgather_direct = {
    .coll = CHORALE_ALLGATHER,
    .name = "direct",
    .summary = "own block straight to all others, several at a time",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Open MPI, coll/base",
    .overlaps = 1,
    .scratch = scratch,
    .nparam = 1,
    .param = { CHORALE_PARAM_MAX_REQS("sends") },
    .run = run,
    .cost = chorale_cost_in_turn,
};
