/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce.c - ring, exchange and circulant reduce-scatter over blocks.
 *
 * A received operand goes directly to the place of the sum, if that is free,
 * and the own operand is added to it. Otherwise the received operand is added
 * to the own one. */
#include "algorithms/engines/reduction/scatter_reduce.h"

static int merge(const struct chorale_rs *rs, const void *in, void *inout,
                 MPI_Count count)
{
    return chorale_reduce_local(rs->ctx, in, inout, count, rs->own->type,
                                rs->op);
}

static int swap(const struct chorale_rs *rs, const void *out,
                MPI_Count out_count, int dest, void *in, MPI_Count in_count,
                int source)
{
    return chorale_sendrecv(rs->ctx, out, out_count, rs->own->type, dest, in,
                            in_count, rs->own->type, source);
}

/* With one rank, the result is its operand. */
static int alone(const struct chorale_rs *rs)
{
    MPI_Count count;
    void *own = chorale_block(rs->own, 0, &count), *to = rs->result;

    if (!rs->apart && rs->acc == rs->own)
        return MPI_SUCCESS;
    if (!rs->apart)
        to = chorale_block(rs->acc, 0, &count);
    return chorale_copy(rs->ctx, own, count, rs->own->type, to, count,
                        rs->own->type);
}

/* --- ring ------------------------------------------------------------- */

/* Buffers for received operands without a place in acc: two alternating ones if
 * partial sums are sent from them, one if they are added to own at once. */
