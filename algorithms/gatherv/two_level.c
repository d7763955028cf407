/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - gatherv in each node to its leader, then among the leaders.
 *
 * Each rank first sends its leader the size of its block; the root, which leads
 * its node, knows all sizes. It moves the blocks, which arrive ordered by node,
 * to their places.
 *
 * Rounds  those of inner on p ranks per node, twice, and of outer on N nodes
 * Volume  n - m_root bytes to the root, as in any gatherv, and the nodes' bytes
 *         again inside them; 8 bytes of sizes per rank
 * Cost    at most gather(p, 8 bytes) + inner(p) + outer(N), with the largest
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

/* Indexed like chorale_level_v_word. */
static const struct chorale_alg *const part[] = {
    &chorale_gatherv_binomial_counts,
    &chorale_gatherv_linear,
    &chorale_gatherv_linear_nb,
};
static const struct chorale_alg *const sizes_part[] = {
    &chorale_gather_binomial,
    &chorale_gather_linear,
    &chorale_gather_linear_nb,
};

/* Send the sizes to the leader, which computes the layout from them. */
static int learn_sizes(struct chorale_level_v *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_topology *t = st->t;
    struct chorale_call tell = {
        .ctx = &t->inner,
        .root = t->lead,
        .sendcount = 1,
        .recvcount = 1,
        .sendtype = MPI_INT64_T,
        .recvtype = MPI_INT64_T,
    };
    int64_t own, *size = NULL;
    int err = MPI_SUCCESS;

    if (t->leads) {
        size = chorale_scratch(call->ctx,
                               (size_t)t->inner.size * sizeof(*size));
        if (size == NULL)
            return MPI_ERR_NO_MEM;
    }
    if (st->whole != NULL) {
        chorale_sizes_v_read(t, st->whole, t->start[t->node], t->inner.size,
                             size);
    } else if (t->node != t->index[call->root]) {
        own = (int64_t)chorale_type_size(call->sendtype) *
              (int64_t)call->sendcount;
        tell.sendbuf = &own;
        tell.recvbuf = size;
        err = chorale_part_run(sizes_part[call->param[0]], &tell);
    }
    return err == MPI_SUCCESS && t->leads
               ? chorale_sizes_v_node(&st->node, call->ctx, t, size)
               : err;
}

static int in_node(const struct chorale_level_v *st,
                   const struct chorale_node_blocks *b)
{
    struct chorale_call call = chorale_node_gather(st->call, st->t, b,
                                                   st->whole);

    call.recvcounts = st->node.count;
    call.rdispls = st->node.displ;
    return chorale_part_run(part[st->call->param[0]], &call);
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_level_v st = { .call = call, .t = t };
    struct chorale_rooted side = chorale_rooted_at(call, CHORALE_GATHERV);
    struct chorale_node_blocks b;
    int err;

    if (ctx->rank == call->root)
        st.whole = &side.all;
    err = learn_sizes(&st);
    if (err == MPI_SUCCESS)
        err = chorale_node_blocks_init(&b, ctx, t, st.whole, st.node.bytes);
    if (err == MPI_SUCCESS)
        err = in_node(&st, &b);
    if (err == MPI_SUCCESS && t->leads)
        err = chorale_level_v_outer(&st, &b, 1, part[call->param[1]]);
    if (err != MPI_SUCCESS || st.whole == NULL || b.direct)
        return err;
    return chorale_nodes_unpack(ctx, t, b.all, st.whole,
                                call->sendbuf == MPI_IN_PLACE ? call->root
                                                              : -1);
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
    n = chorale_two_level_cost(&sizes, sizes_part[pt->param[0]], NULL, term);
    return n + chorale_two_level_v_cost(pt, pt->param[0], pt->param[1], 4,
                                        term + n);
}

const struct chorale_alg chorale_gatherv_two_level = {
    .coll = CHORALE_GATHERV,
    .name = "two_level",
    .summary = "in each node to its leader, then among the leaders",
    .formula = "<= as gather(p) of 8 bytes + inner(p) + outer(N), of the "
               "largest blocks",
    .source = "Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .within = 5.4, /* if the node next to the root's has a single rank */
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
