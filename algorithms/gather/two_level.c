/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - gather in each node to its leader, then among the leaders.
 *
 * The root leads its node, and moves the blocks, which arrive ordered by node,
 * to their places.
 *
 * Rounds  those of inner on p ranks per node and of outer on N nodes
 * Volume  (P - 1) m bytes to the root, as in any gather
 * Cost    at most inner(p, m) + outer(N, p m)
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
    &chorale_gather_binomial,
    &chorale_gather_linear,
    &chorale_gather_linear_nb,
    &chorale_gather_linear_sync,
};
static const char *const inner_word[] = { "binomial", "linear", "linear_nb",
                                          "linear_sync" };

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_rooted side = chorale_rooted_at(call, CHORALE_GATHER);
    int is_root = ctx->rank == call->root;
    size_t m = chorale_rooted_bytes(&side);
    struct chorale_node_blocks b;
    struct chorale_call part;
    int err = chorale_node_blocks_init(&b, ctx, t, is_root ? &side.all : NULL,
                                       m * (size_t)t->inner.size);

    if (err != MPI_SUCCESS)
        return err;
    part = chorale_node_gather(call, t, &b, &side.all);
    part.recvcount = (MPI_Count)m;
    err = chorale_part_run(inner[call->param[0]], &part);
    if (err == MPI_SUCCESS && t->leads)
        err = chorale_outer_gather(t, t->index[call->root], call->param[1], m,
                                   b.all, b.mine);
    if (err != MPI_SUCCESS || !is_root || b.direct)
        return err;
    return chorale_nodes_unpack(ctx, t, b.all, &side.all,
                                call->sendbuf == MPI_IN_PLACE ? call->root
                                                              : -1);
}

CHORALE_TWO_LEVEL_BLOCKS(levels, inner)

const struct chorale_alg chorale_gather_two_level = {
    .coll = CHORALE_GATHER,
    .name = "two_level",
    .summary = "in each node to its leader, then among the leaders",
    .formula = "<= as inner(p) of m + outer(N) of p m",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.5,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_PART("inner", "in a node", 0, inner_word),
        CHORALE_PARAM_PARTS("outer", "among leaders", 0, chorale_outer_word,
                            CHORALE_FEW_OUTERS),
    },
    .run = run,
    .cost = cost,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
