/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - see bruck.h. */
#include "algorithms/engines/bruck.h"

int chorale_bruck_blocks(int size, int k, long weight, int digit)
{
    long period = weight * k;
    long rest = size % period - digit * weight;

    rest = rest < 0 ? 0 : rest > weight ? weight : rest;
    return (int)(size / period * weight + rest);
}

/* Blocks of the largest message: at each place digit 1 is the most common. */
static int most_blocks(int size, int k)
{
    int most = 0;

    for (long weight = 1; weight < size; weight *= k) {
        int blocks = chorale_bruck_blocks(size, k, weight, 1);

        most = blocks > most ? blocks : most;
    }
    return most;
}

/* Work space for the blocks under way, and two messages; nothing where every
 * block goes by itself. */
size_t chorale_scratch_bruck(int size, int k, size_t slot, int in_place)
{
    size_t most = (size_t)most_blocks(size, k);

    if (size < 2 || (most <= 1 && !in_place))
        return 0;
    return slot * ((size_t)size + 2 * most);
}

struct state {
    const struct chorale_exchange *ex;
    size_t slot;
    int rank, size;
    int equal;      /* slot is the size of every block */
    int out_packed, in_packed; /* blocks of the caller that are bytes */
    char *work;     /* the block with i ranks to go is at place i, once it
                     * has been received; in place, at once */
    char *out, *in; /* one message each */
};

/* The caller's block that has i ranks to go. */
static int take_own(const struct state *st, int i, char *to)
{
    int block = st->rank < st->size - i ? st->rank + i
                                        : st->rank - (st->size - i);
    MPI_Count count;
    const char *from = chorale_block(&st->ex->out, block, &count);

    if (!st->out_packed)
        return chorale_pack(st->ex->ctx, from, count, st->ex->out.type, to);
    chorale_move(st->ex->ctx, to, from,
                 chorale_type_size(st->ex->out.type) * (size_t)count);
    return MPI_SUCCESS;
}

/* The block that came i ranks in all. */
static int put_own(const struct state *st, int i, const char *from)
{
    int block = st->rank < i ? st->rank - i + st->size : st->rank - i;
    MPI_Count count;
    char *to = chorale_block(&st->ex->in, block, &count);

    if (!st->in_packed)
        return chorale_unpack(st->ex->ctx, from, to, count, st->ex->in.type);
    chorale_move(st->ex->ctx, to, from,
                 chorale_type_size(st->ex->in.type) * (size_t)count);
    return MPI_SUCCESS;
}

/* Fill the message of one digit, or empty the one that came. */
static int pass_blocks(const struct state *st, int k, long weight, int digit,
                       int fills)
{
    long period = weight * k;
    char *at = fills ? st->out : st->in;
    int err = MPI_SUCCESS;

    for (long first = digit * weight; first < st->size; first += period)
        for (long i = first; i < first + weight && i < st->size &&
                             err == MPI_SUCCESS; i++) {
            char *work = st->work + (size_t)i * st->slot;

            if (fills && i % weight == 0 && !st->ex->in_place)
                err = take_own(st, (int)i, at);
            else if (fills)
                chorale_move(st->ex->ctx, at, work, st->slot);
            else if (i < period)
                err = put_own(st, (int)i, at);
            else
                chorale_move(st->ex->ctx, work, at, st->slot);
            at += st->slot;
        }
    return err;
}

/* One message: up by digit times weight. */
static int hop(const struct state *st, int k, long weight, int digit)
{
    int blocks = chorale_bruck_blocks(st->size, k, weight, digit);
    int distance = (int)(digit * weight);
    int dest = (int)(((long)st->rank + distance) % st->size);
    int source = st->rank < distance ? st->rank - distance + st->size
                                     : st->rank - distance;
    MPI_Count bytes = (MPI_Count)st->slot * blocks;
    int err;

    /* A message of one block is its first and last hop. */
    if (blocks == 1 && st->equal && !st->ex->in_place)
        return chorale_exchange_round(st->ex, dest, source);
    err = pass_blocks(st, k, weight, digit, 1);
    if (err == MPI_SUCCESS)
        err = chorale_sendrecv(st->ex->ctx, st->out, bytes, MPI_PACKED, dest,
                               st->in, bytes, MPI_PACKED, source);
    if (err == MPI_SUCCESS)
        err = pass_blocks(st, k, weight, digit, 0);
    return err;
}

static int init(struct state *st, const struct chorale_exchange *ex,
                size_t slot, int k)
{
    size_t most = (size_t)most_blocks(ex->ctx->size, k);
    int direct = ex->out.counts == NULL && !ex->in_place && most <= 1;
    int err = MPI_SUCCESS;

    *st = (struct state){
        .ex = ex,
        .slot = slot,
        .rank = ex->ctx->rank,
        .size = ex->ctx->size,
        .equal = ex->out.counts == NULL,
    };
    if (direct)
        return MPI_SUCCESS;
    st->out_packed = chorale_type_is_packed(ex->out.type);
    st->in_packed = chorale_type_is_packed(ex->in.type);
    st->out = chorale_scratch(ex->ctx, slot * most);
    st->in = chorale_scratch(ex->ctx, slot * most);
    if (most > 1 || ex->in_place)
        st->work = chorale_scratch(ex->ctx, slot * (size_t)st->size);
    if (!st->out || !st->in || (!st->work && (most > 1 || ex->in_place)))
        return MPI_ERR_NO_MEM;
    for (int i = 1; ex->in_place && i < st->size && err == MPI_SUCCESS; i++)
        err = take_own(st, i, st->work + (size_t)i * slot);
    return err;
}

int chorale_bruck(const struct chorale_exchange *ex, size_t slot, int k)
{
    size_t mark = chorale_scratch_mark(ex->ctx);
    struct state st;
    int err = chorale_exchange_own(ex);

    if (ex->ctx->size == 1)
        return err;
    if (err == MPI_SUCCESS)
        err = init(&st, ex, slot, k);
    for (long weight = 1; weight < ex->ctx->size && err == MPI_SUCCESS;
         weight *= k)
        for (int digit = 1; digit < k && digit * weight < ex->ctx->size &&
                            err == MPI_SUCCESS; digit++)
            err = hop(&st, k, weight, digit);
    chorale_scratch_release(ex->ctx, mark);
    return err;
}

int chorale_cost_bruck(int size, int k, double slot,
                       struct chorale_term *term)
{
    int n = 0, last = 0;

    for (long weight = 1; weight < size; weight *= k)
        for (int digit = 1; digit < k && digit * weight < size; digit++) {
            int blocks = chorale_bruck_blocks(size, k, weight, digit);

            if (n == 0 || blocks != last)
                term[n++] = (struct chorale_term){ .bytes = slot * blocks };
            term[n - 1].messages++;
            last = blocks;
        }
    return n;
}
