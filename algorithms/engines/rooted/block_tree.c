/* SPDX-License-Identifier: BSD-3-Clause */
/* block_tree.c - gather and scatter of blocks along a k-nomial tree. */
#include "algorithms/engines/rooted/block_tree.h"

#include "algorithms/engines/rooted/rooted.h"

/* --- the tree --------------------------------------------------------- */

struct chorale_block_tree chorale_block_tree_at(struct chorale_ctx *ctx,
                                                int root, long radix,
                                                int far)
{
    struct chorale_block_tree t = { .ctx = ctx, .root = root };
    int v = ctx->rank - root;

    chorale_tree_init(&t.tree, far ? CHORALE_KNOMIAL : CHORALE_KNOMIAL_NEAR,
                      radix, ctx->size, v < 0 ? v + ctx->size : v);
    return t;
}

/* Subtrees are contiguous ranges of virtual ranks: one ends where that of the
 * next farther child begins. */
int chorale_block_tree_child(const struct chorale_block_tree *t, int i,
                             int *blocks)
{
    const struct chorale_tree *tree = &t->tree;
    int child = chorale_tree_child(tree, i);
    int farther = tree->shape == CHORALE_KNOMIAL ? i - 1 : i + 1;

    *blocks = (farther < 0 || farther == tree->nchild
                   ? tree->v + tree->span
                   : chorale_tree_child(tree, farther)) -
              child;
    return child;
}

int chorale_block_tree_rank(const struct chorale_block_tree *t, int v)
{
    int left = t->ctx->size - t->root;

    return v < left ? v + t->root : v - left;
}

/* --- the root's side -------------------------------------------------- */

/* Number of blocks, at most many, that are contiguous in memory from rank
 * on. */
static int in_a_row(const struct chorale_blocks *all, int rank, int many)
{
    const MPI_Aint *displs = all->displs;
    int n = 1;

    if (all->counts == NULL || displs == NULL)
        return many;
    while (n < many && displs[rank + n] == displs[rank + n - 1] +
                                               all->counts[rank + n - 1])
        n++;
    return n;
}

/* A contiguous piece of up to left blocks from rank on; *n is set to its
 * blocks. */
static void *piece_at(const struct chorale_block_tree *t, int rank, int left,
                      int *n, MPI_Count *count)
{
    int before = t->ctx->size - rank;

    *n = in_a_row(&t->all, rank, left < before ? left : before);
    return *n == 1 ? chorale_block(&t->all, rank, count)
                   : chorale_block_range(&t->all, rank, *n, count);
}

void *chorale_subtree_piece(const struct chorale_block_tree *t, int child,
                            int blocks, MPI_Count *count)
{
    int n;
    void *piece = piece_at(t, chorale_block_tree_rank(t, child), blocks, &n,
                           count);

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
        chorale_block(&t->all, chorale_block_tree_rank(t, child + i), &count);
        sum += size * (size_t)count;
    }
    return sum;
}

/* Copy between the root's blocks of a subtree and packed bytes. */
static int pack_or_unpack(const struct chorale_block_tree *t, int child,
                          int blocks, char *bytes, int pack)
{
    size_t size = chorale_type_size(t->all.type);
    int n, err = MPI_SUCCESS;

    for (int i = 0; i < blocks && err == MPI_SUCCESS; i += n) {
        MPI_Count count;
        int rank = chorale_block_tree_rank(t, child + i);
        void *piece = piece_at(t, rank, blocks - i, &n, &count);

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

/* A subtree that is not contiguous passes through scratch. */
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
                           chorale_block_tree_rank(t, child));
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
                           chorale_block_tree_rank(t, child));
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_root(const struct chorale_block_tree *t, int up)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);
        int other = chorale_block_tree_rank(t, child);
        MPI_Count count;
        void *piece = chorale_subtree_piece(t, child, blocks, &count);

        if (piece == NULL)
            err = up ? recv_pieces(t, child, blocks)
                     : send_pieces(t, child, blocks);
        else if (up)
            err = chorale_recv(t->ctx, piece, count, t->all.type, other);
        else
            err = chorale_send(t->ctx, piece, count, t->all.type, other);
    }
    return err;
}

