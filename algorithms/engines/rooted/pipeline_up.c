/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline_up.c - pipelined reduction, and allreduce up and down a tree. */
#include "algorithms/engines/rooted/pipeline.h"

#include "algorithms/context.h"

/* State of a pipelined reduction. Operands are combined in one of two ways. If
 * own data are on the left, the child's segment is the right operand and
 * receives the result. If own data are on the right (own_last), the child's
 * segment is the left operand. The own data are first copied to the
 * accumulator, unless they are there already. */
struct up {
    struct chorale_view view;
    const struct chorale_call *call;
    MPI_Aint extent;
    MPI_Count s, segments, last; /* elements per segment; segments; elements of
                                  * the last */
    char *own;                   /* the whole vectors */
    char *result;                /* NULL: this rank does not get the result */
    int own_last;
    void *acc;                   /* partial result of the current segment */
    void *spare[3];              /* one segment each */
    void **from;                 /* [nchild + 1] one segment per child, and one
                                  * more; NULL: the children share spare */
    MPI_Request *coming;         /* receive from each child, into from */
    void *leaving;               /* in flight to the parent, or NULL */
    MPI_Request sending;
    const void *below;           /* sent to children during the receives, or
                                  * NULL */
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

/* several: a segment is in flight while the next one is combined. */
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

/* Allocate buffers to receive from all children at once. */
static int up_room_each(struct up *u)
{
    size_t n = (size_t)u->view.tree.nchild;

    u->from = chorale_scratch(u->view.ctx, (n + 1) * sizeof(*u->from));
    u->coming = chorale_scratch(u->view.ctx, (n + 1) * sizeof(*u->coming));
    if (u->from == NULL || u->coming == NULL)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i <= n; i++) {
        u->coming[i] = MPI_REQUEST_NULL;
        u->from[i] = chorale_scratch_typed(u->view.ctx, u->s,
                                           u->call->recvtype);
        if (u->from[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Buffer for the segment of child i, to be combined next. */
static void *place_of(const struct up *u, int i, void *at)
{
    if (i == 0 && at != NULL && !u->own_last && at != u->acc)
        return at;
    return u->from != NULL ? u->from[i] : free_spare(u);
}

/* The result of the previous segment, in u->from[0], may still be in flight to
 * the parent, so that buffer alternates with the last one. */
static int await_all(struct up *u, MPI_Count length, void *at)
{
    void *leaving = u->from[0];
    int n = u->view.tree.nchild, err = MPI_SUCCESS;

    u->from[0] = u->from[n];
    u->from[n] = leaving;
    for (int i = n - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_irecv(u->view.ctx, place_of(u, i, at), length,
                            u->call->recvtype, chorale_view_child(&u->view, i),
                            &u->coming[i]);
    return err;
}

/* Receive from child i and combine, sending it u->below at the same time. at:
 * place for the segment's result, or NULL. */
static int combine_child(struct up *u, int i, MPI_Count length, void *at)
{
    const struct chorale_call *call = u->call;
    void *in = place_of(u, i, at);
    int child = chorale_view_child(&u->view, i), err;

    if (u->from != NULL)
        err = chorale_wait(u->view.ctx, &u->coming[i]);
    else if (u->below == NULL)
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
    if (u->from != NULL && err == MPI_SUCCESS)
        err = await_all(u, length, at);
    for (int i = u->view.tree.nchild - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = combine_child(u, i, length, at);
    if (err == MPI_SUCCESS && at != NULL && at != u->acc)
        err = chorale_copy(u->view.ctx, u->acc, length, call->recvtype, at,
                           length, call->recvtype);
    return err;
}

/* Send u->acc to the parent, after the previous segment. */
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
    if (err == MPI_SUCCESS)
        err = last;
    if (u->from != NULL && err != MPI_SUCCESS)
        chorale_waitall(u->view.ctx, u->view.tree.nchild, u->coming);
    return err;
}

/* A leaf with at most max_reqs sends that its parent has not begun to
 * receive. */
static int leaf_up(struct up *u, long max_reqs)
{
    struct chorale_ctx *ctx = u->view.ctx;
    MPI_Request *req = chorale_scratch(ctx, (size_t)max_reqs * sizeof(*req));
    int err = MPI_SUCCESS, last;

    if (req == NULL)
        return MPI_ERR_NO_MEM;
    for (long i = 0; i < max_reqs; i++)
        req[i] = MPI_REQUEST_NULL;
    for (MPI_Count j = 0; j < u->segments && err == MPI_SUCCESS; j++) {
        MPI_Request *next = &req[j % max_reqs];

        err = chorale_wait(ctx, next);
        if (err == MPI_SUCCESS)
            err = chorale_issend(ctx,
                                 chorale_at(u->own, u->extent,
                                            (MPI_Aint)(j * u->s)),
                                 up_length(u, j), u->call->recvtype,
                                 u->view.parent, next);
    }
    last = chorale_waitall(ctx, (int)max_reqs, req);
    return err == MPI_SUCCESS ? last : err;
}

/* 1 if this is a leaf with more segments than max_reqs allows in flight. */
static int is_limited(const struct up *u, const struct chorale_flow *flow)
{
    return flow->max_reqs > 0 && u->segments > flow->max_reqs &&
           u->view.tree.nchild == 0 && u->view.parent >= 0;
}

/* The tree's root sends the result to the call's root. */
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

/* Split the vector and set the place of the result. Fields are set one by one,
 * because clearing the whole struct takes as long as the rest of the path of a
 * short message. */
static int up_init(struct up *u, const struct chorale_call *call,
                   const struct chorale_flow *flow, int base)
{
    int in_place = call->sendbuf == MPI_IN_PLACE;

    chorale_view_init(&u->view, call->ctx, flow, base);
    u->call = call;
    u->extent = 0;
    u->result = NULL;
    u->spare[0] = u->spare[1] = u->spare[2] = NULL;
    u->from = NULL;
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

enum chorale_order chorale_flow_order_at(const struct chorale_point *pt)
{
    return pt->commutative && pt->root != 0 ? CHORALE_ORDER_FIXED
                                            : CHORALE_ORDER_RANK;
}

int chorale_flow_reduce(const struct chorale_call *call,
                        const struct chorale_flow *flow, int base)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct up u;
    int err = up_init(&u, call, flow, base);

    if (err == MPI_SUCCESS && flow->each && u.view.tree.nchild > 0)
        err = up_room_each(&u);
    else if (err == MPI_SUCCESS)
        err = up_spares(&u, u.segments > 1);
    if (err == MPI_SUCCESS)
        err = is_limited(&u, flow) ? leaf_up(&u, flow->max_reqs)
                                   : segments_up(&u);
    if (err == MPI_SUCCESS && base != call->root)
        err = deliver(&u, base);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

/* --- up and down ------------------------------------------------------ */

/* Segment j of the result, which every rank needs. */
static void *final(const struct up *u, MPI_Count j)
{
    return chorale_at(u->call->recvbuf, u->extent, (MPI_Aint)(j * u->s));
}

/* Send the result's segment to all children. */
static int pass_down(struct up *u)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < u->view.tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(u->view.ctx, u->below, u->below_length,
                           u->call->recvtype, chorale_view_child(&u->view, i));
    return err;
}

/* Send segment up to the parent and receive segment down of the result. */
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

/* In round r a rank combines segment r. By then the tree's root has segment r -
 * 1 of the result, and a rank at depth d has segment r - d - 1. It sends that
 * segment to the children in the steps in which it receives segment r. */
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
