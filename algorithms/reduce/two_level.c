/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - reduction in each node to its leader, then among the leaders.
 *
 * The root leads its node. Each level is blocking: a segment passes through
 * both levels before a leader starts the next one. With one port per rank that
 * gains almost nothing. It may gain if the levels use different hardware,
 * memory and network card. The other ranks of a node then work on a segment
 * while the leaders exchange the next one.
 *
 * Rounds  those of inner on p ranks per node and of outer on N nodes, for each
 *         of S segments
 * Volume  (N - 1) n bytes between nodes if outer is a tree
 * Cost    at most S (inner(p) + outer(N)), of a segment; the last is shorter
 * Needs   a commutative operation; several nodes with several ranks, placed in
 *         blocks; any root and datatype. The algorithm is valid for any
 *         placement, but without a known cost it is refused there
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/composed/two_level.h"

static const struct chorale_alg *const part[] = {
    &chorale_reduce_binomial,
    &chorale_reduce_linear,
    &chorale_reduce_pipeline,
    &chorale_reduce_rabenseifner,
    &chorale_reduce_circulant,
    &chorale_reduce_chain,
    &chorale_reduce_binary,
    &chorale_reduce_knomial,
    &chorale_reduce_in_order_binary,
};
static const char *const part_word[] = {
    "binomial", "linear", "pipeline", "rabenseifner", "circulant",
    "chain", "binary", "knomial", "in_order_binary",
};

/* The reduction in this node, with a buffer for its total at the leader. */
static int node_call(const struct chorale_call *call,
                     struct chorale_topology *t, struct chorale_call *in)
{
    *in = *call;
    in->ctx = &t->inner;
    in->root = t->lead;
    if (!t->leads || t->inner.size == 1 || call->ctx->rank == call->root)
        return MPI_SUCCESS;
    in->recvbuf = chorale_scratch_typed(call->ctx, call->recvcount,
                                        call->recvtype);
    return in->recvbuf == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* A single rank on a node has no reduction there. */
static int whole(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_call in, out = *call;
    int err = node_call(call, t, &in);

    if (err == MPI_SUCCESS && t->inner.size > 1) {
        err = chorale_part_run(part[call->param[0]], &in);
        out.sendbuf = call->ctx->rank == call->root ? MPI_IN_PLACE
                                                    : in.recvbuf;
    }
    if (err != MPI_SUCCESS || !t->leads)
        return err;
    out.ctx = &t->outer;
    out.root = t->index[call->root];
    return chorale_part_run(part[call->param[1]], &out);
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    return chorale_two_level_segments(call, t, call->root, call->param[2],
                                      whole);
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, call->root, levels);
}

static int whole_cost(const struct chorale_point *pt,
                      struct chorale_term *term)
{
    return chorale_two_level_cost(pt, part[pt->param[0]], part[pt->param[1]],
                                  term);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    size_t s = chorale_whole_segment(pt->param[2], pt->type_size);

    return chorale_two_level_segments_cost(pt, s, whole_cost, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t s = chorale_whole_segment(pt->param[2], pt->type_size);
    struct chorale_point one = chorale_two_level_segment(pt, s);

    return one.msg_size + chorale_two_level_scratch(&one, part[pt->param[0]],
                                                    part[pt->param[1]]);
}

const struct chorale_alg chorale_reduce_two_level = {
    .coll = CHORALE_REDUCE,
    .name = "two_level",
    .summary = "in each node to its leader, then among the leaders; segments "
               "may let memory and network overlap",
    .formula = "<= as S (inner(p) + outer(N)), of a segment each",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES | CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 3,
    .param = {
        CHORALE_PARAM_PARTS("inner", "in a node", 0, part_word, 8),
        CHORALE_PARAM_PARTS("outer", "among leaders", 0, part_word, 8),
        CHORALE_PARAM_LEVEL_SEGSIZE,
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
