/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - reduction in each node, allreduce among leaders, broadcast.
 *
 * The leaders' results are broadcast in their nodes. Each level is blocking: a
 * segment passes through both levels before a leader starts the next one. With
 * one port per rank that gains almost nothing. It may gain if the levels use
 * different hardware, memory and network card. The other ranks of a node then
 * work on a segment while the leaders exchange the next one.
 *
 * Rounds  twice those of inner on p ranks per node, and of outer on N nodes,
 *         for each of S segments
 * Volume  between nodes that of outer
 * Cost    at most S (reduce(p) + outer(N) + bcast(p)), of a segment; the last
 *         is shorter
 * Needs   a commutative operation; several nodes with several ranks, placed in
 *         blocks; any datatype. The algorithm is valid for any placement, but
 *         without a known cost it is refused there
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/composed/two_level.h"

static const struct chorale_alg *const up[] = {
    &chorale_reduce_binomial,
    &chorale_reduce_linear,
    &chorale_reduce_pipeline,
    &chorale_reduce_chain,
    &chorale_reduce_binary,
    &chorale_reduce_knomial,
    &chorale_reduce_rabenseifner,
    &chorale_reduce_in_order_binary,
};
static const struct chorale_alg *const down[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_pipeline,
    &chorale_bcast_chain,
    &chorale_bcast_binary,
    &chorale_bcast_knomial,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_binary,
};
static const char *const up_word[] = {
    "binomial",
    "linear",
    "pipeline",
    "chain",
    "binary",
    "knomial",
    "rabenseifner_scatter_ring_allgather",
    "in_order_binary",
};

static const struct chorale_alg *const outer[] = {
    &chorale_allreduce_recursive_doubling,
    &chorale_allreduce_reduce_bcast,
    &chorale_allreduce_ring,
    &chorale_allreduce_rabenseifner,
    &chorale_allreduce_circulant,
    &chorale_allreduce_linear,
    &chorale_allreduce_recursive_multiplying,
    &chorale_allreduce_allgather_reduce,
};
static const char *const outer_word[] = {
    "recursive_doubling",
    "reduce_bcast",
    "ring",
    "rabenseifner",
    "circulant",
    "linear",
    "recursive_multiplying",
    "allgather_reduce",
};

static int whole(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_call part = *call;
    int err;

    part.ctx = &t->inner;
    part.root = t->lead;
    /* MPI_Reduce allows MPI_IN_PLACE at the root only. */
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

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    return chorale_two_level_segments(call, t, CHORALE_NO_ROOT,
                                      call->param[2], whole);
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, CHORALE_NO_ROOT, levels);
}

static int whole_cost(const struct chorale_point *pt,
                      struct chorale_term *term)
{
    int n = chorale_two_level_cost(pt, up[pt->param[0]], outer[pt->param[1]],
                                   term);

    return n + chorale_two_level_cost(pt, down[pt->param[0]], NULL, term + n);
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
    size_t a = chorale_two_level_scratch(&one, up[pt->param[0]],
                                         outer[pt->param[1]]);
    size_t b = chorale_two_level_scratch(&one, down[pt->param[0]], NULL);

    return a > b ? a : b;
}

const struct chorale_alg chorale_allreduce_two_level = {
    .coll = CHORALE_ALLREDUCE,
    .name = "two_level",
    .summary = "reduce in each node, allreduce among the leaders, broadcast "
               "there; segments may let memory and network overlap",
    .formula = "<= as S (reduce(p) + outer(N) + bcast(p)), of a segment each",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES | CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 3,
    .param = {
        CHORALE_PARAM_PARTS("inner", "in a node", 0, up_word, 7),
        CHORALE_PARAM_PART("outer", "among leaders", 0, outer_word),
        CHORALE_PARAM_LEVEL_SEGSIZE,
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
