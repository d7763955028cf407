/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial_segmented.c - binomial-tree scatter in segments.
 *
 * The bytes of a subtree are sent from their end, the farthest ranks' first. An
 * inner rank therefore forwards a segment while it receives the next one.
 *
 * Rounds  sum of ceil(b m/s), b the blocks of each child of the root
 * Volume  (P - 1) m bytes from the root       P = comm_size, s = segsize
 * Cost    rounds * alpha + (P - 1) m beta, exact for every P: the root is
 *         always busy, as without segments. With segments all other ranks
 *         finish earlier, and messages stay short
 * Needs   any P, any root, any datatype; split as packed bytes; a rank with a
 *         subtree of b blocks holds b m bytes
 * Source  Worringen, LCN 2003, for pipelines down trees
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/packed.h"
#include "algorithms/engines/rooted/pipeline.h"

/* Receives posted ahead. A rank falls behind its parent by at most one message
 * per child, because each child may add one short segment. */
enum { AHEAD = 32 };

/* The n bytes of a subtree as they arrive: segments from the end on. */
struct stream {
    struct chorale_ctx *ctx;
    char *bytes;
    size_t n, segments, posted, done;
    long segsize;
    int source;
    MPI_Request req[AHEAD];
};

/* Segment i of n bytes, counted from the end. */
static size_t from_end(size_t n, long segsize, size_t i, size_t *start)
{
    size_t length = chorale_segment(n, segsize, i, start);

    *start = n - *start - length;
    return length;
}

static int post_ahead(struct stream *in)
{
    int err = MPI_SUCCESS;

    while (err == MPI_SUCCESS && in->posted < in->segments &&
           in->posted < in->done + AHEAD) {
        size_t start, length = from_end(in->n, in->segsize, in->posted,
                                        &start);

        err = chorale_irecv(in->ctx, in->bytes + start, (MPI_Count)length,
                            MPI_PACKED, in->source,
                            &in->req[in->posted % AHEAD]);
        in->posted += err == MPI_SUCCESS;
    }
    return err;
}

/* Wait until the bytes from start on have been received. */
static int arrive(struct stream *in, size_t start)
{
    int err = MPI_SUCCESS;

    while (err == MPI_SUCCESS && in->done < in->segments) {
        size_t here;

        if (in->done > 0) {
            from_end(in->n, in->segsize, in->done - 1, &here);
            if (here <= start)
                break;
        }
        err = chorale_wait(in->ctx, &in->req[in->done % AHEAD]);
        in->done++;
        if (err == MPI_SUCCESS)
            err = post_ahead(in);
    }
    return err;
}

/* Send bytes[0 ... n - 1] to a child; they are bytes[at ...] of in, unless in
 * is NULL. */
static int send_from_end(struct chorale_ctx *ctx, const char *bytes, size_t n,
                         long segsize, int dest, struct stream *in, size_t at)
{
    size_t last, segments = chorale_segments(n, (size_t)segsize, &last);
    int err = MPI_SUCCESS;

    for (size_t i = 0; i < segments && err == MPI_SUCCESS; i++) {
        size_t start, length = from_end(n, segsize, i, &start);

        if (in != NULL)
            err = arrive(in, at + start);
        if (err == MPI_SUCCESS)
            err = chorale_send(ctx, bytes + start, (MPI_Count)length,
                               MPI_PACKED, dest);
    }
    return err;
}

/* Send one child's subtree from its place, or from a packed copy. */
static int send_subtree(const struct chorale_block_tree *t, int child,
                        int blocks, long segsize)
{
    struct chorale_ctx *ctx = t->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t n = chorale_subtree_bytes(t, child, blocks);
    MPI_Count count;
    char *bytes = chorale_subtree_piece(t, child, blocks, &count);
    int err = MPI_SUCCESS;

    if (bytes == NULL || !chorale_type_is_packed(t->all.type)) {
        bytes = chorale_scratch(ctx, n);
        err = bytes == NULL ? MPI_ERR_NO_MEM
                            : chorale_subtree_pack(t, child, blocks, bytes);
    }
    if (err == MPI_SUCCESS)
        err = send_from_end(ctx, bytes, n, segsize,
                            chorale_block_tree_rank(t, child), NULL, 0);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_root(const struct chorale_call *call,
                    const struct chorale_block_tree *t)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);

        err = send_subtree(t, child, blocks, call->param[0]);
    }
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

/* Forward the other ranks' blocks and keep the first one. Active receives are
 * completed even after an error. */
static int run_stream(const struct chorale_block_tree *t, struct stream *in)
{
    int last, err = post_ahead(in);

    for (int i = 0; i < t->tree.nchild && err == MPI_SUCCESS; i++) {
        int blocks, child = chorale_block_tree_child(t, i, &blocks);
        size_t at = t->m * (size_t)(child - t->tree.v);

        err = send_from_end(t->ctx, in->bytes + at, t->m * (size_t)blocks,
                            in->segsize, chorale_block_tree_rank(t, child),
                            in, at);
    }
    if (err == MPI_SUCCESS)
        err = arrive(in, 0);
    for (; in->done < in->posted; in->done++) {
        last = chorale_wait(t->ctx, &in->req[in->done % AHEAD]);
        err = err == MPI_SUCCESS ? last : err;
    }
    return err;
}

static int run_other(const struct chorale_block_tree *t, long segsize)
{
    int direct = t->tree.span == 1 && chorale_type_is_packed(t->type);
    size_t last, n = t->m * (size_t)t->tree.span;
    struct stream in = {
        .ctx = t->ctx,
        .bytes = direct ? t->buf : chorale_scratch(t->ctx, n),
        .n = n,
        .segments = chorale_segments(n, (size_t)segsize, &last),
        .segsize = segsize,
        .source = chorale_block_tree_rank(t, t->tree.parent),
    };
    int err = MPI_ERR_NO_MEM;

    if (direct || in.bytes != NULL)
        err = run_stream(t, &in);
    return err == MPI_SUCCESS && !direct
               ? chorale_unpack(t->ctx, in.bytes, t->buf, t->count, t->type)
               : err;
}

static int run(const struct chorale_call *call)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct chorale_block_tree t = chorale_block_tree_call(
        call, CHORALE_SCATTER, 2, 1);
    int err = t.tree.parent < 0 ? run_root(call, &t)
                                : run_other(&t, call->param[0]);

    chorale_scratch_release(call->ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int child[32], parent, n = 0;
    int nchild = chorale_binomial(0, pt->comm_size, &parent, child);

    for (int i = 0; i < nchild; i++)
        n += chorale_cost_segments(
            pt->msg_size *
                (size_t)chorale_binomial_subtree(child[i], pt->comm_size),
            1, pt->param[0], term + n);
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_block_tree(pt, 2);
}

const struct chorale_alg chorale_scatter_binomial_segmented = {
    .coll = CHORALE_SCATTER,
    .name = "binomial_segmented",
    .summary = "binomial tree, subtrees in segments, farthest bytes first",
    .formula = "<= (ceil((P-1)/P n/s) + ceil(lg P) - 1) alpha + "
               "(P-1)/P n beta",
    .source = "Worringen, LCN 2003",
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
