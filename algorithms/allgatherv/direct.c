/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.c - allgatherv by direct messages to all other ranks.
 *
 * max_reqs messages in each direction are in flight at a time (0: all).
 *
 * Rounds  P - 1                               P = comm_size, M = max m_i
 * Volume  (P - 1) m_i bytes from rank i       n = sum of m_i
 * Cost    (P - 1) (4/3 alpha + 9/8 M beta), an upper bound: a port serves
 *         messages in any order, and may also wait for small ones. Without
 *         bytes it takes P - 1 alpha, but 4/3 of that if a block's bytes take a
 *         hundredth of alpha, at P = 7. Bytes alone take 15/14 with few
 *         messages in flight
 * Needs   any P, any datatype, displacements in any order
 * Source  Open MPI, coll/base, "direct messaging" (allgather)
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? chorale_gather_all_direct(call->ctx, &b,
                                                          call->param[0])
                              : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){
        .messages = 4 * (pt->comm_size - 1) / 3.0,
        .bytes = 27 / 32.0 * chorale_sizes_most(CHORALE_SIZES_RAMP, pt, 1),
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return 2 * sizeof(MPI_Request) * (size_t)pt->comm_size;
}

const struct chorale_alg chorale_allgatherv_direct = {
    .coll = CHORALE_ALLGATHERV,
    .name = "direct",
    .summary = "own block straight to all others, several at a time",
    .formula = "<= (P-1) (4/3 alpha + 9/8 M beta), M the largest block",
    .source = "Open MPI, coll/base",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.34,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_PARAM_MAX_REQS("sends") },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
