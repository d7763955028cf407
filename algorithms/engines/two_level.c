/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - see two_level.h. The leaders know how many ranks each node
 * has, so a tree of blocks of different sizes needs no exchange of counts. */
#include "algorithms/engines/two_level.h"

#include "algorithms/engines/block_tree.h"

const char *const chorale_outer_word[] = { "binomial", "linear" };

/* A k-nomial tree of as high a radix as there are nodes is flat. */
static long radix_of(long outer, int nodes)
{
    return outer == CHORALE_OUTER_LINEAR && nodes > 2 ? nodes : 2;
}

/* Where the blocks of this leader's subtree start. */
static int set_offset(struct chorale_block_tree *tree,
                      const struct chorale_topology *t, int root, size_t m)
{
    size_t span = (size_t)tree->tree.span;
    int64_t *offset = chorale_scratch(tree->ctx,
                                      (span + 1) * sizeof(*offset));

    if (offset == NULL)
        return MPI_ERR_NO_MEM;
    offset[0] = 0;
    for (size_t i = 0; i < span; i++) {
        int node = (int)(((size_t)tree->tree.v + i + (size_t)root) %
                         (size_t)t->nodes);

        offset[i + 1] = offset[i] +
                        (int64_t)m * chorale_topology_members(t, node);
    }
    tree->offset = offset;
    return MPI_SUCCESS;
}

static int set_tree(struct chorale_block_tree *tree,
                    struct chorale_topology *t, int root, size_t m, void *all,
                    void *mine)
{
    MPI_Count own = (MPI_Count)m * chorale_topology_members(t, t->node);
    MPI_Count *counts;
    MPI_Aint *displs;
    int err;

    tree->buf = mine;
    tree->count = own;
    tree->type = MPI_PACKED;
    if (chorale_topology_regular(t)) {
        tree->m = (size_t)own;
        tree->all = chorale_blocks_equal(all, own, MPI_PACKED, t->nodes);
        return MPI_SUCCESS;
    }
    if (t->node != root)
        return set_offset(tree, t, root, m);
    err = chorale_topology_counts(t, &t->outer, m, &counts, &displs);
    if (err == MPI_SUCCESS)
        tree->all = chorale_blocks_given(all, counts, displs, MPI_PACKED,
                                         t->nodes);
    return err;
}

int chorale_outer_gather(struct chorale_topology *t, int root, long outer,
                         size_t m, void *all, void *mine)
{
    struct chorale_block_tree tree = chorale_block_tree_at(
        &t->outer, root, radix_of(outer, t->nodes), 0);
    int err = set_tree(&tree, t, root, m, all, mine);

    return err == MPI_SUCCESS ? chorale_gather_up(&tree) : err;
}

int chorale_outer_scatter(struct chorale_topology *t, int root, long outer,
                          size_t m, void *all, void *mine)
{
    struct chorale_block_tree tree = chorale_block_tree_at(
        &t->outer, root, radix_of(outer, t->nodes), 1);
    int err = set_tree(&tree, t, root, m, all, mine);

    return err == MPI_SUCCESS ? chorale_scatter_down(&tree) : err;
}

static struct chorale_point node_blocks(const struct chorale_point *out,
                                        int ppn)
{
    struct chorale_point pt = *out;

    pt.msg_size *= (size_t)ppn;
    pt.n = pt.msg_size * (size_t)pt.comm_size;
    return pt;
}

int chorale_outer_cost(const struct chorale_point *out, long outer, int ppn,
                       struct chorale_term *term)
{
    struct chorale_point pt = node_blocks(out, ppn);

    return chorale_cost_block_tree(&pt, radix_of(outer, pt.comm_size), term);
}

size_t chorale_outer_scratch(const struct chorale_point *out, long outer,
                             int ppn)
{
    struct chorale_point pt = node_blocks(out, ppn);

    return chorale_scratch_block_tree(&pt, radix_of(outer, pt.comm_size)) +
           sizeof(int64_t) * ((size_t)pt.comm_size + 1);
}

int chorale_nodes_pack(struct chorale_ctx *ctx,
                       const struct chorale_topology *t, const void *buf,
                       MPI_Count count, MPI_Datatype type, char *bytes)
{
    MPI_Aint stride = chorale_type_extent(type) * (MPI_Aint)count;
    size_t m = chorale_type_size(type) * (size_t)count;
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_pack(ctx, chorale_at(buf, stride, t->order[i]), count,
                           type, bytes + m * (size_t)i);
    return err;
}

int chorale_nodes_unpack(struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const char *bytes,
                         void *buf, MPI_Count count, MPI_Datatype type,
                         int except)
{
    MPI_Aint stride = chorale_type_extent(type) * (MPI_Aint)count;
    size_t m = chorale_type_size(type) * (size_t)count;
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++)
        if (t->order[i] != except)
            err = chorale_unpack(ctx, bytes + m * (size_t)i,
                                 chorale_at(buf, stride, t->order[i]), count,
                                 type);
    return err;
}
