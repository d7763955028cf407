/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - broadcast to the leaders of the nodes, then in each node. The
 * root leads its node.
 *
 * Rounds  those of outer on N nodes and of inner on p ranks a node
 * Volume  (N - 1) n bytes between nodes where outer is a tree
 * Cost    at most outer(N) + inner(p)
 * Needs   several nodes with several ranks; any placement, root and datatype
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/topology.h"

static const struct chorale_alg *const part[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_knomial,
    &chorale_bcast_pipeline,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_circulant,
};
static const char *const part_word[] = {
    "binomial", "linear", "knomial", "pipeline", "scatter_ring_allgather",
    "circulant",
};
static const long part_choice[] = { 0, 1, 2, 3, 4, 5 };

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_topology t;
    struct chorale_call level = *call;
    int err = chorale_topology_init(&t, ctx, call->root);

    if (err == MPI_SUCCESS && t.leads) {
        level.ctx = &t.outer;
        level.root = t.index[call->root];
        err = chorale_part_run(part[call->param[1]], &level);
    }
    if (err == MPI_SUCCESS) {
        level.ctx = &t.inner;
        level.root = t.lead;
        err = chorale_part_run(part[call->param[0]], &level);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    n = chorale_part_cost(part[pt->param[1]], &out, term);
    return n + chorale_part_cost(part[pt->param[0]], &in, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point in, out;
    size_t inner, outer;

    chorale_topology_points(pt, &in, &out);
    inner = chorale_part_scratch(part[pt->param[0]], &in);
    outer = chorale_part_scratch(part[pt->param[1]], &out);
    return chorale_topology_scratch(pt) + (inner > outer ? inner : outer);
}

const struct chorale_alg chorale_bcast_two_level = {
    .coll = CHORALE_BCAST,
    .name = "two_level",
    .summary = "to the leaders of the nodes, then in each node",
    .formula = "<= outer(N) + inner(p)",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 2,
    .param = {
        {
            .name = "inner",
            .unit = "in a node",
            .def = 0,
            .min = 0,
            .max = sizeof(part) / sizeof(*part) - 1,
            .candidate = part_choice,
            .ncandidate = sizeof(part_choice) / sizeof(*part_choice),
            .word = part_word,
        },
        {
            .name = "outer",
            .unit = "among leaders",
            .def = 0,
            .min = 0,
            .max = sizeof(part) / sizeof(*part) - 1,
            .candidate = part_choice,
            .ncandidate = sizeof(part_choice) / sizeof(*part_choice),
            .word = part_word,
        },
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
