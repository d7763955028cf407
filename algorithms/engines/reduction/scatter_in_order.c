/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_in_order.c - reduce-scatters that combine operands in rank order.
 *
 * In an exchange, the operands received are left of the own ones on a rank of
 * the upper half, right of them in the lower half. */
#include "algorithms/engines/reduction/scatter_reduce.h"

/* 1 if the value from a partner at distance bit must be the left operand. The
 * left operand is only read; the right one becomes the sum. */
static int partner_is_left(const struct chorale_rs *rs, int bit)
{
    return (rs->ctx->rank & bit) != 0 && !rs->commutative;
}

static int merge(const struct chorale_rs *rs, const void *in, void *inout,
                 MPI_Count count)
{
    return chorale_reduce_local(rs->ctx, in, inout, count, rs->own->type,
                                rs->op);
}

static int copy(const struct chorale_rs *rs, const void *from, void *to,
                MPI_Count count)
{
    return chorale_copy(rs->ctx, from, count, rs->own->type, to, count,
                        rs->own->type);
}

static int swap(const struct chorale_rs *rs, int partner, const void *out,
                MPI_Count out_count, void *in, MPI_Count count)
{
    return chorale_sendrecv(rs->ctx, out, out_count, rs->own->type, partner,
                            in, count, rs->own->type, partner);
}

/* With one rank, the result is its operand. */
static int alone(const struct chorale_rs *rs)
{
    MPI_Count count;
    const void *own = chorale_block(rs->own, 0, &count);

    return copy(rs, own, rs->result, count);
}

/* --- butterfly -------------------------------------------------------- */

struct butterfly {
    const struct chorale_rs *rs;
    struct chorale_blocks sum; /* by position: the bit-reversed rank */
    int base;                  /* first position of the remaining range */
    void *spare;               /* half of the remaining range */
};

static int reversed(int i, int size)
{
    int r = 0;

    for (int bit = 1; bit < size; bit *= 2)
        r = 2 * r + ((i & bit) != 0);
    return r;
}

/* Copy the own operands in bit-reversed order, so that blocks that travel
 * together are contiguous. */
