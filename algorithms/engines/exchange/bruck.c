/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - alltoall by Bruck's algorithm. */
#include "algorithms/engines/exchange/bruck.h"

int chorale_bruck_blocks(int size, int k, long weight, int digit)
{
    long period = weight * k;
    long rest = size % period - digit * weight;

    rest = rest < 0 ? 0 : rest > weight ? weight : rest;
    return (int)(size / period * weight + rest);
}

/* Largest number of blocks in flight: those of all digits at one position. */
static int most_blocks(int size, int k)
{
    int most = 0;

    for (long weight = 1; weight < size; weight *= k) {
        int blocks = size - chorale_bruck_blocks(size, k, weight, 0);

        most = blocks > most ? blocks : most;
    }
    return most;
}

/* Largest number of messages in flight per direction. */
static size_t most_messages(int size, int k)
{
    return (size_t)(k < size ? k : size) - 1;
}

static size_t request_bytes(int size, int k)
{
    return k == 2 ? 0 : 2 * most_messages(size, k) * sizeof(MPI_Request);
}

/* 1 if every block is a message of its own, at its first and last hop. */
static int one_block_per_message(int size, int k)
{
    return k >= size || (k == 2 && size <= 3);
}

/* Work space for all blocks, and for the messages in flight in each direction;
 * only requests if every block travels alone. */
size_t chorale_scratch_bruck(int size, int k, size_t slot, int in_place)
{
    size_t most = (size_t)most_blocks(size, k);

    if (size < 2)
        return 0;
    if (one_block_per_message(size, k) && !in_place)
        return request_bytes(size, k);
    return slot * ((size_t)size + 2 * most) + request_bytes(size, k);
}

struct state {
    const struct chorale_exchange *ex;
    size_t slot;
    int rank, size;
    int equal;      /* 1: every block has slot bytes */
    int out_packed, in_packed; /* 1: the caller's blocks are packed bytes */
    char *work;     /* block with i ranks to go at index i, once received; in
                     * place, from the start */
    char *out, *in; /* messages of one position, one after the other */
    MPI_Request pair[2], *req;
};

/* Copy the caller's block that has i ranks to go. */
static int take_own(const struct state *st, int i, char *to)
{
    int block = st->rank < st->size - i ? st->rank + i
                                        : st->rank - (st->size - i);
    MPI_Count count;
    const char *from = chorale_block(&st->ex->out, block, &count);

    if (!st->out_packed)
        return chorale_pack(st->ex->ctx, from, count, st->ex->out.type, to);
    chorale_memmove(st->ex->ctx, to, from,
                    chorale_type_size(st->ex->out.type) * (size_t)count);
    return MPI_SUCCESS;
}

/* Store the block that came from i ranks below. */
static int put_own(const struct state *st, int i, const char *from)
{
    int block = st->rank < i ? st->rank - i + st->size : st->rank - i;
    MPI_Count count;
    char *to = chorale_block(&st->ex->in, block, &count);

    if (!st->in_packed)
        return chorale_unpack(st->ex->ctx, from, to, count, st->ex->in.type);
    chorale_memmove(st->ex->ctx, to, from,
                    chorale_type_size(st->ex->in.type) * (size_t)count);
    return MPI_SUCCESS;
}

/* Fill the message of one digit, or store a received one.
 *
 * A block is copied out of each message except its last, and into the next one.
 * To send it from its receive buffer instead, the messages of all positions
 * would have to be kept until the end. At radix 2 that takes n/2 bytes for each
 * of lg P messages, instead of n for work and n/2 for the last message. With
 * indexed datatypes the library would copy as much. */
static int pass_blocks(const struct state *st, int k, long weight, int digit,
                       int fills, char *at)
{
    long period = weight * k;
    int err = MPI_SUCCESS;

    for (long first = digit * weight; first < st->size; first += period)
        for (long i = first; i < first + weight && i < st->size &&
                             err == MPI_SUCCESS; i++) {
            char *work = st->work + (size_t)i * st->slot;

            if (fills && i % weight == 0 && !st->ex->in_place)
                err = take_own(st, (int)i, at);
            else if (fills)
                chorale_memmove(st->ex->ctx, at, work, st->slot);
            else if (i < period)
                err = put_own(st, (int)i, at);
            else
                chorale_memmove(st->ex->ctx, work, at, st->slot);
            at += st->slot;
        }
    return err;
}