/* --- inner ranks ------------------------------------------------------ */

void chorale_block_tree_sum(struct chorale_block_tree *t, int64_t *offset)
{
    offset[0] = 0;
    for (int i = 0; i < t->tree.span; i++)
        offset[i + 1] += offset[i];
    t->offset = offset;
}

/* Offset of block i among the bytes of this rank's subtree. */
static size_t offset_of(const struct chorale_block_tree *t, int i)
{
    return t->offset != NULL ? (size_t)t->offset[i] : t->m * (size_t)i;
}

/* Receive the children's blocks into bytes, or send them from there, in
 * turn. */
static int run_children(const struct chorale_block_tree *t, char *bytes,
                        int up)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);
        int first = child - t->tree.v;
        int other = chorale_block_tree_rank(t, child);
        size_t start = offset_of(t, first);
        MPI_Count n = (MPI_Count)(offset_of(t, first + blocks) - start);

        err = up ? chorale_recv(t->ctx, bytes + start, n, MPI_PACKED, other)
                 : chorale_send(t->ctx, bytes + start, n, MPI_PACKED, other);
    }
    return err;
}

/* Collect the blocks of the subtree, then send them to the parent. */
static int gather_inner(const struct chorale_block_tree *t)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t n = offset_of(t, t->tree.span);
    char *bytes = chorale_scratch(t->ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_pack(t->ctx, t->buf, t->count, t->type, bytes);
    if (err == MPI_SUCCESS)
        err = run_children(t, bytes, 1);
    if (err == MPI_SUCCESS)
        err = chorale_send(t->ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           chorale_block_tree_rank(t, t->tree.parent));
    chorale_scratch_release(t->ctx, mark);
    return err;
}

/* Receive the blocks of the subtree, pass them on, keep the first one. */
static int scatter_inner(const struct chorale_block_tree *t)
{
    size_t mark = chorale_scratch_mark(t->ctx);
    size_t n = offset_of(t, t->tree.span);
    char *bytes = chorale_scratch(t->ctx, n);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_recv(t->ctx, bytes, (MPI_Count)n, MPI_PACKED,
                           chorale_block_tree_rank(t, t->tree.parent));
    if (err == MPI_SUCCESS)
        err = run_children(t, bytes, 0);
    if (err == MPI_SUCCESS)
        err = chorale_unpack(t->ctx, bytes, t->buf, t->count, t->type);
    chorale_scratch_release(t->ctx, mark);
    return err;
}

int chorale_gather_up(const struct chorale_block_tree *t)
{
    if (t->tree.parent < 0)
        return run_root(t, 1);
    if (t->tree.span > 1)
        return gather_inner(t);
    return chorale_send(t->ctx, t->buf, t->count, t->type,
                        chorale_block_tree_rank(t, t->tree.parent));
}

int chorale_scatter_down(const struct chorale_block_tree *t)
{
    if (t->tree.parent < 0)
        return run_root(t, 0);
    if (t->tree.span > 1)
        return scatter_inner(t);
    return chorale_recv(t->ctx, t->buf, t->count, t->type,
                        chorale_block_tree_rank(t, t->tree.parent));
}

/* --- regular collectives ---------------------------------------------- */

struct chorale_block_tree
chorale_block_tree_call(const struct chorale_call *call,
                        enum chorale_coll coll, long radix, int far)
{
    struct chorale_block_tree t = chorale_block_tree_at(
        call->ctx, call->root, radix, far);
    struct chorale_rooted side = chorale_rooted_at(call, coll);

    t.all = side.all;
    t.buf = side.buf;
    t.count = side.count;
    t.type = side.type;
    t.m = chorale_rooted_bytes(&side);
    return t;
}

int chorale_gather_tree(const struct chorale_call *call, long radix)
{
    struct chorale_block_tree t = chorale_block_tree_call(
        call, CHORALE_GATHER, radix, 0);
    int err = chorale_gather_up(&t);

    return err != MPI_SUCCESS || call->ctx->rank != call->root
               ? err
               : chorale_gather_own(call, call->root);
}

