/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - broadcast among the node leaders, then in each node.
 *
 * The root leads its node. Each level is blocking: a segment passes through
 * both levels before a leader starts the next one. With one port per rank that
 * gains almost nothing. It may gain if the levels use different hardware,
 * memory and network card. The other ranks of a node then work on a segment
 * while the leaders exchange the next one.
 *
 * Rounds  those of outer on N nodes and of inner on p ranks per node, for each
 *         of S segments
 * Volume  (N - 1) n bytes between nodes if outer is a tree
 * Cost    at most S (outer(N) + inner(p)), of a segment; the last is shorter
 * Needs   several nodes with several ranks, placed in blocks; any root and
 *         datatype. The algorithm is valid for any placement, but without a
 *         known cost it is refused there
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/composed/two_level.h"

static const struct chorale_alg *const part[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_knomial,
    &chorale_bcast_pipeline,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_circulant,
    &chorale_bcast_chain,
    &chorale_bcast_binary,
    &chorale_bcast_scatter_rd_allgather,
};
static const char *const part_word[] = {
    "binomial", "linear", "knomial", "pipeline", "scatter_ring_allgather",
    "circulant", "chain", "binary", "scatter_rd_allgather",
};

static int whole(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_call level = *call;
    int err = MPI_SUCCESS;

    if (t->leads) {
        level.ctx = &t->outer;
        level.root = t->index[call->root];
        err = chorale_part_run(part[call->param[1]], &level);
    }
    if (err != MPI_SUCCESS)
        return err;
    level.ctx = &t->inner;
    level.root = t->lead;
    return chorale_part_run(part[call->param[0]], &level);
}

/* Broadcast the packed vector, one segment after the other. */
static int segments(const struct chorale_call *call, const void *what,
                    char *bytes, size_t n)
{
    struct chorale_topology *t = *(struct chorale_topology *const *)what;
    size_t s = (size_t)call->param[2], last;
    size_t count = chorale_segments(n, s, &last);
    struct chorale_call segment = *call;
    int err = MPI_SUCCESS;

    segment.recvtype = MPI_PACKED;
    for (size_t j = 0; j < count && err == MPI_SUCCESS; j++) {
        segment.recvbuf = bytes + j * s;
        segment.recvcount = (MPI_Count)(j + 1 < count ? s : last);
        err = whole(&segment, t);
    }
    return err;
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    size_t n = chorale_type_size(call->recvtype) * (size_t)call->recvcount;

    if (call->param[2] == 0 || n <= (size_t)call->param[2])
        return whole(call, t);
    return chorale_packed_bcast(call, segments, &t);
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
    return chorale_two_level_segments_cost(pt, (size_t)pt->param[2],
                                           whole_cost, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point one = chorale_two_level_segment(
        pt, (size_t)pt->param[2]);

    return chorale_two_level_scratch(&one, part[pt->param[0]],
                                     part[pt->param[1]]);
}

const struct chorale_alg chorale_bcast_two_level = {
    .coll = CHORALE_BCAST,
    .name = "two_level",
    .summary = "to the leaders of the nodes, then in each node; segments "
               "may let memory and network overlap",
    .formula = "<= as S (outer(N) + inner(p)), of a segment each",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
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