/* 1 if a message has one block at its first and last hop: it goes directly
 * between the callers' buffers. */
static int is_alone(const struct state *st, int blocks)
{
    return blocks == 1 && st->equal && !st->ex->in_place;
}

/* Start one message over digit * weight ranks, stored at offset at of out and
 * in; *n requests are active. */
static int post(struct state *st, int k, long weight, int digit, size_t at,
                int *n)
{
    struct chorale_ctx *ctx = st->ex->ctx;
    int blocks = chorale_bruck_blocks(st->size, k, weight, digit);
    int distance = (int)(digit * weight);
    int dest = (int)(((long)st->rank + distance) % st->size);
    int source = st->rank < distance ? st->rank - distance + st->size
                                     : st->rank - distance;
    int alone = is_alone(st, blocks), err = MPI_SUCCESS;
    MPI_Count out_count = (MPI_Count)st->slot * blocks, in_count = out_count;
    MPI_Datatype out_type = alone ? st->ex->out.type : MPI_PACKED;
    MPI_Datatype in_type = alone ? st->ex->in.type : MPI_PACKED;
    const void *out = alone ? chorale_block(&st->ex->out, dest, &out_count)
                            : st->out + at;
    void *in = alone ? chorale_block(&st->ex->in, source, &in_count)
                     : st->in + at;

    if (!alone)
        err = pass_blocks(st, k, weight, digit, 1, st->out + at);
    if (err == MPI_SUCCESS)
        err = chorale_irecv(ctx, in, in_count, in_type, source, &st->req[*n]);
    *n += err == MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        err = chorale_isend(ctx, out, out_count, out_type, dest,
                            &st->req[*n]);
    *n += err == MPI_SUCCESS;
    return err;
}

/* All hops of one position, at once. */
static int hops(struct state *st, int k, long weight)
{
    size_t at = 0;
    int n = 0, err = MPI_SUCCESS, last;

    for (int digit = 1; digit < k && digit * weight < st->size &&
                        err == MPI_SUCCESS; digit++) {
        err = post(st, k, weight, digit, at, &n);
        at += st->slot *
              (size_t)chorale_bruck_blocks(st->size, k, weight, digit);
    }
    last = chorale_waitall(st->ex->ctx, n, st->req);
    if (err == MPI_SUCCESS)
        err = last;
    at = 0;
    for (int digit = 1; digit < k && digit * weight < st->size &&
                        err == MPI_SUCCESS; digit++) {
        int blocks = chorale_bruck_blocks(st->size, k, weight, digit);

        if (!is_alone(st, blocks))
            err = pass_blocks(st, k, weight, digit, 0, st->in + at);
        at += st->slot * (size_t)blocks;
    }
    return err;
}

static int init(struct state *st, const struct chorale_exchange *ex,
                size_t slot, int k)
{
    size_t most = (size_t)most_blocks(ex->ctx->size, k);
    int alone = one_block_per_message(ex->ctx->size, k) && !ex->in_place;
    int err = MPI_SUCCESS;

    *st = (struct state){
        .ex = ex,
        .slot = slot,
        .rank = ex->ctx->rank,
        .size = ex->ctx->size,
        .equal = ex->out.counts == NULL,
    };
    st->req = k == 2 ? st->pair
                     : chorale_scratch(ex->ctx,
                                       request_bytes(st->size, k));
    if (st->req == NULL)
        return MPI_ERR_NO_MEM;
    if (alone && st->equal)
        return MPI_SUCCESS;
    st->out_packed = chorale_type_is_packed(ex->out.type);
    st->in_packed = chorale_type_is_packed(ex->in.type);
    st->out = chorale_scratch(ex->ctx, slot * most);
    st->in = chorale_scratch(ex->ctx, slot * most);
    if (!alone)
        st->work = chorale_scratch(ex->ctx, slot * (size_t)st->size);
    if (!st->out || !st->in || (!st->work && !alone))
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
        err = hops(&st, k, weight);
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
