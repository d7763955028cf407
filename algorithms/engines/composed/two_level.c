/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - collectives on two levels.
 *
 * The leaders know how many ranks each node has, so a tree of blocks of
 * different sizes needs no exchange of counts. */
#include "algorithms/engines/composed/two_level.h"

#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/rooted/pipeline.h"

/* group: ranks per group; 0: nodes, with the given root. */
static int run_levels(const struct chorale_call *call, int root, int group,
                      int (*levels)(const struct chorale_call *call,
                                    struct chorale_topology *t))
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_topology t;
    int err = group > 0              ? chorale_topology_init_groups(&t, ctx,
                                                                    group)
              : root == CHORALE_RUNS ? chorale_topology_init_runs(&t, ctx)
                                     : chorale_topology_init(&t, ctx, root);

    if (err == MPI_SUCCESS)
        err = levels(call, &t);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_two_level_run(const struct chorale_call *call, int root,
                          int (*levels)(const struct chorale_call *call,
                                        struct chorale_topology *t))
{
    return run_levels(call, root, 0, levels);
}

int chorale_two_level_groups_run(const struct chorale_call *call, int group,
                                 int (*levels)(
                                     const struct chorale_call *call,
                                     struct chorale_topology *t))
{
    return run_levels(call, CHORALE_NO_ROOT, group, levels);
}

/* Uses typical values if alpha, beta and tau are not given. */
static double seconds(const struct chorale_point *pt,
                      const struct chorale_term *term, int n)
{
    int given = pt->alpha > 0 || pt->beta > 0 || pt->tau > 0;
    double a, b, c;

    chorale_term_sums(term, n, &a, &b, &c);
    return a * (given ? pt->alpha : 1e-6) + b * (given ? pt->beta : 1e-10) +
           c * (given ? pt->tau : 1e-10);
}

/* Replace the terms by the cost at point in, if it is longer. */
static int longer(const struct chorale_alg *inner,
                  const struct chorale_point *pt,
                  const struct chorale_point *in, struct chorale_term *term,
                  int n)
{
    struct chorale_term other[CHORALE_MAX_TERM];
    int nother = chorale_part_cost(inner, in, other);

    if (seconds(pt, other, nother) <= seconds(pt, term, n))
        return n;
    for (int i = 0; i < nother; i++)
        term[i] = other[i];
    return nother;
}

/* The longest of: the root's node; other nodes, which their first rank leads;
 * and a smaller last node, which may need a fold (3 ranks) where a full one
 * does not (4 ranks). */
static int inner_cost(const struct chorale_alg *inner,
                      const struct chorale_point *pt,
                      struct chorale_point *in, struct chorale_term *term)
{
    int n = chorale_part_cost(inner, in, term);
    int rest = pt->comm_size % in->comm_size;

    if (in->root != 0 && pt->comm_size >= 2 * in->comm_size) {
        in->root = 0;
        n = longer(inner, pt, in, term, n);
    }
    if (rest < 2)
        return n;
    in->root = 0;
    in->comm_size = rest;
    return longer(inner, pt, in, term, n);
}

int chorale_two_level_cost(const struct chorale_point *pt,
                           const struct chorale_alg *inner,
                           const struct chorale_alg *outer,
                           struct chorale_term *term)
{
    struct chorale_point in, out;
    int n = 0;

