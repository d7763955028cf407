/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - scatterv among the node leaders, then in each node.
 *
 * The leaders first receive the block sizes of their ranks. The root leads its
 * node, and first orders the blocks by node, if they are not stored in that
 * order.
 *
 * Rounds  those of outer on N nodes, twice, and of inner on p ranks per node
 * Volume  n - m_root bytes from the root, as in any scatterv, and the nodes'
 *         bytes again inside them; 8 bytes of sizes per rank
 * Cost    at most outer(N, 8 p bytes) + outer(N) + inner(p), with the largest
 *         blocks everywhere
 * Needs   several nodes with several ranks, placed in blocks; any root and
 *         datatype. The algorithm is valid for any placement, but without a
 *         known cost it is refused there
 * Source  Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/rooted.h"
#include "algorithms/engines/composed/two_level_v.h"

/* Indexed like chorale_level_v_word; the words are those of equal blocks. */
static const struct chorale_alg *const part[] = {
    &chorale_scatterv_binomial_counts,
    &chorale_scatterv_linear,
    &chorale_scatterv_linear_nb,
};

/* Leaders receive the sizes of their node's blocks from the root. */
static int learn_sizes(struct chorale_level_v *st)
{
    struct chorale_ctx *ctx = st->call->ctx;
    struct chorale_topology *t = st->t;
    int ranks = st->whole != NULL ? ctx->size : t->inner.size, err;
    int64_t *all = chorale_scratch(ctx, (size_t)ranks * sizeof(*all));
    int64_t *size = all;

    if (all == NULL)
        return MPI_ERR_NO_MEM;
    if (st->whole != NULL) {
        chorale_sizes_v_read(t, st->whole, 0, ctx->size, all);
        size += t->start[t->node];
    }
    err = chorale_outer_scatter(t, t->index[st->call->root],
                                st->call->param[1], sizeof(*size), all, size);
    return err == MPI_SUCCESS ? chorale_sizes_v_node(&st->node, ctx, t, size)
                              : err;
}

static int in_node(const struct chorale_level_v *st,
                   const struct chorale_node_blocks *b)
{
    struct chorale_call call = chorale_node_scatter(st->call, st->t, b);

    call.sendcounts = st->node.count;
    call.sdispls = st->node.displ;
    return chorale_part_run(part[st->call->param[0]], &call);
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_level_v st = { .call = call, .t = t };
    struct chorale_rooted side = chorale_rooted_at(call, CHORALE_SCATTERV);
    struct chorale_node_blocks b;
    int err = MPI_SUCCESS;

    if (ctx->rank == call->root)
        st.whole = &side.all;
    if (t->leads)
        err = learn_sizes(&st);
    if (err == MPI_SUCCESS)
        err = chorale_node_blocks_init(&b, ctx, t, st.whole, st.node.bytes);
    if (err == MPI_SUCCESS && st.whole != NULL && !b.direct)
        err = chorale_nodes_pack(ctx, t, st.whole, b.all);
    if (err == MPI_SUCCESS && t->leads)
        err = chorale_level_v_outer(&st, &b, 0, part[call->param[1]]);
    return err == MPI_SUCCESS ? in_node(&st, &b) : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, call->root, levels);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point sizes = *pt;
    int n;

    sizes.msg_size = sizeof(int64_t);
    n = chorale_outer_cost(&sizes, pt->param[1], term);
    return n + chorale_two_level_v_cost(pt, pt->param[0], pt->param[1], 16,
                                        term + n);
}

const struct chorale_alg chorale_scatterv_two_level = {
    .coll = CHORALE_SCATTERV,
    .name = "two_level",
    .summary = "to the leaders of the nodes, then in each node",
    .formula = "<= as outer(N) of 8 p bytes + outer(N) + inner(p), of the "
               "largest blocks",
    .source = "Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.8,
    .tells = 1,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_PARTS("inner", "in a node", CHORALE_OUTER_LINEAR,
                            chorale_level_v_word, CHORALE_FEW_OUTERS),
        CHORALE_PARAM_PARTS("outer", "among leaders", CHORALE_OUTER_LINEAR,
                            chorale_level_v_word, CHORALE_FEW_OUTERS),
    },
    .run = run,
    .cost = cost,
    .overlaps_at = chorale_two_level_v_overlaps,
    .scratch = chorale_two_level_v_scratch,
};
