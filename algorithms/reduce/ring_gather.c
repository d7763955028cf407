/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_gather.c - ring reduce-scatter, then a binomial gather at the root.
 *
 * For long vectors. Virtual ranks start at the root, so that the parts of a
 * subtree are contiguous in the vector.
 *
 * Rounds  P - 1 + ceil(lg P)                  P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes at the root, up to rounding
 * Cost    (P - 1) (alpha + b (beta + tau)) + ceil(lg P) alpha + (n - b) beta, b
 *         = ceil(n/P) in whole elements: exact. The root's part is one of the
 *         largest, and its sum is completed last.
 * Needs   any P, any root, any datatype; a commutative operation
 * Source  Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/tree.h"

/* Gather the parts of this rank's subtree; b addresses them within the vector
 * or, with memory for these parts only, at mem. */
static int gather(struct chorale_ctx *ring, const struct chorale_blocks *b)
{
    int child[32], parent, err = MPI_SUCCESS;
    int v = ring->rank, size = ring->size;
    int nchild = chorale_binomial(v, size, &parent, child);
    MPI_Count count;
    void *parts;

    for (int i = nchild - 1; i >= 0 && err == MPI_SUCCESS; i--) {
        parts = chorale_block_range(
            b, child[i], chorale_binomial_subtree(child[i], size), &count);
        err = chorale_recv(ring, parts, count, b->type, child[i]);
    }
    if (err != MPI_SUCCESS || parent < 0)
        return err;
    parts = chorale_block_range(b, v, chorale_binomial_subtree(v, size),
                                &count);
    return chorale_send(ring, parts, count, b->type, parent);
}

/* Both phases on virtual ranks. The root gathers in recvbuf, other ranks in
 * scratch for their subtree's parts. */
static int reduce(const struct chorale_call *call, struct chorale_ctx *ring)
{
    int at_root = ring->rank == 0, in_place = call->sendbuf == MPI_IN_PLACE;
    struct chorale_blocks own = chorale_blocks_split(
        in_place ? call->recvbuf : call->sendbuf, call->recvcount,
        call->recvtype, ring->size);
    struct chorale_blocks all;
    struct chorale_rs rs = {
        .ctx = ring,
        .own = &own,
        .apart = !at_root,
        .op = call->op,
        .commutative = 1,
    };
    MPI_Count count;
    char *piece, *mem = call->recvbuf;
    int err;

    all = chorale_blocks_at(&own, mem);
    if (!at_root) {
        piece = chorale_block_range(
            &own, ring->rank,
            chorale_binomial_subtree(ring->rank, ring->size), &count);
        mem = chorale_scratch_typed(ring, count, call->recvtype);
        if (mem == NULL)
            return MPI_ERR_NO_MEM;
        all = chorale_blocks_at(&own, mem - (piece - own.base));
        rs.result = mem;
    } else {
        rs.acc = in_place ? &own : &all;
    }
    err = chorale_rs_ring(&rs);
    return err == MPI_SUCCESS ? gather(ring, &all) : err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx, view;
    size_t mark = chorale_scratch_mark(ctx);
    int size = ctx->size, err, *map;

    if (call->root == 0) {
        err = reduce(call, ctx);
        chorale_scratch_release(ctx, mark);
        return err;
    }
    map = chorale_scratch(ctx, sizeof(*map) * (size_t)size);
    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < size; i++)
        map[i] = i < size - call->root ? i + call->root
                                       : i - (size - call->root);
    chorale_ctx_view(ctx, &view, (ctx->rank - call->root + size) % size, size,
                     map);
    err = reduce(call, &view);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size, child[32], parent;
    int n = chorale_half_cost(pt, CHORALE_WAY_RING, 0, p, 1, term, 0);
    int nchild = chorale_binomial(0, p, &parent, child);

    for (int i = 0; i < nchild; i++) {
        int end = child[i] + chorale_binomial_subtree(child[i], p);

        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = (double)(chorale_parts_most(pt, p, end) -
                              chorale_parts_most(pt, p, child[i])),
        };
    }
    return n;
}

/* The largest subtree other than the root's, two parts in flight, and the
 * map. */
static size_t scratch(const struct chorale_point *pt)
{
    int p = pt->comm_size, far, most;

    if (p < 2)
        return 0;
    far = chorale_pow2_below(p - 1);
    most = p - far > far / 2 ? p - far : far / 2;
    return chorale_parts_most(pt, p, most) +
           (size_t)(p > 3 ? 2 : p - 2) * chorale_parts_most(pt, p, 1) +
           sizeof(int) * (size_t)p;
}

const struct chorale_alg chorale_reduce_ring_gather = {
    .coll = CHORALE_REDUCE,
    .name = "ring_gather",
    .summary = "ring reduce-scatter, then a binomial gather",
    .formula = "(P-1 + ceil(lg P)) alpha + (P-1)/P n (2 beta + tau)",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