int chorale_scatter_tree(const struct chorale_call *call, long radix, int far)
{
    struct chorale_block_tree t = chorale_block_tree_call(
        call, CHORALE_SCATTER, radix, far);
    int err = chorale_scatter_down(&t);

    return err != MPI_SUCCESS || call->ctx->rank != call->root
               ? err
               : chorale_scatter_own(call);
}

/* --- cost ------------------------------------------------------------- */

int chorale_cost_block_tree(const struct chorale_point *pt, long radix,
                            struct chorale_term *term)
{
    long p = pt->comm_size, k = radix < p ? radix : p, digits;
    double m = (double)pt->msg_size;
    int n = 0;

    k = k < 2 ? 2 : k;
    for (long step = 1; step < p; step *= k) {
        digits = (p - 1) / step;
        digits = digits < k ? digits : k - 1;
        term[n++] = (struct chorale_term){ .messages = (double)digits,
                                           .bytes = m * (double)step };
        if (p - digits * step < step) { /* the farthest child has a smaller
                                         * subtree */
            term[n - 1].messages--;
            term[n++] = (struct chorale_term){
                .messages = 1,
                .bytes = m * (double)(p - digits * step),
            };
        }
    }
    return n;
}

size_t chorale_scratch_block_tree(const struct chorale_point *pt, long radix)
{
    struct chorale_tree tree;
    int most = 1, end = pt->comm_size;

    chorale_tree_init(&tree, CHORALE_KNOMIAL, radix, pt->comm_size, 0);
    /* The farthest child's subtree may be smaller; the next one's is full. */
    for (int i = 0; i < 2 && i < tree.nchild; i++) {
        int child = chorale_tree_child(&tree, i);

        most = end - child > most ? end - child : most;
        end = child;
    }
    return most > 1 ? pt->msg_size * (size_t)most : 0;
}

/* Bytes of the last s blocks. */
static double ramp_last(const struct chorale_point *pt, double s)
{
    double p = pt->comm_size, m = (double)pt->msg_size;

    return s < p ? m * s * (2 * p - s - 1) / (p - 1) : m * p;
}

double chorale_ramp_largest(const struct chorale_point *pt, double s)
{
    double p = pt->comm_size, root = pt->root;

    if (p < 2 || root < p - s)
        return ramp_last(pt, s);
    return ramp_last(pt, s + 1) - 2 * (double)pt->msg_size * root / (p - 1);
}

int chorale_cost_ramp_tree(const struct chorale_point *pt,
                           struct chorale_term *term)
{
    int n = 0;

    for (double s = 1; s < pt->comm_size; s *= 2)
        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = chorale_ramp_largest(pt, s),
        };
    return n;
}

size_t chorale_scratch_ramp_tree(const struct chorale_point *pt)
{
    size_t unit = chorale_unit(pt), most = 0;
    long p = pt->comm_size;

    /* Subtrees of span ranks from virtual rank v on, without the root and
     * leaves. */
    for (long s = 2; s < p; s *= 2)
        for (long v = s; v < p - 1; v += 2 * s) {
            long span = p - v < s ? p - v : s;
            size_t sum = 0;

            for (long i = 0; i < span; i++)
                sum += chorale_ramp(pt->msg_size, unit, pt->comm_size,
                                    (int)((pt->root + v + i) % p));
            most = sum > most ? sum : most;
        }
    return most;
}

int chorale_cost_counted_tree(const struct chorale_point *pt, double each,
                              struct chorale_term *term)
{
    int rounds = chorale_ceil_log2(pt->comm_size) - 1, n = 0;

    if (rounds > 0)
        term[n++] = (struct chorale_term){
            .messages = rounds,
            .bytes = each * pt->comm_size / rounds,
        };
    return n + chorale_cost_ramp_tree(pt, term + n);
}

size_t chorale_scratch_counted_tree(const struct chorale_point *pt)
{
    return chorale_scratch_ramp_tree(pt) +
           sizeof(int64_t) * ((size_t)pt->comm_size + 1);
}
