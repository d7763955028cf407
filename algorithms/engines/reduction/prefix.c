/* SPDX-License-Identifier: BSD-3-Clause */
/* prefix.c - algorithms shared by scan and exscan.
 *
 * In chorale_reduce_local() the received value is the left operand if it comes
 * from a lower rank. */
#include "algorithms/engines/reduction/prefix.h"

#include "algorithms/tree.h"

const void *chorale_prefix_own(const struct chorale_call *call)
{
    return call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
}

int chorale_prefix_start(const struct chorale_call *call)
{
    if (call->sendbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return chorale_copy(call->ctx, call->sendbuf, call->recvcount,
                        call->recvtype, call->recvbuf, call->recvcount,
                        call->recvtype);
}

/* --- chain ------------------------------------------------------------ */

/* Elements of a segment: at least one, at most all. */
static MPI_Count segment_count(MPI_Count count, size_t type_size,
                               long segsize)
{
    MPI_Count each;

    if (segsize <= 0 || type_size == 0)
        return count;
    each = segsize / (MPI_Count)type_size;
    if (each < 1)
        each = 1;
    return each < count ? each : count;
}

/* Number of segments; an empty vector has one. */
static MPI_Count segments(MPI_Count count, MPI_Count each)
{
    return count == 0 ? 1 : (count - 1) / each + 1;
}

struct chain {
    const struct chorale_call *call;
    MPI_Count each, last; /* elements of a segment; index of the last one */
    MPI_Aint extent;
};

static MPI_Count length(const struct chain *c, MPI_Count i)
{
    return i < c->last ? c->each : c->call->recvcount - c->last * c->each;
}

/* Address of segment i of a vector. */
static void *at(const struct chain *c, const void *buf, MPI_Count i)
{
    return chorale_at(buf, c->extent, (MPI_Aint)(i * c->each));
}

/* Send segment i of out to the right and receive the next one into in. */
static int step(const struct chain *c, const void *out, void *in, MPI_Count i)
{
    struct chorale_ctx *ctx = c->call->ctx;
    MPI_Datatype type = c->call->recvtype;
    int sends = i >= 0 && ctx->rank + 1 < ctx->size;
    int receives = i < c->last && ctx->rank > 0;

    if (sends && receives)
        return chorale_sendrecv(ctx, at(c, out, i), length(c, i), type,
                                ctx->rank + 1, in, length(c, i + 1), type,
                                ctx->rank - 1);
    if (sends)
        return chorale_send(ctx, at(c, out, i), length(c, i), type,
                            ctx->rank + 1);
    if (receives)
        return chorale_recv(ctx, in, length(c, i + 1), type, ctx->rank - 1);
    return MPI_SUCCESS;
}

/* acc starts as the own vector and becomes the value sent to the right.
 * Segments are received into tmp, or, if tmp is NULL, into their places in
 * recvbuf. */
static int chain_rank(const struct chain *c, void *acc, void *tmp)
{
    const struct chorale_call *call = c->call;
    int err = MPI_SUCCESS;

    for (MPI_Count i = -1; i <= c->last && err == MPI_SUCCESS; i++) {
        void *in = tmp ? tmp : at(c, call->recvbuf, i + 1);

        err = step(c, acc, in, i);
        if (err == MPI_SUCCESS && i < c->last && acc != NULL)
            err = chorale_reduce_local(call->ctx, in, at(c, acc, i + 1),
                                       length(c, i + 1), call->recvtype,
                                       call->op);
    }
    return err;
}

/* The first rank only sends. */
static int chain_first(const struct chain *c)
{
    const void *own = chorale_prefix_own(c->call);
    int err = MPI_SUCCESS;

    for (MPI_Count i = 0; i <= c->last && err == MPI_SUCCESS; i++)
        err = step(c, own, NULL, i);
    return err;
}

static int chain_inclusive(const struct chain *c)
{
    const struct chorale_call *call = c->call;
    int err = chorale_prefix_start(call);
    void *tmp;

    if (err != MPI_SUCCESS || call->ctx->rank == 0)
        return err == MPI_SUCCESS ? chain_first(c) : err;
    tmp = chorale_scratch_typed(call->ctx, c->each, call->recvtype);
    return tmp == NULL ? MPI_ERR_NO_MEM
                       : chain_rank(c, call->recvbuf, tmp);
}

/* The result is the value from the left; only ranks in the middle combine. */
static int chain_exclusive(const struct chain *c)
{
    const struct chorale_call *call = c->call;
    struct chorale_ctx *ctx = call->ctx;
    void *acc;
    int err;

    if (ctx->rank == 0)
        return chain_first(c);
    if (ctx->rank == ctx->size - 1)
        return chain_rank(c, NULL, NULL);
    acc = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
    if (acc == NULL)
        return MPI_ERR_NO_MEM;
    err = chorale_copy(ctx, chorale_prefix_own(call), call->recvcount,
                       call->recvtype, acc, call->recvcount, call->recvtype);
    return err == MPI_SUCCESS ? chain_rank(c, acc, NULL) : err;
}

const long chorale_prefix_segsizes[CHORALE_PREFIX_NSEGSIZE] = {
    0,         1L << 10,  4L << 10,   8L << 10,   16L << 10,
    32L << 10, 64L << 10, 128L << 10, 512L << 10, 1L << 20
};

int chorale_prefix_chain(const struct chorale_call *call, long segsize,
                         int inclusive)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    size_t size = segsize > 0 ? chorale_type_size(call->recvtype) : 0;
    struct chain c = {
        .call = call,
        .each = segment_count(call->recvcount, size, segsize),
        .extent = chorale_type_extent(call->recvtype),
    };
    int err;

    c.last = segments(call->recvcount, c.each) - 1;
    err = inclusive ? chain_inclusive(&c) : chain_exclusive(&c);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

int chorale_prefix_chain_cost(const struct chorale_point *pt, long segsize,
                              int inclusive, struct chorale_term *term)
{
    MPI_Count count = (MPI_Count)(pt->msg_size / chorale_unit(pt));
    MPI_Count each = segment_count(count, pt->type_size, segsize);
    MPI_Count all = segments(count, each);
    double s = (double)each * (double)pt->type_size;
    double rest = (double)pt->msg_size - (double)(all - 1) * s;
    double full = (double)all - 1 + pt->comm_size - 2;

    if (pt->comm_size < 2)
        return 0;
    /* The last segment may be shorter, so only its last hop counts. With a
     * single segment, all hops are of that size. */
    if (all == 1)
        s = rest;
    term[0] = (struct chorale_term){ .messages = full, .bytes = s };
    term[1] = (struct chorale_term){ .messages = 1, .bytes = rest };
    if (inclusive)
        term[0].reduced = full * s + rest;
    else if (pt->comm_size > 2)
        term[0].reduced = (full - 1) * s + rest;
    return 2;
}

size_t chorale_prefix_chain_scratch(const struct chorale_point *pt,
                                    long segsize, int inclusive)
{
    MPI_Count count = (MPI_Count)(pt->msg_size / chorale_unit(pt));

    if (!inclusive)
        return pt->comm_size > 2 ? pt->msg_size : 0;
    return pt->comm_size < 2 ? 0
                             : (size_t)segment_count(count, pt->type_size,
                                                     segsize) *
                                   pt->type_size;
}

/* --- recursive doubling ----------------------------------------------- */

/* State of one rank. The result is always in recvbuf. */
struct doubling {
    const struct chorale_call *call;
    void *buf[2];
    void *group;     /* value of the group; at first the own operand */
    int group_fixed; /* 1: group is read-only */
    int has_result;
};

/* A buffer for a value: the one that does not hold the group's value. */
static void *spare(struct doubling *d)
{
    int i = d->buf[0] != NULL && d->group == d->buf[0];

    if (d->buf[i] == NULL)
        d->buf[i] = chorale_scratch_typed(d->call->ctx, d->call->recvcount,
                                          d->call->recvtype);
    return d->buf[i];
}

/* 1 if the rank exchanges its group's value in a round after that of bit. */
static int goes_on(int rank, int size, int bit)
{
    return rank / bit / 2 != 0 || rank < size - 2 * (long long)bit;
}

/* Send the group's value, receive one into in, or both. */
static int exchange(const struct doubling *d, int partner, int sends,
                    void *in)
{
    const struct chorale_call *call = d->call;
    MPI_Count n = call->recvcount;
    MPI_Datatype type = call->recvtype;

    if (sends && in != NULL)
        return chorale_sendrecv(call->ctx, d->group, n, type, partner, in, n,
                                type, partner);
    if (sends)
        return chorale_send(call->ctx, d->group, n, type, partner);
    return chorale_recv(call->ctx, in, n, type, partner);
}

/* right = left op right. */
static int combine(const struct doubling *d, const void *left, void *right)
{
    const struct chorale_call *call = d->call;

    return chorale_reduce_local(call->ctx, left, right, call->recvcount,
                                call->recvtype, call->op);
}

/* Copy the own operand to a buffer that may be modified or received into. */
static int move_group(struct doubling *d)
{
    const struct chorale_call *call = d->call;
    void *to = spare(d);
    int err;

    if (to == NULL)
        return MPI_ERR_NO_MEM;
    err = chorale_copy(call->ctx, d->group, call->recvcount, call->recvtype,
                       to, call->recvcount, call->recvtype);
    d->group = to;
    d->group_fixed = 0;
    return err;
}

/* The partner's group is on the left: combine it with the group and the
 * result. */
static int from_left(struct doubling *d, int partner, int keeps, int gives)
{
    void *result = d->call->recvbuf, *in = result;
    int err = MPI_SUCCESS;

    if (d->group_fixed && (keeps || (gives && d->group == in)))
        err = move_group(d);
    if (d->has_result)
        in = spare(d);
    if (in == NULL && d->has_result)
        return MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS)
        err = exchange(d, partner, gives, in);
    if (err == MPI_SUCCESS && keeps && d->group != result)
        err = combine(d, in, d->group);
    if (err == MPI_SUCCESS && d->has_result)
        err = combine(d, in, result);
    d->has_result = 1;
    return err;
}

