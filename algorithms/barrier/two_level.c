/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - barrier on two levels: the ranks of a node report to its
 * leader, the leaders hold a barrier, the leaders tell their nodes.
 *
 * Rounds  see the cost                        p = ranks a node
 * Volume  2 (p - 1) messages of no bytes in each node, and the leaders'
 * Cost    at most that of a gather and a broadcast of nothing in a node, and
 *         of the leaders' barrier
 * Needs   several nodes with several ranks; any placement
 * Source  MPICH, smp; Open MPI, HAN
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/topology.h"

static const struct chorale_alg *const up[] = {
    &chorale_gather_linear,
    &chorale_gather_binomial,
};
static const struct chorale_alg *const down[] = {
    &chorale_bcast_linear,
    &chorale_bcast_binomial,
};
static const char *const up_word[] = {
    "linear", "binomial",
};
static const long up_choice[] = { 0, 1 };

static const struct chorale_alg *const outer[] = {
    &chorale_barrier_dissemination,
    &chorale_barrier_recursive_doubling,
    &chorale_barrier_tree,
    &chorale_barrier_linear,
};
static const char *const outer_word[] = {
    "dissemination", "recursive_doubling", "tree", "linear",
};
static const long outer_choice[] = { 0, 1, 2, 3 };

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_topology t;
    struct chorale_call in = { .sendtype = MPI_BYTE, .recvtype = MPI_BYTE };
    struct chorale_call out = { .commutative = 1 };
    int err = chorale_topology_init(&t, ctx, -1);

    in.ctx = &t.inner;
    out.ctx = &t.outer;
    if (err == MPI_SUCCESS)
        err = chorale_part_run(up[call->param[0]], &in);
    if (err == MPI_SUCCESS && t.leads)
        err = chorale_part_run(outer[call->param[1]], &out);
    if (err == MPI_SUCCESS)
        err = chorale_part_run(down[call->param[0]], &in);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    n = chorale_part_cost(up[pt->param[0]], &in, term);
    n += chorale_part_cost(outer[pt->param[1]], &out, term + n);
    return n + chorale_part_cost(down[pt->param[0]], &in, term + n);
}

const struct chorale_alg chorale_barrier_two_level = {
    .coll = CHORALE_BARRIER,
    .name = "two_level",
    .summary = "in each node, among the leaders, and in each node again",
    .formula = "<= gather(p) + outer(N) + bcast(p), of nothing",
    .source = "MPICH, smp; Open MPI, HAN",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 2,
    .param = {
        {
            .name = "inner",
            .unit = "in a node",
            .def = 0,
            .min = 0,
            .max = sizeof(up) / sizeof(*up) - 1,
            .candidate = up_choice,
            .ncandidate = sizeof(up_choice) / sizeof(*up_choice),
            .word = up_word,
        },
        {
            .name = "outer",
            .unit = "among leaders",
            .def = 0,
            .min = 0,
            .max = sizeof(outer) / sizeof(*outer) - 1,
            .candidate = outer_choice,
            .ncandidate = sizeof(outer_choice) / sizeof(*outer_choice),
            .word = outer_word,
        },
    },
    .run = run,
    .cost = cost,
    .scratch = chorale_topology_scratch,
};
