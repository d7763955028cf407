/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - vectors that flow through a tree in segments: see
 * pipeline.h. */
#include "algorithms/pipeline.h"

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

/* One rank's view: its tree, and where the virtual ranks begin. */
struct view {
    struct chorale_ctx *ctx;
    struct chorale_tree tree;
    int shift;
};

static int real_rank(const struct view *view, int v)
{
    int rank = v + view->shift;

    return rank < view->tree.size ? rank : rank - view->tree.size;
}

static int child_rank(const struct view *view, int i)
{
    return real_rank(view, chorale_tree_child(&view->tree, i));
}

/* The tree of flow with its root at rank base. */
static void view_init(struct view *view, struct chorale_ctx *ctx,
                      const struct chorale_flow *flow, int base)
{
    int v = ctx->rank - base;

    view->ctx = ctx;
    view->shift = base;
    if (flow->shape == CHORALE_IN_ORDER) {
        v--;
        view->shift = base + 1 < ctx->size ? base + 1 : 0;
    }
    chorale_tree_init(&view->tree, flow->shape, flow->radix, ctx->size,
                      v < 0 ? v + ctx->size : v);
}

/* --- down ------------------------------------------------------------- */

static int whole_down(const struct view *view,
                      const struct chorale_call *call)
{
    int err = MPI_SUCCESS;

    if (view->tree.parent >= 0)
        err = chorale_recv(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype,
                           real_rank(view, view->tree.parent));
    for (int i = 0; i < view->tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(view->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, child_rank(view, i));
    return err;
}

/* The packed vector, its segments, and the two that are awaited. */
struct down {
    struct view view;
    char *bytes;
    size_t s, n, segments, last;
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
    if (d->view.tree.parent < 0 || j >= d->segments)
        return MPI_SUCCESS;
    return chorale_irecv(d->view.ctx, d->bytes + j * d->s, down_length(d, j),
                         MPI_PACKED, real_rank(&d->view, d->view.tree.parent),
                         &d->coming[j % 2]);
}

static int segments_down(struct down *d)
{
    int err = await(d, 0), last;

    if (err == MPI_SUCCESS)
        err = await(d, 1);
    for (size_t j = 0; j < d->segments && err == MPI_SUCCESS; j++) {
        if (d->view.tree.parent >= 0)
            err = chorale_wait(d->view.ctx, &d->coming[j % 2]);
        if (err == MPI_SUCCESS)
            err = await(d, j + 2);
        for (int i = 0; i < d->view.tree.nchild && err == MPI_SUCCESS; i++)
            err = chorale_send(d->view.ctx, d->bytes + j * d->s,
                               down_length(d, j), MPI_PACKED,
                               child_rank(&d->view, i));
    }
    last = chorale_waitall(d->view.ctx, 2, d->coming);
    return err == MPI_SUCCESS ? last : err;
}

/* The segments of a vector that is packed in memory, or through scratch. */
static int packed_down(const struct chorale_call *call, struct down *d)
{
    struct chorale_ctx *ctx = call->ctx;
    int staged = !chorale_type_is_packed(call->recvtype);
    size_t mark = chorale_scratch_mark(ctx);
    int err = MPI_SUCCESS;

    d->bytes = staged ? chorale_scratch(ctx, d->n) : call->recvbuf;
    d->coming[0] = d->coming[1] = MPI_REQUEST_NULL;
    if (d->bytes == NULL)
        return MPI_ERR_NO_MEM;
    if (staged && d->view.tree.parent < 0)
        err = chorale_pack(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, d->bytes);
    if (err == MPI_SUCCESS)
        err = segments_down(d);
    if (err == MPI_SUCCESS && staged && d->view.tree.parent >= 0)
        err = chorale_unpack(ctx, d->bytes, call->recvbuf, call->recvcount,
                             call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_flow_bcast(const struct chorale_call *call,
                       const struct chorale_flow *flow)
{
    struct down d;

    view_init(&d.view, call->ctx, flow, call->root);
    if (flow->segsize == 0 || call->ctx->size == 1)
        return call->ctx->size == 1 ? MPI_SUCCESS
                                    : whole_down(&d.view, call);
    d.s = (size_t)flow->segsize;
    d.n = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    d.segments = chorale_segments(d.n, d.s, &d.last);
    return d.segments == 1 ? whole_down(&d.view, call)
                           : packed_down(call, &d);
}

/* --- up --------------------------------------------------------------- */

/* Operands are combined in one of two ways. Own data left: what comes from a
 * child is the right operand and takes the result. Own data right
 * (own_last): it is copied to where the result grows, and what comes is the
 * left operand; no copy is needed where it is there already. */
struct up {
    struct view view;
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

/* Segments of scratch that a rank uses at once. */
static int nspare(const struct chorale_tree *tree, int several, int own_last,
                  int has_result, int own_is_result)
{
    int children = tree->nchild < 2 ? tree->nchild : 2;

    if (children == 0)
        return 0;
    if (has_result)
        return own_last || tree->nchild == 2 ? 1
               : tree->nchild == 1           ? own_is_result
                                             : 2;
    if (tree->parent < 0)
        several = 0;
    return own_last ? 2 + several : children + several;
}

static int up_spares(struct up *u)
{
    int n = nspare(&u->view.tree, u->segments > 1, u->own_last,
                   u->result != NULL, u->own == u->result);

    for (int i = 0; i < n; i++) {
        u->spare[i] = chorale_scratch_typed(u->view.ctx, u->s,
                                            u->call->recvtype);
        if (u->spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Receive from child i and combine. at: where the segment's result is
 * wanted, or NULL. */
static int combine_child(struct up *u, int i, MPI_Count length, void *at)
{
    const struct chorale_call *call = u->call;
    int to_result = i == 0 && at != NULL && !u->own_last && at != u->acc;
    void *in = to_result ? at : free_spare(u);
    int err = chorale_recv(u->view.ctx, in, length, call->recvtype,
                           child_rank(&u->view, i));

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
    int parent = real_rank(&u->view, u->view.tree.parent);
    MPI_Datatype type = u->call->recvtype;
    int err = MPI_SUCCESS;

    if (u->leaving != NULL)
        err = chorale_wait(u->view.ctx, &u->sending);
    u->leaving = NULL;
    if (err != MPI_SUCCESS)
        return err;
    if (j + 1 == u->segments || u->view.tree.nchild == 0)
        return chorale_send(u->view.ctx, u->acc, up_length(u, j), type,
                            parent);
    err = chorale_isend(u->view.ctx, u->acc, up_length(u, j), type, parent,
                        &u->sending);
    if (err == MPI_SUCCESS)
        u->leaving = u->acc;
    return err;
}

static int segments_up(struct up *u)
{
    int err = MPI_SUCCESS, last = MPI_SUCCESS;

    for (MPI_Count j = 0; j < u->segments && err == MPI_SUCCESS; j++) {
        err = combine(u, j);
        if (err == MPI_SUCCESS && u->view.tree.parent >= 0)
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

/* Cut the vector, and say where its result is wanted. */
static int up_init(struct up *u, const struct chorale_flow *flow, int base)
{
    const struct chorale_call *call = u->call;
    int in_place = call->sendbuf == MPI_IN_PLACE;

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
    struct up u = { .call = call };
    size_t mark = chorale_scratch_mark(call->ctx);
    int err;

    view_init(&u.view, call->ctx, flow, base);
    err = up_init(&u, flow, base);
    if (err == MPI_SUCCESS)
        err = up_spares(&u);
    if (err == MPI_SUCCESS)
        err = segments_up(&u);
    if (err == MPI_SUCCESS && base != call->root)
        err = deliver(&u, base);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

/* --- cost ------------------------------------------------------------- */

/* The tree's root and how a vector of n bytes is cut. */
struct plan {
    struct chorale_tree root;
    double segments, s, last;
    double t, t_last; /* seconds of such a message */
};

static void plan_init(struct plan *p, const struct chorale_point *pt,
                      const struct chorale_flow *flow, size_t s)
{
    int known = pt->alpha > 0 || pt->beta > 0;
    double alpha = known ? pt->alpha : 1e-6;
    double beta = known ? pt->beta : 1e-10;
    size_t last;

    chorale_tree_init(&p->root, flow->shape, flow->radix, pt->comm_size,
                      flow->shape == CHORALE_IN_ORDER ? pt->comm_size - 1
                                                      : 0);
    p->segments = (double)chorale_segments(pt->msg_size, s, &last);
    p->last = (double)last;
    p->s = p->segments > 1 ? (double)s : p->last;
    p->t = alpha + beta * p->s;
    p->t_last = alpha + beta * p->last;
}

/* A way through the tree of so many full messages, then last ones. */
struct way {
    double full, last;
};

static struct way longer(const struct plan *p, struct way a, struct way b)
{
    return a.full * p->t + a.last * p->t_last <
                   b.full * p->t + b.last * p->t_last
               ? b
               : a;
}

/* From where a rank has the last segment but one. The last may wait at any
 * rank until the one before it has been sent to all children; from there it
 * meets no other. *below: steps to the last rank below. */
static struct way last_way(const struct plan *p,
                           const struct chorale_tree *tree, int *below)
{
    struct way best = { 0, 0 };

    *below = 0;
    for (int i = 0; i < tree->nchild; i++) {
        struct chorale_tree child;
        struct way way;
        int steps;

        chorale_tree_init(&child, tree->shape, tree->radix, tree->size,
                          chorale_tree_child(tree, i));
        way = last_way(p, &child, &steps);
        way.full += i + 1;
        best = longer(p, best, way);
        if (steps + i + 1 > *below)
            *below = steps + i + 1;
    }
    return longer(p, best, (struct way){ tree->nchild, *below });
}

/* The same for chains, which are too deep to walk: the last segment waits at
 * the root, or just before a chain's end. */
static struct way last_way_chain(const struct plan *p)
{
    int chains = p->root.nchild, size = p->root.size;
    int length = (size - 1) / chains, more = (size - 1) % chains;
    struct way best = { chains, chorale_tree_steps(CHORALE_CHAIN, chains,
                                                   size) };

    best = longer(p, best, (struct way){ chains + length - 1, length > 1 });
    if (more > 0)
        best = longer(p, best, (struct way){ more + length, 1 });
    return best;
}

int chorale_flow_bcast_cost(const struct chorale_point *pt,
                            const struct chorale_flow *flow,
                            struct chorale_term *term)
{
    struct way way = { 0, 0 };
    struct plan p;
    int steps;

    if (pt->comm_size < 2)
        return 0;
    plan_init(&p, pt, flow, (size_t)flow->segsize);
    if (p.segments > 1) {
        way = flow->shape == CHORALE_CHAIN ? last_way_chain(&p)
                                           : last_way(&p, &p.root, &steps);
        way.full += (p.segments - 2) * p.root.nchild;
    } else {
        way.last = chorale_tree_steps(flow->shape, flow->radix,
                                      pt->comm_size);
    }
    term[0] = (struct chorale_term){ .messages = way.full, .bytes = p.s };
    term[1] = (struct chorale_term){ .messages = way.last, .bytes = p.last };
    return 2;
}

/* The first segment climbs the tree; from then on its root, which has the
 * most children, waits for nobody. */
int chorale_flow_reduce_cost(const struct chorale_point *pt,
                             const struct chorale_flow *flow, int base,
                             struct chorale_term *term)
{
    double full = 0, last;
    struct plan p;

    if (pt->comm_size < 2)
        return 0;
    plan_init(&p, pt, flow,
              chorale_whole_segment(flow->segsize, pt->type_size));
    last = chorale_tree_steps(flow->shape, flow->radix, pt->comm_size);
    if (p.segments > 1) {
        full = last + (p.segments - 2) * p.root.nchild;
        last = p.root.nchild;
    }
    term[0] = (struct chorale_term){ .messages = full,
                                     .bytes = p.s,
                                     .reduced = full * p.s };
    term[1] = (struct chorale_term){ .messages = last,
                                     .bytes = p.last,
                                     .reduced = last * p.last };
    term[2] = (struct chorale_term){ .messages = base != pt->root,
                                     .bytes = (double)pt->msg_size };
    return 3;
}

size_t chorale_flow_reduce_scratch(const struct chorale_point *pt,
                                   const struct chorale_flow *flow, int base)
{
    size_t s = chorale_whole_segment(flow->segsize, pt->type_size);
    size_t last, segments = chorale_segments(pt->msg_size, s, &last);
    size_t whole = segments > 1 && base != pt->root ? pt->msg_size : 0;
    struct chorale_tree tree;

    if (pt->comm_size < 2)
        return 0;
    /* As of an inner rank with as many children as the root. */
    chorale_tree_init(&tree, flow->shape, flow->radix, pt->comm_size,
                      flow->shape == CHORALE_IN_ORDER ? pt->comm_size - 1
                                                      : 0);
    tree.parent = 0;
    return whole + (segments > 1 ? s : last) *
                       (size_t)nspare(&tree, segments > 1,
                                      flow->shape == CHORALE_IN_ORDER, 0, 0);
}
