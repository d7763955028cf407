/* SPDX-License-Identifier: BSD-3-Clause */
/* split_scatter.c - broadcast of long vectors by scatter and allgather. */
#include "algorithms/engines/composed/split_scatter.h"

#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/packed.h"
#include "algorithms/tree.h"

/* Empty ranges are not sent. */
static int scatter(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                   int root, long radix)
{
    struct chorale_block_tree t = chorale_block_tree_at(ctx, root, radix, 1);
    int err = MPI_SUCCESS;
    MPI_Count count;
    void *at;

    if (t.tree.parent >= 0) {
        at = chorale_block_range(b, t.tree.v, t.tree.span, &count);
        if (count > 0)
            err = chorale_recv(ctx, at, count, b->type,
                               chorale_block_tree_rank(&t, t.tree.parent));
    }
    for (int i = 0; i < t.tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(&t, i, &blocks);

        at = chorale_block_range(b, child, blocks, &count);
        if (count > 0)
            err = chorale_send(ctx, at, count, b->type,
                               chorale_block_tree_rank(&t, child));
    }
    return err;
}

int chorale_bcast_scattered(const struct chorale_call *call, long radix,
                            chorale_spread *spread, int spread_radix)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_packed p;
    struct chorale_blocks b;
    int err;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    err = chorale_packed_init(&p, ctx, call->recvbuf, call->recvcount,
                              call->recvtype);
    if (err != MPI_SUCCESS)
        return err;
    b = chorale_blocks_split(p.bytes, (MPI_Count)p.n, MPI_PACKED, ctx->size);
    if (ctx->rank == call->root)
        err = chorale_packed_pack(&p);
    if (err == MPI_SUCCESS)
        err = scatter(ctx, &b, call->root, radix);
    if (err == MPI_SUCCESS)
        err = spread(ctx, &b, call->root, spread_radix);
    if (err == MPI_SUCCESS && ctx->rank != call->root)
        err = chorale_packed_unpack(&p);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_cost_split_scatter(const struct chorale_point *pt, long radix,
                               struct chorale_term *term)
{
    struct chorale_tree tree;
    size_t offset, length;
    int messages = 0;

    if (pt->comm_size < 2)
        return 0;
    chorale_tree_init(&tree, CHORALE_KNOMIAL, radix, pt->comm_size, 0);
    for (int i = 0; i < tree.nchild; i++)
        messages += (size_t)chorale_tree_child(&tree, i) < pt->msg_size;
    if (messages == 0)
        return 0;
    chorale_split(pt->msg_size, pt->comm_size, 0, &offset, &length);
    term[0] = (struct chorale_term){
        .messages = messages,
        .bytes = (double)(pt->msg_size - length) / messages,
    };
    return 1;
}