static int ring_spares(const struct chorale_rs *rs, void *spare[2])
{
    const struct chorale_blocks *own = rs->own;
    int size = rs->ctx->size, need = size - 1 - rs->apart;
    MPI_Count most;

    if (need < 1 || (rs->acc != NULL && rs->acc != own))
        return MPI_SUCCESS;
    /* The last sum is received into the result; with equal blocks it can also
     * hold earlier sums. */
    if (rs->acc == NULL && own->counts == NULL && !own->split)
        spare[size % 2] = rs->result;
    most = chorale_blocks_largest(own);
    for (int i = 0; i < 2 && i < need; i++) {
        if (spare[i] != NULL || (rs->acc == own && i > 0))
            continue;
        spare[i] = chorale_scratch_typed(rs->ctx, most, own->type);
        if (spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Step i: send the sum of block rank - 1 - i to the right, receive that of
 * block rank - 2 - i from the left, add the own operand. */
static int ring_steps(const struct chorale_rs *rs, void *spare[2])
{
    int size = rs->ctx->size, rank = rs->ctx->rank;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int b = left, err = MPI_SUCCESS;
    MPI_Count out_count, count;
    const void *out = chorale_block(rs->own, left, &out_count);

    for (int i = 0; i < size - 1 && err == MPI_SUCCESS; i++) {
        void *mine, *in;
        int keep; /* accumulate in the own block */

        b = b == 0 ? size - 1 : b - 1;
        mine = chorale_block(rs->own, b, &count);
        keep = rs->acc == rs->own && !(i == size - 2 && rs->apart);
        if (i == size - 2 && rs->apart)
            in = rs->result;
        else if (rs->acc == NULL || keep)
            in = spare[keep ? 0 : i % 2];
        else
            in = chorale_block(rs->acc, b, &count);
        err = swap(rs, out, out_count, right, in, count, left);
        if (err == MPI_SUCCESS)
            err = keep ? merge(rs, in, mine, count)
                       : merge(rs, mine, in, count);
        out = keep ? mine : in;
        out_count = count;
    }
    return err;
}

int chorale_rs_ring(const struct chorale_rs *rs)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    void *spare[2] = { NULL, NULL };
    int err;

    if (rs->ctx->size == 1)
        return alone(rs);
    err = ring_spares(rs, spare);
    if (err == MPI_SUCCESS)
        err = ring_steps(rs, spare);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

/* --- exchange --------------------------------------------------------- */

struct exchange {
    const struct chorale_rs *rs;
    int k;
    const struct chorale_blocks *from; /* sums so far: own, then acc */
    const struct chorale_blocks *acc;
    int base;  /* first of the remaining blocks */
    void *tmp; /* one part; the first one needed is the largest */
};

/* k ranks at distance span exchange span blocks each; the part that is kept
 * starts with block keep. */
static int exchange_round(struct exchange *x, int span)
{
    const struct chorale_rs *rs = x->rs;
    int digit = (rs->ctx->rank - x->base) / span;
    int keep = x->base + digit * span, last = span == 1 && rs->apart;
    int err = MPI_SUCCESS;
    MPI_Count count, out_count;
    void *sum = chorale_block_range(x->from, keep, span, &count);

    for (int i = 1; i < x->k && err == MPI_SUCCESS; i++) {
        int to = (digit + i) % x->k;
        int by = (digit + x->k - i) % x->k;
        const void *out = chorale_block_range(x->from, x->base + to * span,
                                              span, &out_count);
        int fresh = i == 1 && (last || x->from != x->acc);
        void *in = x->tmp;

        if (fresh)
            in = last ? rs->result
                      : chorale_block_range(x->acc, keep, span, &count);
        else if (in == NULL)
            in = x->tmp = chorale_scratch_typed(rs->ctx, count,
                                                rs->own->type);
        if (!fresh && in == NULL)
            return MPI_ERR_NO_MEM;
        err = swap(rs, out, out_count, rs->ctx->rank + (to - digit) * span,
                   in, count, rs->ctx->rank + (by - digit) * span);
        if (err == MPI_SUCCESS)
            err = fresh ? merge(rs, sum, in, count)
                        : merge(rs, in, sum, count);
        sum = fresh ? in : sum;
    }
    x->base = keep;
    x->from = x->acc;
    return err;
}

/* Allocate room for the blocks kept after the first round, addressed like own's
 * blocks although only those exist. */
static int exchange_acc(struct exchange *x, int span,
                        struct chorale_blocks *acc)
{
    const struct chorale_rs *rs = x->rs;
    int keep = rs->ctx->rank / span * span;
    MPI_Count count;
    char *piece = chorale_block_range(rs->own, keep, span, &count), *mem;

    mem = chorale_scratch_typed(rs->ctx, count, rs->own->type);
    if (mem == NULL)
        return MPI_ERR_NO_MEM;
    *acc = chorale_blocks_at(rs->own, mem - (piece - rs->own->base));
    x->acc = acc;
    return MPI_SUCCESS;
}

int chorale_rs_exchange(const struct chorale_rs *rs, int k)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct exchange x = { .rs = rs, .k = k, .from = rs->own, .acc = rs->acc };
    struct chorale_blocks acc;
    int span = rs->ctx->size / k;
    int err = MPI_SUCCESS;

    if (rs->ctx->size == 1)
        return alone(rs);
    if (x.acc == NULL && span > 1)
        err = exchange_acc(&x, span, &acc);
    for (; span > 0 && err == MPI_SUCCESS; span /= k)
        err = exchange_round(&x, span);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

/* --- circulant graph -------------------------------------------------- */

MPI_Count chorale_cyclic_count(const struct chorale_blocks *b, int first, int k)
{
    int head = first + k <= b->n ? k : b->n - first;
    MPI_Count count, tail;

    chorale_block_range(b, first, head, &count);
    chorale_block_range(b, 0, k - head, &tail);
    return count + tail;
}

/* R[i] is block rank + i, cyclically. sum: R[0] ... R[kept - 1] contiguously,
 * from the first round on. */
struct circulant {
    const struct chorale_rs *rs;
    void *sum;
    void *spare; /* the blocks sent first, contiguously; later the received
                  * ones */
};

static int circulant_init(struct circulant *c, int kept)
{
    const struct chorale_rs *rs = c->rs;
    const struct chorale_blocks *own = rs->own;
    int size = rs->ctx->size, rank = rs->ctx->rank;
    int first = (rank + kept) % size, wraps = first + size - kept > size;
    MPI_Count room = wraps ? chorale_cyclic_count(own, first, size - kept) : 0;
    MPI_Count later = kept > 2 ? chorale_cyclic_count(own, rank, kept / 2) : 0;

    if (kept > 1)
        c->sum = chorale_scratch_typed(
            rs->ctx, chorale_cyclic_count(own, rank, kept), own->type);
    if (wraps || kept > 2)
        c->spare = chorale_scratch_typed(rs->ctx, room > later ? room : later,
                                         own->type);
    return (kept > 1 && c->sum == NULL) ||
                   ((wraps || kept > 2) && c->spare == NULL)
               ? MPI_ERR_NO_MEM
               : MPI_SUCCESS;
}

/* Copy k own blocks from first on, cyclically, to the contiguous elements at
 * flat, or add them there. */
static int circulant_own(const struct circulant *c, int first, int k,
                         void *flat, int add)
{
    const struct chorale_rs *rs = c->rs;
    const struct chorale_blocks *own = rs->own;
    int head = first + k <= own->n ? k : own->n - first;
    int err = MPI_SUCCESS;

    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++) {
        MPI_Count count;
        void *mine = chorale_block_range(own, i ? 0 : first,
                                         i ? k - head : head, &count);

        if (count > 0)
            err = add ? merge(rs, mine, flat, count)
                      : chorale_copy(rs->ctx, mine, count, own->type, flat,
                                     count, own->type);
        flat = chorale_at(flat, own->extent, (MPI_Aint)count);
    }
    return err;
}

static int circulant_first(struct circulant *c, int kept)
{
    const struct chorale_rs *rs = c->rs;
    const struct chorale_blocks *own = rs->own;
    int size = rs->ctx->size, rank = rs->ctx->rank, k = size - kept;
    int first = (rank + kept) % size, err = MPI_SUCCESS;
    MPI_Count count = chorale_cyclic_count(own, rank, k), out_count;
    void *in = kept == 1 ? rs->result : c->sum;
    const void *out = chorale_block(own, first, &out_count);

    out_count = chorale_cyclic_count(own, first, k);
    if (first + k > size) {
        err = circulant_own(c, first, k, c->spare, 0);
        out = c->spare;
    }
    if (err == MPI_SUCCESS)
        err = swap(rs, out, out_count, first, in, count,
                   (rank + size - kept) % size);
    if (err == MPI_SUCCESS)
        err = circulant_own(c, rank, k, in, 1);
    if (err == MPI_SUCCESS && kept > k)
        err = circulant_own(c, (rank + k) % size, 1,
                            chorale_at(in, own->extent, (MPI_Aint)count), 0);
    return err;
}

/* Of R[0] ... R[whole - 1] keep the first ones. */
static int circulant_round(const struct circulant *c, int whole, int kept)
{
    const struct chorale_rs *rs = c->rs;
    const struct chorale_blocks *own = rs->own;
    int size = rs->ctx->size, rank = rs->ctx->rank, k = whole - kept;
    int dest = (rank + kept) % size, err;
    MPI_Count count = chorale_cyclic_count(own, rank, k);
    MPI_Count at = chorale_cyclic_count(own, rank, kept);
    void *in = kept == 1 ? rs->result : c->spare;

    err = swap(rs, chorale_at(c->sum, own->extent, (MPI_Aint)at),
               chorale_cyclic_count(own, dest, k), dest, in, count,
               (rank + size - kept) % size);
    if (err != MPI_SUCCESS)
        return err;
    return kept == 1 ? merge(rs, c->sum, in, count)
                     : merge(rs, in, c->sum, count);
}

int chorale_rs_circulant(const struct chorale_rs *rs)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct chorale_rs to = *rs;
    struct circulant c = { .rs = &to };
    int size = rs->ctx->size, kept = (size + 1) / 2, err;
    MPI_Count count;

    if (size == 1)
        return alone(rs);
    if (!rs->apart && rs->acc == rs->own && size == 2)
        return chorale_rs_exchange(rs, 2);
    /* From the second round on, the own blocks are not read any more. */
    if (!rs->apart)
        to.result = chorale_block(rs->acc, rs->ctx->rank, &count);
    err = circulant_init(&c, kept);
    if (err == MPI_SUCCESS)
        err = circulant_first(&c, kept);
    for (int whole = kept; whole > 1 && err == MPI_SUCCESS; whole = kept) {
        kept = (whole + 1) / 2;
        err = circulant_round(&c, whole, kept);
    }
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

/* --- with the result in place ----------------------------------------- */

int chorale_scatter_reduce_ring(struct chorale_ctx *ctx,
                                const struct chorale_blocks *own,
                                const struct chorale_blocks *acc, MPI_Op op)
{
    struct chorale_rs rs = {
        .ctx = ctx,
        .own = own,
        .acc = acc->base == own->base ? own : acc,
        .op = op,
        .commutative = 1,
    };

    return chorale_rs_ring(&rs);
}
