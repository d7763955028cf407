/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - barrier on two levels, nodes and leaders.
 *
 * The ranks of a node signal its leader, the leaders run a barrier, and each
 * leader releases its node.
 *
 * Rounds  see the cost                        p = ranks per node
 * Volume  2 (p - 1) empty messages in each node, and those of the leaders
 * Cost    at most that of an empty gather and an empty broadcast in a node,
 *         plus the leaders' barrier
 * Needs   several nodes with several ranks, placed in blocks. The algorithm is
 *         valid for any placement, but without a known cost it is refused there
 * Source  MPICH, smp; Open MPI, HAN
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/composed/two_level.h"

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

static const struct chorale_alg *const outer[] = {
    &chorale_barrier_dissemination,
    &chorale_barrier_recursive_doubling,
    &chorale_barrier_tree,
    &chorale_barrier_linear,
    &chorale_barrier_double_ring,
    &chorale_barrier_k_dissemination,
};
static const char *const outer_word[] = {
    "dissemination", "recursive_doubling", "tree", "linear",
    "double_ring", "k_dissemination",
};

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_call in = {
        .ctx = &t->inner,
        .sendtype = MPI_BYTE,
        .recvtype = MPI_BYTE,
    };
    struct chorale_call out = { .ctx = &t->outer, .commutative = 1 };
    int err = chorale_part_run(up[call->param[0]], &in);

    if (err == MPI_SUCCESS && t->leads)
        err = chorale_part_run(outer[call->param[1]], &out);
    return err == MPI_SUCCESS ? chorale_part_run(down[call->param[0]], &in)
                              : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, CHORALE_NO_ROOT, levels);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_two_level_cost(pt, up[pt->param[0]], outer[pt->param[1]],
                                   term);

    return n + chorale_two_level_cost(pt, down[pt->param[0]], NULL, term + n);
}

static int overlaps_at(const struct chorale_point *pt)
{
    struct chorale_point in, out;

    chorale_topology_points(pt, &in, &out);
    return chorale_part_overlaps(outer[pt->param[1]], &out);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_two_level_scratch(pt, up[pt->param[0]],
                                     outer[pt->param[1]]);
}

const struct chorale_alg chorale_barrier_two_level = {
    .coll = CHORALE_BARRIER,
    .name = "two_level",
    .summary = "in each node, among the leaders, and in each node again",
    .formula = "<= as gather(p) + outer(N) + bcast(p), of nothing",
    .source = "MPICH, smp; Open MPI, HAN",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_PART("inner", "in a node", 0, up_word),
        CHORALE_PARAM_PART("outer", "among leaders", 0, outer_word),
    },
    .run = run,
    .cost = cost,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