/* The partner's group is on the right: it does not affect the result. */
static int from_right(struct doubling *d, int partner, int keeps)
{
    void *in = keeps ? spare(d) : NULL;
    int err;

    if (keeps && in == NULL)
        return MPI_ERR_NO_MEM;
    err = exchange(d, partner, 1, in);
    if (err != MPI_SUCCESS || !keeps)
        return err;
    err = combine(d, d->group, in);
    d->group = in;
    d->group_fixed = 0;
    return err;
}

int chorale_prefix_recursive_doubling(const struct chorale_call *call,
                                      int inclusive)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int rank = ctx->rank, size = ctx->size;
    struct doubling d = {
        .call = call,
        .group = inclusive ? call->recvbuf
                           : chorale_at(chorale_prefix_own(call), 0, 0),
        .group_fixed = !inclusive,
        .has_result = inclusive,
    };
    int err = inclusive ? chorale_prefix_start(call) : MPI_SUCCESS;

    for (int bit = 1; bit < size && err == MPI_SUCCESS; bit *= 2) {
        int partner = rank ^ bit;
        int keeps = goes_on(rank, size, bit);

        if (partner >= size)
            continue;
        if (rank & bit)
            err = from_left(&d, partner, keeps, goes_on(partner, size, bit));
        else
            err = from_right(&d, partner, keeps);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_prefix_recursive_doubling_cost(const struct chorale_point *pt,
                                           int inclusive,
                                           struct chorale_term *term)
{
    int rounds = chorale_ceil_log2(pt->comm_size);
    double m = (double)pt->msg_size;

    if (rounds == 0)
        return 0;
    /* Reductions: one in the first round, for the result only in the last
     * round, and for both group and result in all others. */
    term[0] = (struct chorale_term){
        .messages = rounds,
        .bytes = m,
        .reduced = rounds > 1 ? (2 * rounds - 2) * m : inclusive * m,
    };
    return 1;
}

size_t chorale_prefix_recursive_doubling_scratch(
    const struct chorale_point *pt)
{
    int size = pt->comm_size;

    return size < 2 ? 0 : pt->msg_size * (size < 4 ? 1 : 2);
}

/* --- shifts ----------------------------------------------------------- */

int chorale_prefix_shifts(const struct chorale_call *call, void *acc,
                          void *tmp, int first)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Count n = call->recvcount;
    MPI_Datatype type = call->recvtype;
    long rank = ctx->rank;
    int err = MPI_SUCCESS;

    for (long d = 1; d < ctx->size - first && err == MPI_SUCCESS; d *= 2) {
        int to = (int)(rank + d), from = (int)(rank - d);

        if (rank + d < ctx->size && from >= first)
            err = chorale_sendrecv(ctx, acc, n, type, to, tmp, n, type, from);
        else if (rank + d < ctx->size)
            err = chorale_send(ctx, acc, n, type, to);
        else if (from >= first)
            err = chorale_recv(ctx, tmp, n, type, from);
        if (err == MPI_SUCCESS && from >= first)
            err = chorale_reduce_local(ctx, tmp, acc, n, type, call->op);
    }
    return err;
}
