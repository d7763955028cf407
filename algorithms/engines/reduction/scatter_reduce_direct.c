/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_direct.c - reduce-scatter that sends all operands at once.
 *
 * For an evenly split vector, whose parts differ by at most one element. A
 * shorter part is sent with its next element, the last part with the previous
 * one, so that all messages are as long as the longest part. Messages in flight
 * then use the ports in the order in which they were posted, P - 1 of them, and
 * none delays another. */
#include "algorithms/engines/reduction/scatter_reduce.h"

struct direct {
    const struct chorale_rs *rs;
    MPI_Count longest; /* elements per message */
    MPI_Count first;   /* offset of the own part within received messages */
    int top;           /* the highest other rank */
    void *sum;         /* top's operand; in acc, if that may be overwritten */
    void *in;          /* the other operands, in rank order */
    struct chorale_apart apart; /* their layout */
    MPI_Request *req;
    int nreq;
};

/* Address of the message for rank i in b; *first: offset of part i in it. */
static void *message(const struct chorale_blocks *b, int i, MPI_Count *first)
{
    MPI_Count before, last = chorale_blocks_total(b) -
                             chorale_blocks_largest(b);

    chorale_block_range(b, 0, i, &before);
    *first = before > last ? before - last : 0;
    return chorale_at(b->base, b->extent, (MPI_Aint)(before - *first));
}

/* Receive buffer for the operand of rank r. */
static void *place(const struct direct *d, int r)
{
    MPI_Aint slot = r > d->rs->ctx->rank ? r - 1 : r;

    return r == d->top ? d->sum : chorale_at(d->in, d->apart.stride, slot);
}

static int direct_init(struct direct *d)
{
    const struct chorale_rs *rs = d->rs;
    int others = rs->ctx->size - 1, in_place = rs->acc == rs->own;
    MPI_Count slots = in_place ? others : others - 1;
    int err;

    d->longest = chorale_blocks_largest(rs->own);
    d->top = rs->ctx->rank == others ? others - 1 : others;
    d->req = chorale_scratch(rs->ctx, 2 * (size_t)others * sizeof(*d->req));
    err = chorale_layout_init(&d->apart, d->longest, rs->own->type);
    if (err != MPI_SUCCESS)
        return err;
    if (slots > 0)
        d->in = chorale_scratch_typed(rs->ctx, slots * d->apart.count,
                                      d->apart.type);
    d->sum = message(rs->acc, rs->ctx->rank, &d->first);
    if (in_place && d->in != NULL)
        d->sum = chorale_at(d->in, d->apart.stride, (MPI_Aint)slots - 1);
    return d->req == NULL || (slots > 0 && d->in == NULL) ? MPI_ERR_NO_MEM
                                                          : MPI_SUCCESS;
}

/* Post all receives, then all sends, starting with the next rank. */
static int exchange(struct direct *d)
{
    const struct chorale_rs *rs = d->rs;
    struct chorale_ctx *ctx = rs->ctx;
    int size = ctx->size, rank = ctx->rank, err = MPI_SUCCESS, last;

    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        int source = rank < i ? rank + (size - i) : rank - i;

        err = chorale_irecv(ctx, place(d, source), d->longest, rs->own->type,
                            source, &d->req[d->nreq]);
        d->nreq += err == MPI_SUCCESS;
    }
    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        int dest = rank < size - i ? rank + i : rank - (size - i);
        MPI_Count first;

        err = chorale_isend(ctx, message(rs->own, dest, &first), d->longest,
                            rs->own->type, dest, &d->req[d->nreq]);
        d->nreq += err == MPI_SUCCESS;
    }
    last = chorale_waitall(ctx, d->nreq, d->req);
    return err == MPI_SUCCESS ? last : err;
}

/* Combine from the highest rank down, as x op sum. The own operand is taken in
 * its turn, except that as the highest it comes second. In place it is combined
 * as sum op own; the operation commutes. */
static int add_up(const struct direct *d)
{
    const struct chorale_rs *rs = d->rs;
    int rank = rs->ctx->rank, err = MPI_SUCCESS;
    MPI_Aint skip = rs->own->extent * (MPI_Aint)d->first;
    MPI_Count count;
    char *own = chorale_block(rs->own, rank, &count);
    char *sum = (char *)d->sum + skip;

    for (int r = rs->ctx->size - 1; r >= 0 && err == MPI_SUCCESS; r--) {
        int ours = r == rank, swaps = ours && rs->acc == rs->own;
        char *x = ours ? own : (char *)place(d, r) + skip;

        if (r == d->top)
            continue;
        err = chorale_reduce_local(rs->ctx, swaps ? sum : x, swaps ? x : sum,
                                   count, rs->own->type, rs->op);
        sum = swaps ? x : sum;
    }
    return err;
}

int chorale_rs_direct(const struct chorale_rs *rs)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct direct d = { .rs = rs, .apart.type = rs->own->type };
    int err;

    if (rs->ctx->size == 1) /* no message to send: use the ring */
        return chorale_rs_ring(rs);
    err = direct_init(&d);
    if (err == MPI_SUCCESS)
        err = exchange(&d);
    if (err == MPI_SUCCESS)
        err = add_up(&d);
    chorale_layout_free(&d.apart, rs->own->type);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}
