/* SPDX-License-Identifier: BSD-3-Clause */
/* block_tree.c - see block_tree.h. */
#include "algorithms/block_tree.h"

/* --- the tree --------------------------------------------------------- */

/* The weight of the lowest digit of v that is not 0; the root's is the first
 * power that leaves the tree. */
static long span_of(int v, int size, int radix)
{
    long span = 1;

    if (v == 0)
        while (span < size)
            span *= radix;
    else
        while (v % (span * radix) == 0)
            span *= radix;
    return span;
}

void chorale_node_init(struct chorale_node *node, int v, int size, long radix,
                       int far)
{
    long k = radix > size ? size : radix;
    long span;

    *node = (struct chorale_node){ .v = v, .size = size, .far = far };
    node->radix = k < 2 ? 2 : (int)k;
    span = node->span = span_of(v, size, node->radix);
    node->parent = v == 0 ? -1 : (int)(v - v / span % node->radix * span);
    node->blocks = (int)(span < size - v ? span : size - v);
    node->step = far ? span : 1;
}

/* The highest digit at the current step that stays inside the tree. */
static long last_digit(const struct chorale_node *node)
{
    long fits = (node->size - 1 - node->v) / node->step;

    return fits < node->radix ? fits : node->radix - 1;
}

static long next_far(struct chorale_node *node)
{
    while (node->digit == 0 && node->step > 1) {
        node->step /= node->radix;
        node->digit = last_digit(node);
    }
    return node->digit > 0 ? node->v + node->digit-- * node->step : -1;
}

static long next_near(struct chorale_node *node)
{
    while (node->step < node->span) {
        if (node->digit < last_digit(node))
            return node->v + ++node->digit * node->step;
        node->step *= node->radix;
        node->digit = 0;
    }
    return -1;
}

int chorale_node_next(struct chorale_node *node, int *blocks)
{
    long child = node->far ? next_far(node) : next_near(node);
    long left = node->size - child;

    *blocks = (int)(node->step < left ? node->step : left);
    return (int)child;
}

/* --- the root's side -------------------------------------------------- */

static int real_rank(const struct chorale_block_tree *t, int v)
{
    int rank = v + t->root;

    return rank < t->ctx->size ? rank : rank - t->ctx->size;
}

static int virtual_rank(const struct chorale_block_tree *t)
{
    int v = t->ctx->rank - t->root;

    return v < 0 ? v + t->ctx->size : v;
}

/* Up to left blocks from rank on that lie in one piece. */
static void *piece_at(const struct chorale_block_tree *t, int rank, int left,
                      int *n, MPI_Count *count)
{
    int before = t->ctx->size - rank;

    *n = t->all.counts != NULL ? 1 : left < before ? left : before;
    return *n == 1 ? chorale_block(&t->all, rank, count)
                   : chorale_block_range(&t->all, rank, *n, count);
}

void *chorale_subtree_piece(const struct chorale_block_tree *t, int child,
                            int blocks, MPI_Count *count)
{
    int n;
    void *piece = piece_at(t, real_rank(t, child), blocks, &n, count);

    return n == blocks ? piece : NULL;
}

size_t chorale_subtree_bytes(const struct chorale_block_tree *t, int child,
                             int blocks)
{
    size_t size = chorale_type_size(t->all.type), sum = 0;
    MPI_Count count;

    if (t->all.counts == NULL)
        return t->m * (size_t)blocks;
    for (int i = 0; i < blocks; i++) {
        chorale_block(&t->all, real_rank(t, child + i), &count);
        sum += size * (size_t)count;
    }
    return sum;
}

/* Between the root's blocks of a subtree and packed bytes. */
static int pack_or_unpack(const struct chorale_block_tree *t, int child,
                          int blocks, char *bytes, int pack)
{
    size_t size = chorale_type_size(t->all.type);
    int n, err = MPI_SUCCESS;

    for (int i = 0; i < blocks && err == MPI_SUCCESS; i += n) {
        MPI_Count count;
        void *piece = piece_at(t, real_rank(t, child + i), blocks - i, &n,
                               &count);

        err = pack ? chorale_pack(t->ctx, piece, count, t->all.type, bytes)
                   : chorale_unpack(t->ctx, bytes, piece, count, t->all.type);
        bytes += size * (size_t)count;
    }
    return err;
}

int chorale_subtree_pack(const struct chorale_block_tree *t, int child,
                         int blocks, char *bytes)
{
    return pack_or_unpack(t, child, blocks, bytes, 1);
}