    chorale_topology_points(pt, &in, &out);
    if (inner != NULL)
        n = inner_cost(inner, pt, &in, term);
    return outer != NULL ? n + chorale_part_cost(outer, &out, term + n) : n;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t chorale_two_level_scratch(const struct chorale_point *pt,
                                 const struct chorale_alg *inner,
                                 const struct chorale_alg *outer)
{
    struct chorale_point in, out;
    size_t in_node = 0;

    chorale_topology_points(pt, &in, &out);
    /* The last node may have fewer ranks, and a fold needs more scratch. */
    for (; inner != NULL && in.comm_size > 1; in.comm_size--) {
        in_node = most(in_node, chorale_part_scratch(inner, &in));
        in.root = in.root < in.comm_size - 1 ? in.root : 0;
    }
    return chorale_topology_scratch(pt) +
           most(in_node, outer != NULL ? chorale_part_scratch(outer, &out) : 0);
}

/* --- vectors in segments ---------------------------------------------- */

const long chorale_level_segsizes[CHORALE_NLEVEL_SEGSIZE] = {
    0, 65536, 524288
};
const long chorale_more_level_segsizes[CHORALE_NMORE_LEVEL_SEGSIZE] = {
    1024, 4096, 8192, 16384, 32768, 131072, 1048576
};

int chorale_two_level_segments(const struct chorale_call *call,
                               struct chorale_topology *t, int root,
                               long segsize,
                               int (*levels)(const struct chorale_call *call,
                                             struct chorale_topology *t))
{
    size_t size = chorale_type_size(call->recvtype), last;
    size_t s = chorale_whole_segment(segsize, size);
    size_t segments = chorale_segments(size * (size_t)call->recvcount, s,
                                       &last);
    MPI_Aint step = chorale_type_extent(call->recvtype) *
                    (MPI_Aint)(segments > 1 ? s / size : 0);
    struct chorale_call part = *call;
    int err = MPI_SUCCESS;

    if (segments == 1)
        return levels(call, t);
    for (size_t j = 0; j < segments && err == MPI_SUCCESS; j++) {
        size_t mark = chorale_scratch_mark(call->ctx);

        part.recvcount = (MPI_Count)((j + 1 < segments ? s : last) / size);
        if (call->sendbuf != MPI_IN_PLACE)
            part.sendbuf = chorale_at(call->sendbuf, step, (MPI_Aint)j);
        if (root == CHORALE_NO_ROOT || call->ctx->rank == root)
            part.recvbuf = chorale_at(call->recvbuf, step, (MPI_Aint)j);
        err = levels(&part, t);
        chorale_scratch_release(call->ctx, mark);
    }
    return err;
}

struct chorale_point
chorale_two_level_segment(const struct chorale_point *pt, size_t s)
{
    struct chorale_point one = *pt;

    if (s > 0 && s < pt->msg_size)
        one.msg_size = one.n = s;
    return one;
}

int chorale_two_level_segments_cost(
    const struct chorale_point *pt, size_t s,
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term),
    struct chorale_term *term)
{
    struct chorale_point one = chorale_two_level_segment(pt, s);
    size_t last, segments = chorale_segments(pt->msg_size, s, &last);
    double before = (double)(segments - 1), messages, bytes, reduced;
    int n = cost(&one, term);

    if (segments == 1)
        return n;
    chorale_term_sums(term, n, &messages, &bytes, &reduced);
    term[0] = (struct chorale_term){
        .messages = before * messages,
        .bytes = messages > 0 ? bytes / messages : 0,
        .reduced = before * reduced,
    };
    one.msg_size = one.n = last;
    return 1 + cost(&one, term + 1);
}

/* --- blocks ordered by node ------------------------------------------- */

int chorale_nodes_pack(struct chorale_ctx *ctx,
                       const struct chorale_topology *t,
                       const struct chorale_blocks *whole, char *bytes)
{
    size_t size = chorale_type_size(whole->type);
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++) {
        MPI_Count count;
        void *block = chorale_block(whole, t->order[i], &count);

        err = chorale_pack(ctx, block, count, whole->type, bytes);
        bytes += size * (size_t)count;
    }
    return err;
}

int chorale_nodes_unpack(struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const char *bytes,
                         const struct chorale_blocks *whole, int except)
{
    size_t size = chorale_type_size(whole->type);
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++) {
        MPI_Count count;
        void *block = chorale_block(whole, t->order[i], &count);

        if (t->order[i] != except)
            err = chorale_unpack(ctx, bytes, block, count, whole->type);
        bytes += size * (size_t)count;
    }
    return err;
}

/* Bytes of the first n blocks in the order of nodes. */
static size_t bytes_before(const struct chorale_topology *t,
                           const struct chorale_blocks *whole, int n)
{
    size_t size = chorale_type_size(whole->type);
    MPI_Count sum = 0;

    if (whole->counts == NULL)
        return size * (size_t)whole->count * (size_t)n;
    for (int i = 0; i < n; i++)
        sum += whole->counts[t->order[i]];
    return size * (size_t)sum;
}

