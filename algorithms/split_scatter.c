/* SPDX-License-Identifier: BSD-3-Clause */
/* split_scatter.c - see split_scatter.h. */
#include "algorithms/split_scatter.h"

#include "algorithms/block_tree.h"
#include "algorithms/packed.h"
#include "algorithms/tree.h"

static int scatter(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                   int root, long radix)
{
    int size = ctx->size, v = (ctx->rank - root + size) % size;
    struct chorale_node node;
    int blocks, err = MPI_SUCCESS;
    MPI_Count count;
    void *at;

    chorale_node_init(&node, v, size, radix, 1);
    if (node.parent >= 0) {
        at = chorale_block_range(b, v, node.blocks, &count);
        err = chorale_recv(ctx, at, count, b->type,
                           (int)(((long)node.parent + root) % size));
    }
    for (int child; err == MPI_SUCCESS;) {
        child = chorale_node_next(&node, &blocks);
        if (child < 0)
            break;
        at = chorale_block_range(b, child, blocks, &count);
        err = chorale_send(ctx, at, count, b->type,
                           (int)(((long)child + root) % size));
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
        err = chorale_packed_out(&p);
    if (err == MPI_SUCCESS)
        err = scatter(ctx, &b, call->root, radix);
    if (err == MPI_SUCCESS)
        err = spread(ctx, &b, call->root, spread_radix);
    if (err == MPI_SUCCESS && ctx->rank != call->root)
        err = chorale_packed_in(&p);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_cost_split_scatter(const struct chorale_point *pt, long radix,
                               struct chorale_term *term)
{
    struct chorale_node node;
    size_t offset, length;
    int blocks, n = 0;

    if (pt->comm_size < 2)
        return 0;
    chorale_node_init(&node, 0, pt->comm_size, radix, 1);
    while (chorale_node_next(&node, &blocks) >= 0)
        n++;
    chorale_split(pt->msg_size, pt->comm_size, 0, &offset, &length);
    term[0] = (struct chorale_term){
        .messages = n,
        .bytes = (double)(pt->msg_size - length) / n,
    };
    return 1;
}