/* A subtree that is not one piece goes through scratch. */
static int recv_pieces(const struct chorale_block_tree *t, int child,
                       int blocks)
{
    struct chorale_ctx *ctx = t->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t n = chorale_subtree_bytes(t, child, blocks);
    char *bytes = chorale_scratch(ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_recv(ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           real_rank(t, child));
    if (err == MPI_SUCCESS)
        err = pack_or_unpack(t, child, blocks, bytes, 0);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int send_pieces(const struct chorale_block_tree *t, int child,
                       int blocks)
{
    struct chorale_ctx *ctx = t->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t n = chorale_subtree_bytes(t, child, blocks);
    char *bytes = chorale_scratch(ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = pack_or_unpack(t, child, blocks, bytes, 1);
    if (err == MPI_SUCCESS)
        err = chorale_send(ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           real_rank(t, child));
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_root(const struct chorale_block_tree *t,
                    struct chorale_node *node, int up)
{
    int child, blocks, err = MPI_SUCCESS;

    while (err == MPI_SUCCESS &&
           (child = chorale_node_next(node, &blocks)) >= 0) {
        MPI_Count count;
        void *piece = chorale_subtree_piece(t, child, blocks, &count);

        if (piece == NULL)
            err = up ? recv_pieces(t, child, blocks)
                     : send_pieces(t, child, blocks);
        else if (up)
            err = chorale_recv(t->ctx, piece, count, t->all.type,
                               real_rank(t, child));
        else
            err = chorale_send(t->ctx, piece, count, t->all.type,
                               real_rank(t, child));
    }
    return err;
}

/* --- inner ranks ------------------------------------------------------ */

/* Where block i of this rank's subtree starts among its bytes. */
static size_t offset_of(const struct chorale_block_tree *t, int i)
{
    return t->offset != NULL ? (size_t)t->offset[i] : t->m * (size_t)i;
}

/* All children in turn: their blocks come to, or go from, bytes. */
static int run_children(const struct chorale_block_tree *t,
                        struct chorale_node *node, char *bytes, int up)
{
    int child, blocks, err = MPI_SUCCESS;

    while (err == MPI_SUCCESS &&
           (child = chorale_node_next(node, &blocks)) >= 0) {
        int i = child - node->v, other = real_rank(t, child);
        size_t start = offset_of(t, i);
        MPI_Count n = (MPI_Count)(offset_of(t, i + blocks) - start);

        err = up ? chorale_recv(t->ctx, bytes + start, n, MPI_PACKED, other)
                 : chorale_send(t->ctx, bytes + start, n, MPI_PACKED, other);
    }
    return err;
}

/* Collect, then pass all on. */
static int gather_inner(const struct chorale_block_tree *t,
                        struct chorale_node *node)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t n = offset_of(t, node->blocks);
    char *bytes = chorale_scratch(t->ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_pack(t->ctx, t->buf, t->count, t->type, bytes);
    if (err == MPI_SUCCESS)
        err = run_children(t, node, bytes, 1);
    if (err == MPI_SUCCESS)
        err = chorale_send(t->ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           real_rank(t, node->parent));
    chorale_scratch_release(t->ctx, mark);
    return err;
}

/* Take all, pass on, keep the first block. */
static int scatter_inner(const struct chorale_block_tree *t,
                         struct chorale_node *node)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t n = offset_of(t, node->blocks);
    char *bytes = chorale_scratch(t->ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_recv(t->ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           real_rank(t, node->parent));
    if (err == MPI_SUCCESS)
        err = run_children(t, node, bytes, 0);
    if (err == MPI_SUCCESS)
        err = chorale_unpack(t->ctx, bytes, t->buf, t->count, t->type);
    chorale_scratch_release(t->ctx, mark);
    return err;
}

int chorale_gather_up(const struct chorale_block_tree *t)
{
    struct chorale_node node;

    chorale_node_init(&node, virtual_rank(t), t->ctx->size, t->radix, t->far);
    if (node.v == 0)
        return run_root(t, &node, 1);
    if (node.blocks > 1)
        return gather_inner(t, &node);
    return chorale_send(t->ctx, t->buf, t->count, t->type,
                        real_rank(t, node.parent));
}

int chorale_scatter_down(const struct chorale_block_tree *t)
{
    struct chorale_node node;

    chorale_node_init(&node, virtual_rank(t), t->ctx->size, t->radix, t->far);
    if (node.v == 0)
        return run_root(t, &node, 0);
    if (node.blocks > 1)
        return scatter_inner(t, &node);
    return chorale_recv(t->ctx, t->buf, t->count, t->type,
                        real_rank(t, node.parent));
}

/* --- regular collectives ---------------------------------------------- */

static struct chorale_block_tree gather_side(const struct chorale_call *call,
                                             long radix)
{
    struct chorale_block_tree t = { .ctx = call->ctx,
                                    .root = call->root,
                                    .radix = radix };

    if (call->ctx->rank == call->root) {
        t.all = chorale_blocks_equal(call->recvbuf, call->recvcount,
                                     call->recvtype, call->ctx->size);
        t.m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
        return t;
    }
    t.buf = chorale_at(call->sendbuf, 0, 0);
    t.count = call->sendcount;
    t.type = call->sendtype;
    t.m = chorale_type_size(t.type) * (size_t)t.count;
    return t;
}

struct chorale_block_tree
chorale_block_tree_scatter(const struct chorale_call *call, long radix,
                           int far)
{
    struct chorale_block_tree t = { .ctx = call->ctx,
                                    .root = call->root,
                                    .radix = radix,
                                    .far = far };

    if (call->ctx->rank == call->root) {
        t.all = chorale_blocks_equal(call->sendbuf, call->sendcount,
                                     call->sendtype, call->ctx->size);
        t.m = chorale_type_size(call->sendtype) * (size_t)call->sendcount;
        return t;
    }
    t.buf = call->recvbuf;
    t.count = call->recvcount;
    t.type = call->recvtype;
    t.m = chorale_type_size(t.type) * (size_t)t.count;
    return t;
}

int chorale_gather_tree(const struct chorale_call *call, long radix)
{
    struct chorale_block_tree t = gather_side(call, radix);
    int err = chorale_gather_up(&t);

    return err != MPI_SUCCESS || call->ctx->rank != call->root
               ? err
               : chorale_keep_own(call, call->root);
}

int chorale_scatter_tree(const struct chorale_call *call, long radix, int far)
{
    struct chorale_block_tree t = chorale_block_tree_scatter(call, radix, far);
    int err = chorale_scatter_down(&t);

    return err != MPI_SUCCESS || call->ctx->rank != call->root
               ? err
               : chorale_scatter_own(call);
}

/* --- cost ------------------------------------------------------------- */

int chorale_cost_block_tree(const struct chorale_point *pt, long radix,
                            struct chorale_term *term)
{
    struct chorale_node root;
    double m = (double)pt->msg_size;
    int n = 0;

    chorale_node_init(&root, 0, pt->comm_size, radix, 1);
    while (root.step > 1) {
        long left;

        root.step /= root.radix;
        root.digit = last_digit(&root);
        /* Only the last child of the top level may be short. */
        left = pt->comm_size - root.digit * root.step;
        if (left < root.step) {
            term[n++] = (struct chorale_term){ .messages = 1,
                                               .bytes = m * (double)left };
            root.digit--;
        }
        if (root.digit > 0)
            term[n++] = (struct chorale_term){
                .messages = (double)root.digit,
                .bytes = m * (double)root.step,
            };
    }
    return n;
}

size_t chorale_scratch_block_tree(const struct chorale_point *pt, long radix)
{
    struct chorale_node root;
    int child, blocks, most = 0;

    chorale_node_init(&root, 0, pt->comm_size, radix, 1);
    /* The farthest child's subtree may be short; the next one's is not. */
    for (int i = 0; i < 2; i++) {
        child = chorale_node_next(&root, &blocks);
        if (child >= 0 && blocks > most)
            most = blocks;
    }
    return most > 1 ? pt->msg_size * (size_t)most : 0;
}

/* Bytes of the s largest blocks of the ramp: its last ones. */
static double largest(const struct chorale_point *pt, double s)
{
    double p = pt->comm_size, m = (double)pt->msg_size;

    return s < p ? m * s * (2 * p - s - 1) / (p - 1) : m * p;
}

int chorale_cost_ramp_tree(const struct chorale_point *pt,
                           struct chorale_term *term)
{
    int n = 0;

    for (double s = 1; s < pt->comm_size; s *= 2)
        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = largest(pt, s) };
    return n;
}

size_t chorale_scratch_ramp_tree(const struct chorale_point *pt)
{
    double s = 1;

    while (2 * s < pt->comm_size)
        s *= 2;
    return pt->comm_size < 3 ? 0 : (size_t)largest(pt, s) + 1;
}
