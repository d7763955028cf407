/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.c - broadcast down two binary trees, half of the vector each.
 *
 * Each half is sent in segments. An inner rank of one tree is a leaf of the
 * other.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/2s)
 *
 * Rounds  2 (floor(lg(P - 1)) + S)
 * Volume  (P - 1) n bytes in total, n from each rank at most
 * Cost    at most 2 (floor(lg(P - 1)) + S) (alpha + s beta): in a step a rank
 *         sends and receives one segment, two steps are one level
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  Sanders, Speck, Traeff, Parallel Computing 35, 2009
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/double_tree.h"
#include "algorithms/engines/rooted/pipeline.h"

/* Part of the vector that passes over an edge in a step. */
struct piece {
    char *bytes;
    MPI_Count length;
    int peer; /* -1: none */
};

static struct piece piece(const struct chorale_halves *h,
                          const struct chorale_edge *edge, MPI_Count step,
                          char *bytes)
{
    MPI_Count k = chorale_edge_segment(edge, edge->step, step, h->segments);
    struct piece p = { bytes, 0, k < 0 ? -1 : edge->peer };

    if (k >= 0)
        p.bytes += chorale_halves_segment(h, edge->half, k, &p.length);
    return p;
}

static int move(const struct chorale_call *call, const void *what,
                char *bytes, size_t n)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_double_tree trees;
    struct chorale_halves h;
    int err = MPI_SUCCESS;

    chorale_double_tree_init(&trees, ctx->size, call->root, ctx->rank);
    chorale_halves_init(&h, (MPI_Count)n, *(const long *)what);
    for (MPI_Count t = 0;
         t < trees.most + 2 * h.segments && err == MPI_SUCCESS; t++) {
        struct piece out = piece(&h, &trees.child[t % 2], t, bytes);
        struct piece in = piece(&h, &trees.parent[t % 2], t, bytes);

        if (out.peer >= 0 && in.peer >= 0)
            err = chorale_sendrecv(ctx, out.bytes, out.length, MPI_PACKED,
                                   out.peer, in.bytes, in.length, MPI_PACKED,
                                   in.peer);
        else if (out.peer >= 0)
            err = chorale_send(ctx, out.bytes, out.length, MPI_PACKED,
                               out.peer);
        else if (in.peer >= 0)
            err = chorale_recv(ctx, in.bytes, in.length, MPI_PACKED, in.peer);
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    return chorale_packed_bcast(call, move, call->param);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double bytes, rounds = chorale_double_tree_rounds(
                      pt, pt->param[0], 1, &bytes);

    term[0] = (struct chorale_term){ .messages = rounds, .bytes = bytes };
    return 1;
}

const struct chorale_alg chorale_bcast_double_tree = {
    .coll = CHORALE_BCAST,
    .name = "double_tree",
    .summary = "halves flow down two trees that use all ports",
    .formula = "<= 2 (floor(lg(P-1)) + S) (alpha + s beta), S = ceil(n/(2 s))",
    .source = "Sanders, Speck, Traeff, Parallel Computing 35, 2009",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.34,
    .within_default = 1.2,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE_BY(8192, CHORALE_BY_HALVES |
                                                  CHORALE_BY_FULL) },
    .run = run,
    .cost = cost,
};