int chorale_node_blocks_init(struct chorale_node_blocks *b,
                             struct chorale_ctx *ctx,
                             const struct chorale_topology *t,
                             const struct chorale_blocks *whole,
                             size_t bytes)
{
    MPI_Count count;

    *b = (struct chorale_node_blocks){ NULL, NULL, 0 };
    if (!t->leads)
        return MPI_SUCCESS;
    if (whole == NULL) {
        b->mine = chorale_scratch(ctx, bytes);
        return b->mine == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (t->in_order && chorale_type_is_packed(whole->type))
        b->all = chorale_range_piece(whole, 0, ctx->size, &count);
    b->direct = b->all != NULL;
    if (!b->direct)
        b->all = chorale_scratch(ctx, bytes_before(t, whole, ctx->size));
    if (b->all == NULL)
        return MPI_ERR_NO_MEM;
    b->mine = b->all + bytes_before(t, whole, t->start[t->node]);
    return MPI_SUCCESS;
}

struct chorale_call
chorale_node_gather(const struct chorale_call *call,
                    struct chorale_topology *t,
                    const struct chorale_node_blocks *b,
                    const struct chorale_blocks *whole)
{
    struct chorale_call part = *call;

    part.ctx = &t->inner;
    part.root = t->lead;
    part.recvbuf = b->mine;
    part.recvtype = MPI_PACKED;
    /* With MPI_IN_PLACE the root's block is already in place if direct;
     * otherwise pack it from its place in recvbuf. */
    if (call->sendbuf == MPI_IN_PLACE && !b->direct) {
        part.sendbuf = chorale_block(whole, call->root, &part.sendcount);
        part.sendtype = whole->type;
    }
    return part;
}

struct chorale_call
chorale_node_scatter(const struct chorale_call *call,
                     struct chorale_topology *t,
                     const struct chorale_node_blocks *b)
{
    struct chorale_call part = *call;

    part.ctx = &t->inner;
    part.root = t->lead;
    part.sendbuf = b->mine;
    part.sendtype = MPI_PACKED;
    return part;
}

/* --- equal blocks among the leaders ----------------------------------- */

const char *const chorale_outer_word[CHORALE_OUTERS] = { "binomial", "linear",
                                                         "linear_nb" };

/* A k-nomial tree whose radix is the number of nodes is flat. */
static long radix_of(long outer, int nodes)
{
    return outer != CHORALE_OUTER_BINOMIAL && nodes > 2 ? nodes : 2;
}

/* Compute where the blocks of this leader's subtree start. */
static int set_offset(struct chorale_block_tree *tree,
                      const struct chorale_topology *t, int root, size_t m)
{
    size_t span = (size_t)tree->tree.span;
    int64_t *offset = chorale_scratch(tree->ctx,
                                      (span + 1) * sizeof(*offset));

    if (offset == NULL)
        return MPI_ERR_NO_MEM;
    offset[0] = 0;
    for (size_t i = 0; i < span; i++) {
        int node = (int)(((size_t)tree->tree.v + i + (size_t)root) %
                         (size_t)t->nodes);

        offset[i + 1] = offset[i] +
                        (int64_t)m * chorale_topology_members(t, node);
    }
    tree->offset = offset;
    return MPI_SUCCESS;
}

static int set_tree(struct chorale_block_tree *tree,
                    struct chorale_topology *t, int root, size_t m, void *all,
                    void *mine)
{
    MPI_Count own = (MPI_Count)m * chorale_topology_members(t, t->node);
    MPI_Count *counts;
    MPI_Aint *displs;
    int err;

    tree->buf = mine;
    tree->count = own;
    tree->type = MPI_PACKED;
    if (chorale_topology_regular(t)) {
        tree->m = (size_t)own;
        tree->all = chorale_blocks_equal(all, own, MPI_PACKED, t->nodes);
        return MPI_SUCCESS;
    }
    if (t->node != root)
        return set_offset(tree, t, root, m);
    err = chorale_topology_counts(t, &t->outer, m, &counts, &displs);
    if (err == MPI_SUCCESS)
        tree->all = chorale_blocks_given(all, counts, displs, MPI_PACKED,
                                         t->nodes);
    return err;
}

struct chorale_call chorale_outer_call(struct chorale_topology *t, int root,
                                       int gathers, void *all, void *mine,
                                       MPI_Count own)
{
    struct chorale_call call = {
        .ctx = &t->outer,
        .root = root,
        .sendbuf = mine,
        .recvbuf = mine,
        .sendcount = own,
        .recvcount = own,
        .sendtype = MPI_PACKED,
        .recvtype = MPI_PACKED,
    };

    if (t->node == root) {
        call.sendbuf = gathers ? MPI_IN_PLACE : all;
        call.recvbuf = gathers ? all : MPI_IN_PLACE;
    }
    return call;
}

/* All messages of the root at once, as a gatherv or scatterv, because blocks
 * differ if nodes have different numbers of ranks. */
static int flat(struct chorale_topology *t, int root, int gathers, size_t m,
                void *all, void *mine)
{
    struct chorale_call call = chorale_outer_call(
        t, root, gathers, all, mine,
        (MPI_Count)m * chorale_topology_members(t, t->node));
    MPI_Count *counts;
    MPI_Aint *displs;
    int err;

    if (t->node == root) {
        err = chorale_topology_counts(t, &t->outer, m, &counts, &displs);
        if (err != MPI_SUCCESS)
            return err;
        call.sendcounts = call.recvcounts = counts;
        call.sdispls = call.rdispls = displs;
    }
    return gathers ? chorale_flat_gatherv(&call, 0)
                   : chorale_flat_scatterv(&call, 0);
}

int chorale_outer_gather(struct chorale_topology *t, int root, long outer,
                         size_t m, void *all, void *mine)
{
    struct chorale_block_tree tree = chorale_block_tree_at(
        &t->outer, root, radix_of(outer, t->nodes), 0);
    int err;

    if (outer == CHORALE_OUTER_LINEAR_NB)
        return flat(t, root, 1, m, all, mine);
    err = set_tree(&tree, t, root, m, all, mine);
    return err == MPI_SUCCESS ? chorale_gather_up(&tree) : err;
}

int chorale_outer_scatter(struct chorale_topology *t, int root, long outer,
                          size_t m, void *all, void *mine)
{
    struct chorale_block_tree tree = chorale_block_tree_at(
        &t->outer, root, radix_of(outer, t->nodes), 1);
    int err;

    if (outer == CHORALE_OUTER_LINEAR_NB)
        return flat(t, root, 0, m, all, mine);
    err = set_tree(&tree, t, root, m, all, mine);
    return err == MPI_SUCCESS ? chorale_scatter_down(&tree) : err;
}

/* The leaders' point with one block per node, that of a full node. If there are
 * two nodes and the root is on the first, the block of the other node. */
static struct chorale_point node_blocks(const struct chorale_point *pt)
{
    struct chorale_point in, out;
    int blocks = pt->ppn;

    chorale_topology_points(pt, &in, &out);
    if (out.comm_size == 2 && out.root == 0)
        blocks = pt->comm_size - pt->ppn;
    out.msg_size *= (size_t)blocks;
    out.n = out.msg_size * (size_t)out.comm_size;
    return out;
}

int chorale_outer_cost(const struct chorale_point *pt, long outer,
                       struct chorale_term *term)
{
    struct chorale_point out = node_blocks(pt);

    if (outer == CHORALE_OUTER_LINEAR_NB && out.msg_size == 0)
        return 0; /* empty blocks are not sent */
    return chorale_cost_block_tree(&out, radix_of(outer, out.comm_size),
                                   term);
}

size_t chorale_two_level_blocks_scratch(const struct chorale_point *pt,
                                        const struct chorale_alg *inner,
                                        long outer)
{
    struct chorale_point in, out;

    chorale_topology_points(pt, &in, &out);
    out = node_blocks(pt);
    return chorale_topology_scratch(pt) +
           pt->msg_size * (size_t)pt->comm_size +
           most(chorale_part_scratch(inner, &in),
                chorale_scratch_block_tree(
                    &out, radix_of(outer, out.comm_size)) +
                    (sizeof(int64_t) + sizeof(MPI_Request)
                     + sizeof(MPI_Count) + sizeof(MPI_Aint))
                        * ((size_t)out.comm_size + 1));
}