static int butterfly_permute(struct butterfly *b)
{
    const struct chorale_rs *rs = b->rs;
    const struct chorale_blocks *own = rs->own;
    size_t n = (size_t)own->n;
    MPI_Count *counts = chorale_scratch(rs->ctx, n * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(rs->ctx, n * sizeof(*displs));
    void *mem = chorale_scratch_typed(rs->ctx,
                                      chorale_cyclic_count(own, 0, own->n),
                                      own->type);
    MPI_Aint at = 0;
    int err = MPI_SUCCESS;

    if (counts == NULL || displs == NULL || mem == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < own->n && err == MPI_SUCCESS; i++) {
        const void *mine = chorale_block(own, reversed(i, own->n),
                                         &counts[i]);

        displs[i] = at;
        err = copy(rs, mine, chorale_at(mem, own->extent, at), counts[i]);
        at += (MPI_Aint)counts[i];
    }
    b->sum = chorale_blocks_given(mem, counts, displs, own->type, own->n);
    return err;
}

static int butterfly_init(struct butterfly *b)
{
    const struct chorale_rs *rs = b->rs;
    int half = rs->ctx->size / 2, err = MPI_SUCCESS;
    MPI_Count count;

    /* With two ranks no permutation is needed, and no operand is combined in
     * place. */
    if (half > 1)
        err = butterfly_permute(b);
    else
        b->sum = *rs->own;
    if (err != MPI_SUCCESS || (half == 1 && !partner_is_left(rs, 1)))
        return err;
    chorale_block_range(&b->sum, rs->ctx->rank & 1 ? half : 0, half, &count);
    b->spare = chorale_scratch_typed(rs->ctx, count, rs->own->type);
    return b->spare == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int butterfly_round(struct butterfly *b, int bit, int span)
{
    const struct chorale_rs *rs = b->rs;
    int upper = (rs->ctx->rank & bit) != 0, left = partner_is_left(rs, bit);
    int keep = b->base + (upper ? span : 0);
    int give = b->base + (upper ? 0 : span);
    MPI_Count count, out_count;
    char *mine = chorale_block_range(&b->sum, keep, span, &count);
    void *out = chorale_block_range(&b->sum, give, span, &out_count);
    char *in = span == 1 && !left ? rs->result : b->spare;
    int err = swap(rs, rs->ctx->rank ^ bit, out, out_count, in, count);

    b->base = keep;
    if (err == MPI_SUCCESS && left && span == 1) {
        err = copy(rs, mine, rs->result, count);
        mine = rs->result;
    }
    if (err != MPI_SUCCESS)
        return err;
    if (left)
        return merge(rs, in, mine, count);
    b->sum = chorale_blocks_at(&b->sum, in - (mine - b->sum.base));
    b->spare = mine;
    return merge(rs, mine, in, count);
}

int chorale_rs_butterfly(const struct chorale_rs *rs)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct butterfly b = { .rs = rs };
    int size = rs->ctx->size, err;

    if (size == 1)
        return alone(rs);
    err = butterfly_init(&b);
    for (int bit = 1; bit < size && err == MPI_SUCCESS; bit *= 2)
        err = butterfly_round(&b, bit, size / bit / 2);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

/* --- recursive doubling ----------------------------------------------- */

/* sum: the blocks outside this rank's group, starting with the one after it,
 * cyclically. The sum of the own block is in the result. */
struct doubling {
    const struct chorale_rs *rs;
    void *sum, *spare;
};

static int doubling_init(struct doubling *d)
{
    const struct chorale_rs *rs = d->rs;
    const struct chorale_blocks *own = rs->own;
    int rank = rs->ctx->rank, rest = own->n - 1 - rank, err;
    MPI_Count n = chorale_cyclic_count(own, 0, own->n), count;
    const void *mine = chorale_block(own, rank, &count);

    d->sum = chorale_scratch_typed(rs->ctx, n, own->type);
    d->spare = chorale_scratch_typed(rs->ctx, n, own->type);
    if (d->sum == NULL || d->spare == NULL)
        return MPI_ERR_NO_MEM;
    err = copy(rs, mine, rs->result, count);
    if (err != MPI_SUCCESS)
        return err;
    mine = chorale_block_range(own, rank + 1, rest, &count);
    if (count > 0)
        err = copy(rs, mine, d->sum, count);
    if (err != MPI_SUCCESS)
        return err;
    mine = chorale_block_range(own, 0, rank, &n);
    return copy(rs, mine, chorale_at(d->sum, own->extent, (MPI_Aint)count),
                n);
}

/* Combine the received value of the own block, in, with the result. */
static int doubling_own(const struct chorale_rs *rs, int left, void *in)
{
    MPI_Count count = chorale_cyclic_count(rs->own, rs->ctx->rank, 1);
    int err;

    if (left)
        return merge(rs, in, rs->result, count);
    err = merge(rs, rs->result, in, count);
    return err == MPI_SUCCESS ? copy(rs, in, rs->result, count) : err;
}

static int doubling_round(struct doubling *d, int bit)
{
    const struct chorale_rs *rs = d->rs;
    const struct chorale_blocks *own = rs->own;
    int size = own->n, rank = rs->ctx->rank, upper = (rank & bit) != 0;
    int next = (rank / bit + 1) * bit % size; /* first block after the own
                                               * group, and after the
                                               * partner's */
    int theirs = ((rank ^ bit) / bit + 1) * bit % size;
    int rest = size - 2 * bit, err;
    MPI_Count count = chorale_cyclic_count(own, theirs, size - bit);
    MPI_Count at = chorale_cyclic_count(own, theirs,
                                        (rank - theirs + size) % size);
    MPI_Count skip = chorale_cyclic_count(own, upper ? theirs : next, bit),
    left;
    void *sum = d->sum;

    err = swap(rs, rank ^ bit, sum, chorale_cyclic_count(own, next, size - bit),
               d->spare, count);
    if (err == MPI_SUCCESS)
        err = doubling_own(rs, upper || rs->commutative,
                           chorale_at(d->spare, own->extent, (MPI_Aint)at));
    if (err != MPI_SUCCESS || rest == 0)
        return err;
    left = chorale_cyclic_count(own, upper ? next : theirs, rest);
    if (upper)
        return merge(rs, chorale_at(d->spare, own->extent, (MPI_Aint)skip),
                     sum, left);
    d->sum = d->spare;
    d->spare = sum;
    return merge(rs, chorale_at(sum, own->extent, (MPI_Aint)skip), d->sum,
                 left);
}

int chorale_rs_doubling(const struct chorale_rs *rs)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct doubling d = { .rs = rs };
    int err;

    if (rs->ctx->size == 1)
        return alone(rs);
    err = doubling_init(&d);
    for (int bit = 1; bit < rs->ctx->size && err == MPI_SUCCESS; bit *= 2)
        err = doubling_round(&d, bit);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}
