/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.c - allgather in which every rank sends its block straight to all
 * others, max_reqs messages each way under way at a time (0: all).
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (2 r - 1) (alpha + m beta) for every r messages under way: a bound
 *         that holds in whatever order a port takes them; P - 1 in a good one
 * Needs   any P, any datatype
 * Source  Open MPI, coll/base, "direct messaging"
 */
#include "algorithms/catalogue.h"
#include "algorithms/gather_all.h"

#include <limits.h>

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
    int all = pt->comm_size - 1;
    long batch = pt->param[0] > 0 && pt->param[0] < all ? pt->param[0] : all;

    if (all < 1)
        return 0;
    term[0] = (struct chorale_term){
        .messages = (double)(2 * all - (all + batch - 1) / batch),
        .bytes = (double)pt->msg_size,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return 2 * sizeof(MPI_Request) * (size_t)pt->comm_size;
}

static const long max_reqs[] = { 0, 2, 4, 8, 16, 32, 64 };

const struct chorale_alg chorale_allgather_direct = {
    .coll = CHORALE_ALLGATHER,
    .name = "direct",
    .summary = "own block straight to all others, several at a time",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Open MPI, coll/base",
    .cost_is = CHORALE_COST_BOUND,
    .overlaps = 1,
    .scratch = scratch,
    .nparam = 1,
    .param = { {
        .name = "max_reqs",
        .unit = "sends in flight, 0: no limit",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = max_reqs,
        .ncandidate = sizeof(max_reqs) / sizeof(*max_reqs),
    } },
    .run = run,
    .cost = cost,
};
