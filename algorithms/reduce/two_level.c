/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - reduction in each node to its leader, then among the leaders.
 * The root leads its node.
 *
 * Rounds  those of inner on p ranks a node and of outer on N nodes
 * Volume  (N - 1) n bytes between nodes where outer is a tree
 * Cost    at most inner(p) + outer(N)
 * Needs   a commutative operation; several nodes with several ranks; any
 *         placement, root and datatype
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/topology.h"

static const struct chorale_alg *const part[] = {
    &chorale_reduce_binomial,
    &chorale_reduce_linear,
    &chorale_reduce_pipeline,
    &chorale_reduce_rabenseifner,
    &chorale_reduce_circulant,
};
static const char *const part_word[] = {
    "binomial", "linear", "pipeline", "rabenseifner", "circulant",
};
static const long part_choice[] = { 0, 1, 2, 3, 4 };

/* in: the call in this node. A rank that is alone there has nothing to add. */
static int levels(const struct chorale_call *call, struct chorale_topology *t,
                  struct chorale_call *in)
{
    struct chorale_call out = *call;
    int err = MPI_SUCCESS;

    in->ctx = &t->inner;
    in->root = t->lead;
    if (t->inner.size > 1) {
        err = chorale_part_run(part[call->param[0]], in);
        out.sendbuf = call->ctx->rank == call->root ? MPI_IN_PLACE
                                                    : in->recvbuf;
    }
    if (err != MPI_SUCCESS || !t->leads)
        return err;
    out.ctx = &t->outer;
    out.root = t->index[call->root];
    return chorale_part_run(part[call->param[1]], &out);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_topology t;
    struct chorale_call in = *call;
    int err = chorale_topology_init(&t, ctx, call->root);

    if (err == MPI_SUCCESS && t.leads && t.inner.size > 1 &&
        ctx->rank != call->root) {
        in.recvbuf = chorale_scratch_typed(ctx, call->recvcount,
                                           call->recvtype);
        err = in.recvbuf == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS)
        err = levels(call, &t, &in);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    n = chorale_part_cost(part[pt->param[0]], &in, term);
    return n + chorale_part_cost(part[pt->param[1]], &out, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point in, out;
    size_t inner, outer;

    chorale_topology_points(pt, &in, &out);
    inner = chorale_part_scratch(part[pt->param[0]], &in);
    outer = chorale_part_scratch(part[pt->param[1]], &out);
    return chorale_topology_scratch(pt) + pt->msg_size +
           (inner > outer ? inner : outer);
}

const struct chorale_alg chorale_reduce_two_level = {
    .coll = CHORALE_REDUCE,
    .name = "two_level",
    .summary = "in each node to its leader, then among the leaders",
    .formula = "<= inner(p) + outer(N)",
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
