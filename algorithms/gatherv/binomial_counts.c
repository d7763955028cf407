/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial_counts.c - binomial-tree gatherv. Only the root knows all counts,
 * so the bytes of the blocks go up the tree first, as far as the root's
 * children; then each inner rank knows what its subtree brings.
 *
 * Rounds  2 L - 1, L = ceil(lg P)             P = comm_size
 * Volume  n - m_root bytes into the root, and at most 8 P bytes of counts
 * Cost    at most (2 L - 1) alpha + 4 P beta for the counts, and for the data
 *         those of the 1, 2, 4, ... largest blocks
 * Needs   any P, any root, any datatype; a rank holds its subtree's bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005: the tree
 */
#include "algorithms/block_tree.h"
#include "algorithms/catalogue.h"
#include "algorithms/flat.h"
#include "algorithms/tree.h"

/* Bytes of the blocks of this rank's subtree to size[0 ...], and on to the
 * parent, unless that is the root. */
static int counts_up(const struct chorale_block_tree *t, int64_t *size)
{
    struct chorale_ctx *ctx = t->ctx;
    int v = (ctx->rank - t->root + ctx->size) % ctx->size;
    int child, blocks, err = MPI_SUCCESS;
    struct chorale_node node;

    chorale_node_init(&node, v, ctx->size, t->radix, t->far);
    size[0] = (int64_t)chorale_type_size(t->type) * (int64_t)t->count;
    while (err == MPI_SUCCESS &&
           (child = chorale_node_next(&node, &blocks)) >= 0)
        err = chorale_recv(ctx, size + (child - v), blocks, MPI_INT64_T,
                           (int)(((long)child + t->root) % ctx->size));
    if (err == MPI_SUCCESS && node.parent > 0)
        err = chorale_send(ctx, size, node.blocks, MPI_INT64_T,
                           (int)(((long)node.parent + t->root) % ctx->size));
    return err;
}

static int run_root(const struct chorale_call *call)
{
    struct chorale_block_tree t = {
        .ctx = call->ctx,
        .root = call->root,
        .radix = 2,
        .all = chorale_blocks_given(call->recvbuf, call->recvcounts,
                                    call->rdispls, call->recvtype,
                                    call->ctx->size),
    };
    int err = chorale_gather_up(&t);

    return err == MPI_SUCCESS ? chorale_gatherv_own(call) : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_block_tree t = {
        .ctx = ctx,
        .root = call->root,
        .radix = 2,
        .buf = chorale_at(call->sendbuf, 0, 0),
        .count = call->sendcount,
        .type = call->sendtype,
    };
    size_t mark = chorale_scratch_mark(ctx);
    int blocks, err = MPI_ERR_NO_MEM;
    int64_t *offset;

    if (ctx->rank == call->root)
        return run_root(call);
    blocks = chorale_binomial_subtree(
        (ctx->rank - call->root + ctx->size) % ctx->size, ctx->size);
    offset = chorale_scratch(ctx, ((size_t)blocks + 1) * sizeof(*offset));
    if (offset != NULL)
        err = counts_up(&t, offset + 1);
    if (err == MPI_SUCCESS) {
        offset[0] = 0;
        for (int i = 0; i < blocks; i++)
            offset[i + 1] += offset[i];
        t.offset = offset;
        err = chorale_gather_up(&t);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int rounds = chorale_ceil_log2(pt->comm_size) - 1, n = 0;

    if (rounds > 0)
        term[n++] = (struct chorale_term){
            .messages = rounds,
            .bytes = 4.0 * pt->comm_size / rounds,
        };
    return n + chorale_cost_ramp_tree(pt, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_ramp_tree(pt) +
           sizeof(int64_t) * ((size_t)pt->comm_size + 1);
}

const struct chorale_alg chorale_gatherv_binomial_counts = {
    .coll = CHORALE_GATHERV,
    .name = "binomial_counts",
    .summary = "binomial tree; the counts go up before the data",
    .formula = "<= (2 ceil(lg P) - 1) alpha + (4 P + sum of the 1, 2, 4, ... "
               "largest blocks) beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .cost_is = CHORALE_COST_BOUND,
    .opaque = 1,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
