/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - allreduce by exchange of whole vectors in small groups. */
#include "algorithms/engines/reduction/exchange.h"

#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/radix.h"
#include "algorithms/engines/reduction/swing.h"
#include "algorithms/tree.h"

enum { FEW = 8 }; /* groups up to this size need no scratch for pointers */

/* Group of a place in one round: first member (the result), first + *stride,
 * first + 2 *stride, ... power is k to the number of rounds done. */
typedef int grouping(int place, int size, int k, int power, int *stride);

struct state {
    const struct chorale_call *call;
    int k, at_once;
    grouping *group;
    const void *mine; /* this rank's value */
    void **x;         /* the k values of a group; the result is in the last
                       * one */
    MPI_Request *req; /* 2 k requests */
};

static int digit_group(int place, int size, int k, int power, int *stride)
{
    (void)size;
    *stride = power;
    return place - place / power % k * power;
}

static int swing_group(int place, int size, int k, int power, int *stride)
{
    int partner = chorale_swing_partner(place, size,
                                        chorale_ceil_log2(power));

    (void)k;
    *stride = partner > place ? partner - place : place - partner;
    return partner > place ? place : partner;
}

/* Exchange all values within the group, one message in each direction at a
 * time. */
static int swap_in_turn(const struct state *st, int me, int first, int stride)
{
    const struct chorale_call *call = st->call;
    int k = st->k, err = MPI_SUCCESS;

    for (int i = 1; i < k && err == MPI_SUCCESS; i++) {
        int to = (me + i) % k, from = (me + k - i) % k;

        err = chorale_sendrecv(call->ctx, st->mine, call->recvcount,
                               call->recvtype, first + to * stride,
                               st->x[from], call->recvcount, call->recvtype,
                               first + from * stride);
    }
    return err;
}

/* The same, with all messages in flight together. */
static int swap_at_once(const struct state *st, int me, int first, int stride)
{
    const struct chorale_call *call = st->call;
    int k = st->k, under_way = 0, err = MPI_SUCCESS, last;

    for (int i = 1; i < k && err == MPI_SUCCESS; i++) {
        int from = (me + i) % k;

        err = chorale_irecv(call->ctx, st->x[from], call->recvcount,
                            call->recvtype, first + from * stride,
                            &st->req[under_way]);
        under_way += err == MPI_SUCCESS;
    }
    for (int i = 1; i < k && err == MPI_SUCCESS; i++) {
        err = chorale_isend(call->ctx, st->mine, call->recvcount,
                            call->recvtype,
                            first + (me + i) % k * stride,
                            &st->req[under_way]);
        under_way += err == MPI_SUCCESS;
    }
    last = chorale_waitall(call->ctx, under_way, st->req);
    return err == MPI_SUCCESS ? last : err;
}

/* One round. The rightmost operand accumulates all others, so it must not be
 * the user's send buffer. */
static int round_of(struct state *st, int power)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    int k = st->k, stride, err = MPI_SUCCESS;
    int first = st->group(ctx->rank, ctx->size, k, power, &stride);
    int me = (ctx->rank - first) / stride;
    void *room = st->x[k - 1];

    st->x[k - 1] = st->x[me];
    st->x[me] = room;
    if (me == k - 1 && st->mine != room)
        err = chorale_copy(ctx, st->mine, call->recvcount, call->recvtype,
                           room, call->recvcount, call->recvtype);
    if (me == k - 1)
        st->mine = room;
    if (err == MPI_SUCCESS)
        err = st->at_once ? swap_at_once(st, me, first, stride)
                          : swap_in_turn(st, me, first, stride);
    for (int i = k - 2; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_reduce_local(ctx, i == me ? st->mine : st->x[i],
                                   st->x[k - 1], call->recvcount,
                                   call->recvtype, call->op);
    st->mine = st->x[k - 1];
    return err;
}

