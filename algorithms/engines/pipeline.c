/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - vectors that flow through a tree in segments: see
 * pipeline.h. */
#include "algorithms/engines/pipeline.h"

#include "algorithms/ctx.h"

const long chorale_segsizes[CHORALE_NSEGSIZE] = {
    0, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 524288, 1048576
};
const long chorale_radixes[CHORALE_NRADIX] = { 2, 3, 4, 8, 16 };
const long chorale_fanouts[CHORALE_NFANOUT] = { 1, 2, 4, 8 };

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

static int real_rank(const struct chorale_view *view, int v)
{
    int rank = v * view->stride + view->shift;

    return rank < view->ctx->size ? rank : rank - view->ctx->size;
}

static int child_rank(const struct chorale_view *view, int i)
{
    return real_rank(view, chorale_tree_child(&view->tree, i));
}

/* The tree of flow with its root at rank base. */
static void view_init(struct chorale_view *view, struct chorale_ctx *ctx,
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
    view->parent = view->tree.parent < 0 ? -1
                                         : real_rank(view, view->tree.parent);
}

/* --- down ------------------------------------------------------------- */

static int whole_down(const struct chorale_view *view,
                      const struct chorale_call *call)
{
    int err = MPI_SUCCESS;

    if (view->parent >= 0)
        err = chorale_recv(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, view->parent);
    for (int i = 0; i < view->tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, child_rank(view, i));
    return err;
}

/* The packed vector, its segments, and the two that are awaited. */
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

/* Await segment j, if there is one. Both come from the parent, which sends
 * them one after the other. */
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
                               MPI_PACKED, child_rank(view, i));
    }
    last = chorale_waitall(view->ctx, 2, d.coming);
    return err == MPI_SUCCESS ? last : err;
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

    view_init(&view, call->ctx, flow, call->root);
    return chorale_flow_down(&view, bytes, n, (size_t)flow->segsize);
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
    view_init(&view, call->ctx, flow, call->root);
    return whole_down(&view, call);
}

/* --- up --------------------------------------------------------------- */

/* Operands are combined in one of two ways. Own data left: what comes from a
 * child is the right operand and takes the result. Own data right
 * (own_last): it is copied to where the result grows, and what comes is the
 * left operand; no copy is needed where it is there already. */
struct up {
    struct chorale_view view;
    const struct chorale_call *call;
    MPI_Aint extent;
    MPI_Count s, segments, last; /* elements; segments; elements of last */
    char *own;                   /* the whole vectors */
    char *result;                /* NULL: not wanted at this rank */
    int own_last;
    void *acc;                   /* what the segment at hand amounts to */
    void *spare[3];              /* room for one segment each */
    void *leaving;               /* on its way to the parent, or NULL */
    MPI_Request sending;
    const void *below;           /* what children get meanwhile, or NULL */
    MPI_Count below_length;
};

static MPI_Count up_length(const struct up *u, MPI_Count j)
{
    return j + 1 < u->segments ? u->s : u->last;
}

static void *free_spare(const struct up *u)
{
    int i = 0;

    while (i < 2 && (u->spare[i] == u->acc || u->spare[i] == u->leaving))
        i++;
    return u->spare[i];
}

