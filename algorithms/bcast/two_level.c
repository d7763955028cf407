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
#include "algorithms/engines/two_level.h"

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

static int levels(const struct chorale_call *call, struct chorale_topology *t)
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

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, call->root, levels);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_two_level_cost(pt, part[pt->param[0]], part[pt->param[1]],
                                  term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_two_level_scratch(pt, part[pt->param[0]],
                                     part[pt->param[1]]);
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
        CHORALE_PARAM_PART("inner", "in a node", 0, part_word),
        CHORALE_PARAM_PART("outer", "among leaders", 0, part_word),
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
