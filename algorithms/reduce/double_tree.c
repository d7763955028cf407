/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.c - reduction up two binary trees, half of the vector each.
 *
 * Each half is reduced in segments. An inner rank of one tree is a leaf of the
 * other. The steps are those of the broadcast, run backwards.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/2s)
 *
 * Rounds  2 (floor(lg(P - 1)) + S)
 * Volume  (P - 1) n bytes in total; each rank sends and reduces at most n
 * Cost    at most 2 (floor(lg(P - 1)) + S) (alpha + s beta + s tau): in a step
 *         a rank sends and receives one segment, two steps are one level
 * Needs   any P, any root, any datatype, a commutative operation. segsize is
 *         rounded down to whole elements, at least one; 0: S = 1
 * Source  Sanders, Speck, Traeff, Parallel Computing 35, 2009
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/double_tree.h"
#include "algorithms/engines/rooted/pipeline.h"

/* A rank's two children send their segments one step apart, and one step later
 * it sends the sum upwards. While that is in flight, the first child's next
 * segment arrives. */
struct state {
    const struct chorale_call *call;
    struct chorale_double_tree trees;
    struct chorale_halves h;
    MPI_Aint extent;
    char *own;
    void *spare[3];
    int in_place; /* at the root: the result is accumulated in the root's own
                   * data */
};

/* Address of element i of the call's vectors. */
static void *at(const struct state *st, const void *buf, MPI_Count i)
{
    return chorale_at(buf, st->extent, (MPI_Aint)i);
}

/* The segment that passes an edge in a step; -1: none. */
static MPI_Count passes(const struct state *st,
                        const struct chorale_edge *edge, MPI_Count step)
{
    return chorale_edge_segment(edge, st->trees.most - edge->step, step,
                                st->h.segments);
}

/* Number of this rank's children in the tree of a half. */
static int children(const struct state *st, int half)
{
    int n = 0;

    for (int i = 0; i < 2; i++)
        n += st->trees.child[i].peer >= 0 && st->trees.child[i].half == half;
    return n;
}

/* Address of the segment that this rank sends: its own, or the sum. */
static void *outgoing(const struct state *st, int half, MPI_Count k,
                      MPI_Count first)
{
    return children(st, half) > 0 ? st->spare[k % 2]
                                  : at(st, st->own, first);
}

/* 1 if the child at this edge sends its segment before the other child. The
 * later a broadcast reaches a child, the earlier it sends. */
static int comes_first(const struct state *st,
                       const struct chorale_edge *edge)
{
    const struct chorale_edge *other = &st->trees.child[1 - edge->step % 2];

    return other->peer < 0 || other->half != edge->half ||
           other->step < edge->step;
}

/* Receive buffer for a child's segment. */
static void *incoming(const struct state *st, const struct chorale_edge *edge,
                      MPI_Count k, MPI_Count first)
{
    if (st->call->ctx->rank == st->call->root)
        return st->in_place ? st->spare[0] : at(st, st->call->recvbuf, first);
    return st->spare[comes_first(st, edge) ? k % 2 : 2];
}

/* Combine own data with the first segment received, later ones with that
 * sum. */
static int combine(const struct state *st, const struct chorale_edge *edge,
                   void *in, MPI_Count k, MPI_Count first, MPI_Count length)
{
    const struct chorale_call *call = st->call;
    const void *left = at(st, st->own, first);
    void *sum = in;

    if (st->in_place) {
        left = in;
        sum = at(st, call->recvbuf, first);
    } else if (!comes_first(st, edge)) {
        left = in;
        sum = st->spare[k % 2];
    }
    return chorale_reduce_local(call->ctx, left, sum, length, call->recvtype,
                                call->op);
}

static int step(const struct state *st, MPI_Count t)
{
    struct chorale_ctx *ctx = st->call->ctx;
    MPI_Datatype type = st->call->recvtype;
    int colour = (int)((st->trees.most + t) % 2), err = MPI_SUCCESS;
    const struct chorale_edge *to = &st->trees.parent[colour];
    const struct chorale_edge *from = &st->trees.child[colour];
    MPI_Count up = passes(st, to, t), down = passes(st, from, t);
    MPI_Count first = 0, length = 0, in_first = 0, in_length = 0;
    void *out = NULL, *in = NULL;

    if (up >= 0) {
        first = chorale_halves_segment(&st->h, to->half, up, &length);
        out = outgoing(st, to->half, up, first);
    }
    if (down >= 0) {
        in_first = chorale_halves_segment(&st->h, from->half, down,
                                          &in_length);
        in = incoming(st, from, down, in_first);
    }
    if (up >= 0 && down >= 0)
        err = chorale_sendrecv(ctx, out, length, type, to->peer, in,
                               in_length, type, from->peer);
    else if (up >= 0)
        err = chorale_send(ctx, out, length, type, to->peer);
    else if (down >= 0)
        err = chorale_recv(ctx, in, in_length, type, from->peer);
    if (err == MPI_SUCCESS && down >= 0)
        err = combine(st, from, in, down, in_first, in_length);
    return err;
}

/* Allocate segment buffers: two alternating sums and one operand. */
static int spares(struct state *st)
{
    const struct chorale_call *call = st->call;
    int at_root = call->ctx->rank == call->root;
    int n = children(st, 0) + children(st, 1);

    n = at_root ? st->in_place && n > 0 : n > 0 ? n + 1 : 0;
    for (int i = 0; i < n; i++) {
        st->spare[i] = chorale_scratch_typed(call->ctx, st->h.s,
                                             call->recvtype);
        if (st->spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t size = chorale_type_size(call->recvtype);
    size_t s = chorale_whole_segment(call->param[0], size);
    struct state st = {
        .call = call,
        .extent = chorale_type_extent(call->recvtype),
        .own = (char *)call->sendbuf,
        .in_place = call->sendbuf == MPI_IN_PLACE,
    };
    int err;

    if (st.in_place)
        st.own = call->recvbuf;
    if (ctx->size == 1)
        return st.in_place ? MPI_SUCCESS
                           : chorale_copy(ctx, st.own, call->recvcount,
                                          call->recvtype, call->recvbuf,
                                          call->recvcount, call->recvtype);
    chorale_double_tree_init(&st.trees, ctx->size, call->root, ctx->rank);
    chorale_halves_init(&st.h, call->recvcount,
                        size > 0 ? (MPI_Count)(s / size) : 0);
    err = spares(&st);
    for (MPI_Count t = 0;
         t <= st.trees.most + 2 * st.h.segments && err == MPI_SUCCESS; t++)
        err = step(&st, t);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double bytes, rounds = chorale_double_tree_rounds(
                      pt, pt->param[0], pt->type_size, &bytes);

    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = bytes,
                                     .reduced = rounds * bytes };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    double bytes;

    if (pt->comm_size < 2)
        return 0;
    chorale_double_tree_rounds(pt, pt->param[0], pt->type_size, &bytes);
    return (size_t)(pt->comm_size > 3 ? 3 : pt->comm_size - 1) * (size_t)bytes;
}

const struct chorale_alg chorale_reduce_double_tree = {
    .coll = CHORALE_REDUCE,
    .name = "double_tree",
    .summary = "halves flow up two trees that use all ports",
    .formula = "<= 2 (floor(lg(P-1)) + S) (alpha + s beta + s tau), S = "
               "ceil(n/(2 s))",
    .source = "Sanders, Speck, Traeff, Parallel Computing 35, 2009",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.34,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE_BY(8192, CHORALE_BY_HALVES |
                                                  CHORALE_BY_FULL) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
