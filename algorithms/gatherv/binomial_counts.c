/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial_counts.c - binomial-tree gatherv with the counts sent ahead.
 *
 * Only the root knows all counts. The bytes of the blocks therefore travel up
 * the tree first, up to the root's children, so that each inner rank knows the
 * blocks of its subtree.
 *
 * Rounds  2 L - 1, L = ceil(lg P)             P = comm_size
 * Volume  n - m_root bytes into the root, without counts; less than 4 P bytes
 *         of counts into any other rank
 * Cost    at most (2 L - 1) alpha + 4 P beta for the counts, and for the data
 *         the bytes of the 1, 2, 4, ... largest blocks
 * Needs   any P, any root, any datatype; a rank holds its subtree's bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005: the tree
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/flat.h"

/* Collect the bytes of this subtree's blocks in size[0 ...], and send them to
 * the parent, unless that is the root. */
static int counts_up(const struct chorale_block_tree *t, int64_t *size)
{
    int err = MPI_SUCCESS;

    size[0] = (int64_t)chorale_type_size(t->type) * (int64_t)t->count;
    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);

        err = chorale_recv(t->ctx, size + (child - t->tree.v), blocks,
                           MPI_INT64_T, chorale_block_tree_rank(t, child));
    }
    if (err == MPI_SUCCESS && t->tree.parent > 0)
        err = chorale_send(t->ctx, size, t->tree.span, MPI_INT64_T,
                           chorale_block_tree_rank(t, t->tree.parent));
    return err;
}

static int run_other(struct chorale_block_tree *t)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t blocks = (size_t)t->tree.span;
    int64_t *offset = chorale_scratch(t->ctx, (blocks + 1) * sizeof(*offset));
    int err = MPI_ERR_NO_MEM;

    if (offset != NULL)
        err = counts_up(t, offset + 1);
    if (err == MPI_SUCCESS) {
        chorale_block_tree_sum(t, offset);
        err = chorale_gather_up(t);
    }
    chorale_scratch_release(t->ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_block_tree t = chorale_block_tree_call(
        call, CHORALE_GATHERV, 2, 0);
    int err;

    if (t.tree.parent >= 0)
        return run_other(&t);
    err = chorale_gather_up(&t);
    return err == MPI_SUCCESS ? chorale_gatherv_own(call) : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_counted_tree(pt, 4.0, term);
}

const struct chorale_alg chorale_gatherv_binomial_counts = {
    .coll = CHORALE_GATHERV,
    .name = "binomial_counts",
    .summary = "binomial tree; the counts go up before the data",
    .formula = "<= (2 ceil(lg P) - 1) alpha + (4 P + G) beta, G the 1, 2, 4, "
               "... largest blocks but the root's",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.9, /* 3 ranks need no counts */
    .tells = 1,
    .run = run,
    .cost = cost,
    .scratch = chorale_scratch_counted_tree,
};
