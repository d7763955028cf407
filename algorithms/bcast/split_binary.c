/* SPDX-License-Identifier: BSD-3-Clause */
/* split_binary.c - two halves down the two subtrees of a binary tree.
 *
 * The halves travel in segments; then pairs of ranks, one of either subtree,
 * exchange their halves. The subtrees are the odd and the even virtual ranks,
 * each a complete binary tree: 2 i + 1 and 2 i + 2 are a pair. A last rank
 * without a partner gets its second half from the root.
 *
 * P = comm_size, n = bytes, s = segsize, h = ceil(n/2), S = ceil(h/s)
 *
 * Rounds  2 (S - 1) + steps + 1, steps <= 2 H, H = floor(lg P)
 * Volume  (P - 1) n bytes in total; n from the root, 1.5 n with an even P;
 *         at most 1.5 n from inner ranks
 * Cost    (2 (S - 1) + steps) (alpha + s beta) + alpha + floor(n/2) beta,
 *         exact: steps of the last rank reached, each child in its turn; a
 *         short last segment is counted as it is
 * Needs   P >= 3, n >= 2, any root, any datatype. If n is odd, both halves
 *         contain the middle byte. segsize 0: S = 1
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

/* The subtree of side 0 (left) or 1, as seen by its virtual rank i. */
static void subtree(struct chorale_tree *tree, int size, int side, int i)
{
    chorale_tree_init(tree, CHORALE_KARY, 2, (size - side) / 2, i);
}

/* Offset of a side's half, which has n - n/2 bytes. */
static size_t half(size_t n, int side)
{
    return side == 0 ? 0 : n / 2;
}

/* Send segments alternately left and right; then send the second half to a left
 * rank without a partner. */
static int run_root(const struct chorale_call *call, char *bytes, size_t n,
                    size_t s)
{
    size_t h = n - n / 2, last, segments = chorale_segments(h, s, &last);
    int err = MPI_SUCCESS, size = call->ctx->size;

    for (size_t j = 0; j < segments; j++)
        for (int side = 0; side < 2 && err == MPI_SUCCESS; side++)
            err = chorale_send(call->ctx, bytes + half(n, side) + j * s,
                               (MPI_Count)(j + 1 < segments ? s : last),
                               MPI_PACKED, (call->root + 1 + side) % size);
    if (err == MPI_SUCCESS && size % 2 == 0)
        err = chorale_send(call->ctx, bytes + h, (MPI_Count)(n - h),
                           MPI_PACKED, (call->root + size - 1) % size);
    return err;
}

/* Exchange the bytes that the partner lacks. */
static int exchange(const struct chorale_call *call, int v, char *bytes,
                    size_t n)
{
    struct chorale_ctx *ctx = call->ctx;
    int left = v % 2, partner = left ? v + 1 : v - 1;
    char *low = bytes, *high = bytes + n - n / 2;
    MPI_Count length = (MPI_Count)(n / 2);

    if (partner == ctx->size)
        return chorale_recv(ctx, high, length, MPI_PACKED, call->root);
    partner = (partner + call->root) % ctx->size;
    return chorale_sendrecv(ctx, left ? low : high, length, MPI_PACKED,
                            partner, left ? high : low, length, MPI_PACKED,
                            partner);
}

static int move(const struct chorale_call *call, const void *what,
                char *bytes, size_t n)
{
    struct chorale_ctx *ctx = call->ctx;
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    int side = (v + 1) % 2, err;
    size_t s = (size_t)*(const long *)what;
    struct chorale_view view = {
        .ctx = ctx,
        .shift = (call->root + 1 + side) % ctx->size,
        .stride = 2,
    };

    if (v == 0)
        return run_root(call, bytes, n, s);
    subtree(&view.tree, ctx->size, side, (v - 1) / 2);
    view.parent = call->root;
    if (view.tree.parent >= 0)
        view.parent = (2 * view.tree.parent + view.shift) % ctx->size;
    err = chorale_flow_down(&view, bytes + half(n, side), n - n / 2, s);
    return err == MPI_SUCCESS ? exchange(call, v, bytes, n) : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_packed_bcast(call, move, call->param);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_path best = { 0, 0 };
    size_t n = pt->msg_size;
    struct chorale_cut cut;

    chorale_cut_init(&cut, pt, n - n / 2, (size_t)pt->param[0]);
    for (int side = 0; side < 2; side++) {
        struct chorale_tree tree;
        struct chorale_path way;
        int below;

        subtree(&tree, pt->comm_size, side, 0);
        way = chorale_path_below(&cut, &tree, &below);
        way.full += 1 + side;
        if (cut.segments > 1)
            best = chorale_path_longer(&cut, best, way);
        way.full = cut.segments > 1 ? 2 : 0;
        way.last = 1 + side + below;
        best = chorale_path_longer(&cut, best, way);
    }
    if (cut.segments > 1)
        best.full += 2 * (cut.segments - 2);
    chorale_path_terms(&cut, best, term);
    term[2] = (struct chorale_term){ .messages = 1, .bytes = (double)(n / 2) };
    return 3;
}

static const char *refuses(const struct chorale_point *pt)
{
    if (pt->comm_size < 3)
        return "needs three processes or more";
    return pt->msg_size < 2 ? "needs two bytes or more" : NULL;
}

const struct chorale_alg chorale_bcast_split_binary = {
    .coll = CHORALE_BCAST,
    .name = "split_binary",
    .summary = "halves flow down two subtrees, then pairs exchange them",
    .formula = "<= 2 (floor(lg P) + S-1) (alpha + s beta) + alpha + n/2 beta, "
               "S = ceil(n/(2 s))",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P of 3 or more, n of 2 bytes or more",
};
