/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - reduction in each node to its leader, allreduce among the
 * leaders, broadcast in each node.
 *
 * Rounds  twice those of inner on p ranks a node, and of outer on N nodes
 * Volume  between nodes that of outer
 * Cost    at most reduce(p) + outer(N) + bcast(p)
 * Needs   a commutative operation; several nodes with several ranks; any
 *         placement and datatype
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/topology.h"

static const struct chorale_alg *const up[] = {
    &chorale_reduce_binomial,
    &chorale_reduce_linear,
    &chorale_reduce_pipeline,
};
static const struct chorale_alg *const down[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_pipeline,
};
static const char *const up_word[] = {
    "binomial", "linear", "pipeline",
};
static const long up_choice[] = { 0, 1, 2 };

static const struct chorale_alg *const outer[] = {
    &chorale_allreduce_recursive_doubling,
    &chorale_allreduce_reduce_bcast,
    &chorale_allreduce_ring,
    &chorale_allreduce_rabenseifner,
    &chorale_allreduce_circulant,
};
static const char *const outer_word[] = {
    "recursive_doubling", "reduce_bcast", "ring", "rabenseifner",
    "circulant",
};
static const long outer_choice[] = { 0, 1, 2, 3, 4 };

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_call part = *call;
    int err;

    part.ctx = &t->inner;
    part.root = t->lead;
    /* MPI_Reduce takes MPI_IN_PLACE at the root only. */
    if (!t->leads && call->sendbuf == MPI_IN_PLACE)
        part.sendbuf = call->recvbuf;
    err = chorale_part_run(up[call->param[0]], &part);
    if (err == MPI_SUCCESS && t->leads) {
        part.ctx = &t->outer;
        part.sendbuf = MPI_IN_PLACE;
        err = chorale_part_run(outer[call->param[1]], &part);
    }
    part.ctx = &t->inner;
    return err == MPI_SUCCESS ? chorale_part_run(down[call->param[0]], &part)
                              : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_topology t;
    int err = chorale_topology_init(&t, ctx, -1);

    if (err == MPI_SUCCESS)
        err = levels(call, &t);
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

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point in, out;

    chorale_topology_points(pt, &in, &out);
    return chorale_topology_scratch(pt) +
           most(most(chorale_part_scratch(up[pt->param[0]], &in),
                     chorale_part_scratch(down[pt->param[0]], &in)),
                chorale_part_scratch(outer[pt->param[1]], &out));
}

const struct chorale_alg chorale_allreduce_two_level = {
    .coll = CHORALE_ALLREDUCE,
    .name = "two_level",
    .summary = "reduce in each node, allreduce among the leaders, broadcast "
               "in each node",
    .formula = "<= reduce(p) + outer(N) + bcast(p)",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES | CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
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
    .scratch = scratch,
};