/* Initial index of recvbuf in x such that it is the last one at the end; each
 * round swaps two entries. */
static int place_of_result(const struct state *st)
{
    const struct chorale_ctx *ctx = st->call->ctx;
    int last = st->k - 1, place = last;

    for (int power = ctx->size / st->k; power >= 1; power /= st->k) {
        int stride;
        int first = st->group(ctx->rank, ctx->size, st->k, power, &stride);
        int me = (ctx->rank - first) / stride;

        if (place == last)
            place = me;
        else if (place == me)
            place = last;
    }
    return place;
}

/* All rounds; one vector in x is recvbuf, the others are scratch. */
static int all_rounds(struct state *st)
{
    const struct chorale_call *call = st->call;
    int k = st->k, err = MPI_SUCCESS;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    int result = in_place ? k - 1 : place_of_result(st);

    st->mine = in_place ? call->recvbuf : call->sendbuf;
    for (int i = 0; i < k; i++) {
        st->x[i] = i == result ? call->recvbuf
                               : chorale_scratch_typed(call->ctx,
                                                       call->recvcount,
                                                       call->recvtype);
        if (st->x[i] == NULL && i != result)
            return MPI_ERR_NO_MEM;
    }
    for (int power = 1; power < call->ctx->size && err == MPI_SUCCESS;
         power *= k)
        err = round_of(st, power);
    if (err == MPI_SUCCESS && st->mine != call->recvbuf)
        err = chorale_copy(call->ctx, st->mine, call->recvcount,
                           call->recvtype, call->recvbuf, call->recvcount,
                           call->recvtype);
    return err;
}

static int exchange(const struct chorale_call *call, int k, int at_once,
                    grouping *group)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st = {
        .call = call,
        .k = k,
        .at_once = at_once,
        .group = group,
    };
    void *few[FEW];
    MPI_Request few_req[2 * FEW];
    int err = MPI_SUCCESS;

    if (ctx->size == 1) {
        if (call->sendbuf == MPI_IN_PLACE)
            return MPI_SUCCESS;
        return chorale_copy(ctx, call->sendbuf, call->recvcount,
                            call->recvtype, call->recvbuf, call->recvcount,
                            call->recvtype);
    }
    st.x = few;
    st.req = few_req;
    if (k > FEW) {
        st.x = chorale_scratch(ctx, sizeof(*st.x) * (size_t)k);
        st.req = chorale_scratch(ctx, sizeof(*st.req) * 2 * (size_t)k);
        if (st.x == NULL || st.req == NULL)
            err = MPI_ERR_NO_MEM;
    }
    if (err == MPI_SUCCESS)
        err = all_rounds(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_exchange_digits(const struct chorale_call *call, int k,
                            int at_once)
{
    return exchange(call, k, at_once, digit_group);
}

int chorale_exchange_swing(const struct chorale_call *call)
{
    return exchange(call, 2, 0, swing_group);
}

int chorale_exchange_cost(const struct chorale_point *pt, int k,
                          struct chorale_term *term)
{
    double m = (double)pt->msg_size, messages;
    int rounds, n = 0;

    chorale_power_below(pt->comm_size, k, &rounds);
    messages = (double)rounds * (k - 1);
    if (rounds > 0)
        term[n++] = (struct chorale_term){ .messages = messages,
                                           .bytes = m,
                                           .reduced = messages * m };
    return chorale_fold_cost(pt, k, term, n);
}

size_t chorale_exchange_scratch(const struct chorale_point *pt, int k)
{
    size_t passing, stays = chorale_fold_scratch(pt, k, &passing);
    size_t pointers = sizeof(void *) + 2 * sizeof(MPI_Request);
    size_t room = 0;

    if (k <= pt->comm_size)
        room = (size_t)(k - 1) * pt->msg_size +
               (k > FEW ? pointers * (size_t)k : 0);
    return passing > stays + room ? passing : stays + room;
}
