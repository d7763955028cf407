/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - scatter among the node leaders, then in each node.
 *
 * The root leads its node, and first orders the blocks by node, if they are not
 * stored in that order.
 *
 * Rounds  those of outer on N nodes and of inner on p ranks per node
 * Volume  (P - 1) m bytes from the root, as in any scatter
 * Cost    at most outer(N, p m) + inner(p, m)
 * Needs   several nodes with several ranks, placed in blocks; any root and
 *         datatype. The algorithm is valid for any placement, but without a
 *         known cost it is refused there
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/rooted.h"
#include "algorithms/engines/composed/two_level.h"

static const struct chorale_alg *const inner[] = {
    &chorale_scatter_binomial,
    &chorale_scatter_linear,
    &chorale_scatter_linear_nb,
    &chorale_scatter_linear_segmented,
    &chorale_scatter_binomial_segmented,
    &chorale_scatter_hybrid,
};
static const char *const inner_word[] = { "binomial", "linear", "linear_nb",
                                          "linear_segmented",
                                          "binomial_segmented", "hybrid" };

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_rooted side = chorale_rooted_at(call, CHORALE_SCATTER);
    int is_root = ctx->rank == call->root;
    size_t m = chorale_rooted_bytes(&side);
    struct chorale_node_blocks b;
    struct chorale_call part;
    int err = chorale_node_blocks_init(&b, ctx, t, is_root ? &side.all : NULL,
                                       m * (size_t)t->inner.size);

    if (err == MPI_SUCCESS && is_root && !b.direct)
        err = chorale_nodes_pack(ctx, t, &side.all, b.all);
    if (err == MPI_SUCCESS && t->leads)
        err = chorale_outer_scatter(t, t->index[call->root], call->param[1],
                                    m, b.all, b.mine);
    if (err != MPI_SUCCESS)
        return err;
    part = chorale_node_scatter(call, t, &b);
    part.sendcount = (MPI_Count)m;
    return chorale_part_run(inner[call->param[0]], &part);
}

CHORALE_TWO_LEVEL_BLOCKS(levels, inner)

const struct chorale_alg chorale_scatter_two_level = {
    .coll = CHORALE_SCATTER,
    .name = "two_level",
    .summary = "to the leaders of the nodes, then in each node",
    .formula = "<= as outer(N) of p m + inner(p) of m",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.5,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_PARTS("inner", "in a node", 0, inner_word, 5),
        CHORALE_PARAM_PARTS("outer", "among leaders", 0, chorale_outer_word,
                            CHORALE_FEW_OUTERS),
    },
    .run = run,
    .cost = cost,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
