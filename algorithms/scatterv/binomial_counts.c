/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial_counts.c - binomial-tree scatterv with the counts sent ahead.
 *
 * Only the root knows all counts. The bytes of the blocks therefore travel down
 * the tree first, to all ranks that have children; then the data follow.
 *
 * Rounds  2 L - 1, L = ceil(lg P)             P = comm_size
 * Volume  n - m_root bytes from the root, and at most 8 P bytes of counts
 * Cost    at most (2 L - 1) alpha + 16 P beta for the counts, and for the data
 *         the bytes of the 1, 2, 4, ... largest blocks
 * Needs   any P, any root, any datatype; a rank holds its subtree's bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005: the tree
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/flat.h"

/* size[i] is the bytes of block v + i: send each child its part. */
static int counts_down(const struct chorale_block_tree *t,
                       const int64_t *size)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);

        if (blocks > 1)
            err = chorale_send(t->ctx, size + (child - t->tree.v), blocks,
                               MPI_INT64_T,
                               chorale_block_tree_rank(t, child));
    }
    return err;
}

static int run_root(const struct chorale_call *call,
                    struct chorale_block_tree *t)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int64_t *size = chorale_scratch(ctx, (size_t)ctx->size * sizeof(*size));
    int64_t unit = (int64_t)chorale_type_size(call->sendtype);
    int err = MPI_ERR_NO_MEM;

    for (int v = 0; size != NULL && v < ctx->size; v++)
        size[v] = unit *
                  (int64_t)call->sendcounts[chorale_block_tree_rank(t, v)];
    if (size != NULL)
        err = counts_down(t, size);
    chorale_scratch_release(ctx, mark);
    if (err == MPI_SUCCESS)
        err = chorale_scatter_down(t);
    return err == MPI_SUCCESS ? chorale_scatterv_own(call) : err;
}

/* A rank with children. */
static int run_inner(struct chorale_block_tree *t)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t blocks = (size_t)t->tree.span;
    int64_t *offset = chorale_scratch(t->ctx, (blocks + 1) * sizeof(*offset));
    int err = MPI_ERR_NO_MEM;

    if (offset != NULL)
        err = chorale_recv(t->ctx, offset + 1, t->tree.span, MPI_INT64_T,
                           chorale_block_tree_rank(t, t->tree.parent));
    if (err == MPI_SUCCESS)
        err = counts_down(t, offset + 1);
    if (err == MPI_SUCCESS) {
        chorale_block_tree_sum(t, offset);
        err = chorale_scatter_down(t);
    }
    chorale_scratch_release(t->ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_block_tree t = chorale_block_tree_call(
        call, CHORALE_SCATTERV, 2, 1);

    if (t.tree.parent < 0)
        return run_root(call, &t);
    return t.tree.span > 1 ? run_inner(&t) : chorale_scatter_down(&t);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_counted_tree(pt, 16.0, term);
}

const struct chorale_alg chorale_scatterv_binomial_counts = {
    .coll = CHORALE_SCATTERV,
    .name = "binomial_counts",
    .summary = "binomial tree; the counts go down before the data",
    .formula = "<= (2 ceil(lg P) - 1) alpha + (16 P + G) beta, G the 1, 2, 4, "
               "... largest blocks but the root's",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.9, /* 3 ranks need no counts */
    .tells = 1,
    .run = run,
    .cost = cost,
    .scratch = chorale_scratch_counted_tree,
};