/* several: a segment is on its way while the next is combined. */
static int up_spares(struct up *u, int several)
{
    int n = chorale_flow_spares(&u->view.tree, several, u->own_last,
                                u->result != NULL, u->own == u->result);

    for (int i = 0; i < n; i++) {
        u->spare[i] = chorale_scratch_typed(u->view.ctx, u->s,
                                            u->call->recvtype);
        if (u->spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Receive from child i and combine; meanwhile it gets u->below. at: where the
 * segment's result is wanted, or NULL. */
static int combine_child(struct up *u, int i, MPI_Count length, void *at)
{
    const struct chorale_call *call = u->call;
    int to_result = i == 0 && at != NULL && !u->own_last && at != u->acc;
    void *in = to_result ? at : free_spare(u);
    int child = child_rank(&u->view, i), err;

    if (u->below == NULL)
        err = chorale_recv(u->view.ctx, in, length, call->recvtype, child);
    else
        err = chorale_sendrecv(u->view.ctx, u->below, u->below_length,
                               call->recvtype, child, in, length,
                               call->recvtype, child);
    if (err != MPI_SUCCESS)
        return err;
    if (u->own_last)
        return chorale_reduce_local(u->view.ctx, in, u->acc, length,
                                    call->recvtype, call->op);
    err = chorale_reduce_local(u->view.ctx, u->acc, in, length,
                               call->recvtype, call->op);
    u->acc = in;
    return err;
}

/* Combine segment j of the subtree into u->acc, or into the result. */
static int combine(struct up *u, MPI_Count j)
{
    const struct chorale_call *call = u->call;
    MPI_Count length = up_length(u, j);
    MPI_Aint first = (MPI_Aint)(j * u->s);
    void *own = chorale_at(u->own, u->extent, first);
    void *at = u->result == NULL ? NULL
                                 : chorale_at(u->result, u->extent, first);
    int err = MPI_SUCCESS;

    u->acc = own;
    if (u->own_last && u->view.tree.nchild > 0) {
        u->acc = at != NULL ? at : free_spare(u);
        if (u->acc != own)
            err = chorale_copy(u->view.ctx, own, length, call->recvtype,
                               u->acc, length, call->recvtype);
    }
    for (int i = u->view.tree.nchild - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = combine_child(u, i, length, at);
    if (err == MPI_SUCCESS && at != NULL && at != u->acc)
        err = chorale_copy(u->view.ctx, u->acc, length, call->recvtype, at,
                           length, call->recvtype);
    return err;
}

/* Send u->acc to the parent, after the segment before it. */
static int pass_up(struct up *u, MPI_Count j)
{
    MPI_Datatype type = u->call->recvtype;
    int err = MPI_SUCCESS;

    if (u->leaving != NULL)
        err = chorale_wait(u->view.ctx, &u->sending);
    u->leaving = NULL;
    if (err != MPI_SUCCESS)
        return err;
    if (j + 1 == u->segments || u->view.tree.nchild == 0)
        return chorale_send(u->view.ctx, u->acc, up_length(u, j), type,
                            u->view.parent);
    err = chorale_isend(u->view.ctx, u->acc, up_length(u, j), type,
                        u->view.parent, &u->sending);
    if (err == MPI_SUCCESS)
        u->leaving = u->acc;
    return err;
}

static int segments_up(struct up *u)
{
    int err = MPI_SUCCESS, last = MPI_SUCCESS;

    for (MPI_Count j = 0; j < u->segments && err == MPI_SUCCESS; j++) {
        err = combine(u, j);
        if (err == MPI_SUCCESS && u->view.parent >= 0)
            err = pass_up(u, j);
    }
    if (u->leaving != NULL)
        last = chorale_wait(u->view.ctx, &u->sending);
    return err == MPI_SUCCESS ? last : err;
}

/* The tree's root passes the result on to the reduction's. */
static int deliver(const struct up *u, int base)
{
    const struct chorale_call *call = u->call;
    struct chorale_ctx *ctx = call->ctx;

    if (ctx->rank == call->root)
        return chorale_recv(ctx, call->recvbuf, call->recvcount,
                            call->recvtype, base);
    if (ctx->rank != base)
        return MPI_SUCCESS;
    return chorale_send(ctx, u->result != NULL ? u->result : u->acc,
                        call->recvcount, call->recvtype, call->root);
}

/* Cut the vector, and say where its result is wanted. Fields one by one:
 * clearing the whole costs as much as a short message's way through here. */
static int up_init(struct up *u, const struct chorale_call *call,
                   const struct chorale_flow *flow, int base)
{
    int in_place = call->sendbuf == MPI_IN_PLACE;

    view_init(&u->view, call->ctx, flow, base);
    u->call = call;
    u->extent = 0;
    u->result = NULL;
    u->spare[0] = u->spare[1] = u->spare[2] = NULL;
    u->leaving = NULL;
    u->below = NULL;
    u->own = in_place ? call->recvbuf : (char *)call->sendbuf;
    u->own_last = flow->shape == CHORALE_IN_ORDER;
    u->s = u->last = call->recvcount;
    u->segments = 1;
    if (flow->segsize > 0) {
        size_t size = chorale_type_size(call->recvtype);
        size_t s = chorale_whole_segment(flow->segsize, size), last;

        u->segments = (MPI_Count)chorale_segments(
            size * (size_t)call->recvcount, s, &last);
        if (u->segments > 1) {
            u->s = (MPI_Count)(s / size);
            u->last = (MPI_Count)(last / size);
            u->extent = chorale_type_extent(call->recvtype);
        }
    }
    if (u->view.ctx->rank != base)
        return MPI_SUCCESS;
    if (base == call->root) {
        u->result = call->recvbuf;
        u->own_last |= in_place && call->commutative;
    } else if (u->segments > 1) {
        u->result = chorale_scratch_typed(call->ctx, call->recvcount,
                                          call->recvtype);
        if (u->result == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int chorale_flow_reduce(const struct chorale_call *call,
                        const struct chorale_flow *flow, int base)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct up u;
    int err = up_init(&u, call, flow, base);

    if (err == MPI_SUCCESS)
        err = up_spares(&u, u.segments > 1);
    if (err == MPI_SUCCESS)
        err = segments_up(&u);
    if (err == MPI_SUCCESS && base != call->root)
        err = deliver(&u, base);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

/* --- up and down ------------------------------------------------------ */

/* Segment j of the result, where every rank wants it. */
static void *final(const struct up *u, MPI_Count j)
{
    return chorale_at(u->call->recvbuf, u->extent, (MPI_Aint)(j * u->s));
}

/* The result's segment to all children. */
static int pass_down(struct up *u)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < u->view.tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(u->view.ctx, u->below, u->below_length,
                           u->call->recvtype, child_rank(&u->view, i));
    return err;
}

/* Segment up goes to the parent, segment down of the result comes. */
static int meet_parent(struct up *u, MPI_Count up, MPI_Count down)
{
    struct chorale_ctx *ctx = u->view.ctx;
    MPI_Datatype type = u->call->recvtype;
    int sends = up < u->segments, parent = u->view.parent;

    if (down < 0 || down >= u->segments)
        return sends ? chorale_send(ctx, u->acc, up_length(u, up), type,
                                    parent)
                     : MPI_SUCCESS;
    if (!sends)
        return chorale_recv(ctx, final(u, down), up_length(u, down), type,
                            parent);
    return chorale_sendrecv(ctx, u->acc, up_length(u, up), type, parent,
                            final(u, down), up_length(u, down), type,
                            parent);
}

/* In round r a rank combines segment r. The root of the tree has segment
 * r - 1 of the result by then, a rank at depth d segment r - d - 1: that goes
 * to the children in the steps in which segment r comes from them. */
static int rounds(struct up *u)
{
    int depth = chorale_tree_depth(&u->view.tree), err = MPI_SUCCESS;

    for (MPI_Count r = 0; r <= u->segments + depth && err == MPI_SUCCESS;
         r++) {
        MPI_Count down = r - depth - 1;

        u->below = NULL;
        if (down >= 0) {
            u->below = final(u, down);
            u->below_length = up_length(u, down);
        }
        if (r < u->segments)
            err = combine(u, r);
        else if (down >= 0)
            err = pass_down(u);
        if (err == MPI_SUCCESS && u->view.parent >= 0)
            err = meet_parent(u, r, r - depth);
    }
    return err;
}

int chorale_flow_allreduce(const struct chorale_call *call,
                           const struct chorale_flow *flow)
{
    struct chorale_call part = *call;
    size_t mark = chorale_scratch_mark(call->ctx);
    struct up u;
    int err;

    part.root = flow->shape == CHORALE_IN_ORDER ? call->ctx->size - 1 : 0;
    err = up_init(&u, &part, flow, part.root);
    if (err == MPI_SUCCESS)
        err = up_spares(&u, 0);
    if (err == MPI_SUCCESS)
        err = rounds(&u);
    chorale_scratch_release(call->ctx, mark);
    return err;
}
