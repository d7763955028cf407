/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - pipelined broadcast along a tree. */
#include "algorithms/engines/rooted/pipeline.h"

#include "algorithms/context.h"

const long chorale_segsizes[CHORALE_NSEGSIZE] = {
    0, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 524288, 1048576
};
const long chorale_radixes[CHORALE_NRADIX] = { 2, 3, 4, 8, 16 };
const long chorale_fanouts[CHORALE_NFANOUT] = { 1, 2, 4, 8 };
const long chorale_leaf_reqs[3] = { 0, 2, 8 };
const long chorale_more_leaf_reqs[CHORALE_NMORE_LEAF_REQS] = { 4, 16, 32, 64 };
const long chorale_no_yes[2] = { 0, 1 };

size_t chorale_segments(size_t n, size_t s, size_t *last)
{
    size_t before;

    *last = n;
    if (s == 0 || n <= s)
        return 1;
    before = (n - 1) / s;
    *last = n - before * s;
    return before + 1;
}

size_t chorale_whole_segment(long segsize, size_t type_size)
{
    size_t s = (size_t)segsize;

    if (s == 0 || type_size == 0)
        return 0;
    return s < type_size ? type_size : s - s % type_size;
}

int chorale_view_rank(const struct chorale_view *view, int v)
{
    int rank = v * view->stride + view->shift;

    return rank < view->ctx->size ? rank : rank - view->ctx->size;
}

int chorale_view_child(const struct chorale_view *view, int i)
{
    return chorale_view_rank(view, chorale_tree_child(&view->tree, i));
}

void chorale_view_init(struct chorale_view *view, struct chorale_ctx *ctx,
                       const struct chorale_flow *flow, int base)
{
    int v = ctx->rank - base;

    view->ctx = ctx;
    view->stride = 1;
    view->shift = base;
    if (flow->shape == CHORALE_IN_ORDER) {
        v--;
        view->shift = base + 1 < ctx->size ? base + 1 : 0;
    }
    chorale_tree_init(&view->tree, flow->shape, flow->radix, ctx->size,
                      v < 0 ? v + ctx->size : v);
    view->parent = view->tree.parent < 0
                       ? -1
                       : chorale_view_rank(view, view->tree.parent);
}

/* --- down ------------------------------------------------------------- */

static int bcast_one_segment(const struct chorale_view *view,
                             const struct chorale_call *call)
{
    int err = MPI_SUCCESS;

    if (view->parent >= 0)
        err = chorale_recv(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, view->parent);
    for (int i = 0; i < view->tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, chorale_view_child(view, i));
    return err;
}

/* State of a pipelined broadcast: the packed vector, its segments, and the two
 * receives in flight. */
struct down {
    const struct chorale_view *view;
    char *bytes;
    size_t s, segments, last;
    MPI_Request coming[2];
};

static MPI_Count down_length(const struct down *d, size_t j)
{
    return (MPI_Count)(j + 1 < d->segments ? d->s : d->last);
}

/* Post the receive of segment j, if it exists. Up to two are posted; the parent
 * sends them in order. */
static int await(struct down *d, size_t j)
{
    if (d->view->parent < 0 || j >= d->segments)
        return MPI_SUCCESS;
    return chorale_irecv(d->view->ctx, d->bytes + j * d->s,
                         down_length(d, j), MPI_PACKED, d->view->parent,
                         &d->coming[j % 2]);
}

int chorale_flow_down(const struct chorale_view *view, char *bytes, size_t n,
                      size_t s)
{
    struct down d = { view, bytes, s, 0, 0,
                      { MPI_REQUEST_NULL, MPI_REQUEST_NULL } };
    int err, last;

    d.segments = chorale_segments(n, s, &d.last);
    err = await(&d, 0);
    if (err == MPI_SUCCESS)
        err = await(&d, 1);
    for (size_t j = 0; j < d.segments && err == MPI_SUCCESS; j++) {
        if (view->parent >= 0)
            err = chorale_wait(view->ctx, &d.coming[j % 2]);
        if (err == MPI_SUCCESS)
            err = await(&d, j + 2);
        for (int i = 0; i < view->tree.nchild && err == MPI_SUCCESS; i++)
            err = chorale_send(view->ctx, bytes + j * s, down_length(&d, j),
                               MPI_PACKED, chorale_view_child(view, i));
    }
    last = chorale_waitall(view->ctx, 2, d.coming);
    return err == MPI_SUCCESS ? last : err;
}

/* The same, but a segment is received only after the previous one has been
 * passed on. */
static int in_turn_down(const struct chorale_view *view, char *bytes, size_t n,
                        size_t s)
{
    size_t last, segments = chorale_segments(n, s, &last);
    int err = MPI_SUCCESS;

    for (size_t j = 0; j < segments && err == MPI_SUCCESS; j++) {
        MPI_Count length = (MPI_Count)(j + 1 < segments ? s : last);
        char *at = bytes + j * s;

        if (view->parent >= 0)
            err = chorale_recv(view->ctx, at, length, MPI_PACKED,
                               view->parent);
        for (int i = 0; i < view->tree.nchild && err == MPI_SUCCESS; i++)
            err = chorale_send(view->ctx, at, length, MPI_PACKED,
                               chorale_view_child(view, i));
    }
    return err;
}

int chorale_packed_bcast(const struct chorale_call *call,
                         int (*move)(const struct chorale_call *call,
                                     const void *what, char *bytes, size_t n),
                         const void *what)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t n = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    int staged = !chorale_type_is_packed(call->recvtype);
    size_t mark = chorale_scratch_mark(ctx);
    char *bytes = staged ? chorale_scratch(ctx, n) : call->recvbuf;
    int err = MPI_SUCCESS;

    if (staged && bytes == NULL)
        return MPI_ERR_NO_MEM;
    if (staged && ctx->rank == call->root)
        err = chorale_pack(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, bytes);
    if (err == MPI_SUCCESS)
        err = move(call, what, bytes, n);
    if (err == MPI_SUCCESS && staged && ctx->rank != call->root)
        err = chorale_unpack(ctx, bytes, call->recvbuf, call->recvcount,
                             call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int segments_down(const struct chorale_call *call, const void *what,
                         char *bytes, size_t n)
{
    const struct chorale_flow *flow = what;
    struct chorale_view view;

    chorale_view_init(&view, call->ctx, flow, call->root);
    return flow->waits
               ? in_turn_down(&view, bytes, n, (size_t)flow->segsize)
               : chorale_flow_down(&view, bytes, n, (size_t)flow->segsize);
}

int chorale_flow_bcast(const struct chorale_call *call,
                       const struct chorale_flow *flow)
{
    struct chorale_view view;

    if (call->ctx->size == 1)
        return MPI_SUCCESS;
    if (flow->segsize > 0 &&
        chorale_type_size(call->recvtype) * (size_t)call->recvcount >
            (size_t)flow->segsize)
        return chorale_packed_bcast(call, segments_down, flow);
    chorale_view_init(&view, call->ctx, flow, call->root);
    return bcast_one_segment(&view, call);
}
