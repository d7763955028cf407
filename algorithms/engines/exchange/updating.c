/* SPDX-License-Identifier: BSD-3-Clause */
/* updating.c - alltoall between neighbours only.
 *
 * Direction 0 is upwards, to the next place. Direction 1 is its mirror image,
 * in which places are counted from the other end. */
#include "algorithms/engines/exchange/updating.h"

#include "algorithms/engines/exchange/exchange_all.h"

/* Convert between a place and its number in direction d. */
static int mirror(const struct chorale_updating *u, int d, int place)
{
    return d == 0 ? place : u->n - 1 - place;
}

/* The rank i places ahead in direction d. */
static int ahead(const struct chorale_updating *u, int d, int i)
{
    long place = d == 0 ? (long)u->place + i : (long)u->place - i + u->n;

    return u->base + (int)(place % u->n) * u->stride;
}

static int behind(const struct chorale_updating *u, int d, int i)
{
    return ahead(u, !d, i);
}

/* Buffer of a message to pass on in this slot, or received in it. */
static char *passed(const struct chorale_updating *u, int d)
{
    return u->hold[d][u->slot % 2];
}

static char *received(const struct chorale_updating *u, int d)
{
    return u->hold[d][(u->slot + 1) % 2];
}

static int send_bytes(const struct chorale_updating *u, int d, const void *at,
                      size_t bytes, MPI_Request *req)
{
    return chorale_isend(u->ctx, at, (MPI_Count)bytes, MPI_PACKED,
                         ahead(u, d, 1), req);
}

static int recv_bytes(const struct chorale_updating *u, int d, size_t bytes,
                      MPI_Request *req)
{
    return chorale_irecv(u->ctx, received(u, d), (MPI_Count)bytes, MPI_PACKED,
                         behind(u, d, 1), req);
}

static int pack_block(const struct chorale_updating *u, int place, char *to)
{
    MPI_Count count;
    const void *from = chorale_block(u->out, place, &count);

    return chorale_pack(u->ctx, from, count, u->out->type, to);
}

static int unpack_block(const struct chorale_updating *u, const char *from,
                        int place)
{
    MPI_Count count;
    void *to = chorale_block(u->in, place, &count);

    return chorale_unpack(u->ctx, from, to, count, u->in->type);
}

/* --- line: single blocks ---------------------------------------------- */

static int clamp_to_zero(int i)
{
    return i > 0 ? i : 0;
}

/* In step s there are w places, and this one is number j from the near end. In
 * slot t it sends the block of place max(j - t, 0) for place w - 1 - max(t - j,
 * 0). */
static int line_recv(struct chorale_updating *u, int d, MPI_Request *req)
{
    int w = u->n - 2 * u->step, t = u->at;
    int j = mirror(u, d, u->place) - u->step;
    MPI_Count count;
    void *in;

    if (j < 1 || j >= w)
        return MPI_SUCCESS;
    if (w - 1 - clamp_to_zero(t - j + 1) != j)
        return recv_bytes(u, d, u->m, req);
    in = chorale_block(u->in,
                       mirror(u, d, u->step + clamp_to_zero(j - 1 - t)),
                       &count);
    return chorale_irecv(u->ctx, in, count, u->in->type, behind(u, d, 1),
                         req);
}

static int line_send(struct chorale_updating *u, int d, MPI_Request *req)
{
    int w = u->n - 2 * u->step, t = u->at;
    int j = mirror(u, d, u->place) - u->step;
    int dest = u->step + w - 1 - clamp_to_zero(t - j);
    MPI_Count count;
    const void *out;

    if (j < 0 || j >= w - 1)
        return MPI_SUCCESS;
    if (t > 0 && j > 0)
        return send_bytes(u, d, passed(u, d), u->m, req);
    out = chorale_block(u->out, mirror(u, d, dest), &count);
    return chorale_isend(u->ctx, out, count, u->out->type, ahead(u, d, 1),
                         req);
}

/* --- line: all remaining blocks together --------------------------------- */

/* Receive from place j - 1 the blocks of place j - 1 - slot for place j (this
 * rank's) and all later places. Blocks are in order of places, in both
 * directions. */
static int together_recv(struct chorale_updating *u, int d, MPI_Request *req)
{
    int j = mirror(u, d, u->place);

    if (j - 1 < u->slot)
        return MPI_SUCCESS;
    return recv_bytes(u, d, u->m * (size_t)(u->n - j), req);
}

static int together_send(struct chorale_updating *u, int d, MPI_Request *req)
{
    int j = mirror(u, d, u->place);
    MPI_Count count;
    const void *out;

    if (j < u->slot || j == u->n - 1)
        return MPI_SUCCESS;
    if (u->slot > 0) /* upwards, the first block was for this place */
        return send_bytes(u, d, passed(u, d) + (d == 0 ? u->m : 0),
                          u->m * (size_t)(u->n - 1 - j), req);
    out = chorale_block_range(u->out, d == 0 ? u->place + 1 : 0,
                              u->n - 1 - j, &count);
    return chorale_isend(u->ctx, out, count, u->out->type, ahead(u, d, 1),
                         req);
}

static int together_done(struct chorale_updating *u, int d)
{
    int j = mirror(u, d, u->place);
    size_t own = d == 0 ? 0 : u->m * (size_t)(u->n - j - 1);

    if (j - 1 < u->slot)
        return MPI_SUCCESS;
    return unpack_block(u, received(u, d) + own,
                        mirror(u, d, j - 1 - u->slot));
}

/* --- ring ------------------------------------------------------------- */

/* Number of whole blocks that a place sends in each direction. */
static int reach(int n)
{
    return (n - 1) / 2; /* n/2 - 1 if n is even */
}

/* Bytes of the opposite place's block that go in direction d. */
static size_t half(int n, size_t m, int d)
{
    return n % 2 ? 0 : d == 0 ? m - m / 2 : m / 2;
}

/* Bytes of a message of slot t. */
static size_t ring_bytes(int n, size_t m, int d, int t)
{
    return m * (size_t)(reach(n) - t) + half(n, m, d);
}

/* Pack the first messages: nearest block first, the half block last. */
static int ring_init(struct chorale_updating *u)
{
    int far = reach(u->n), err = MPI_SUCCESS;

    if (u->n % 2 == 0)
        err = pack_block(u, (u->place + u->n / 2) % u->n, u->whole);
    for (int d = 0; d < 2 && err == MPI_SUCCESS; d++) {
        char *at = u->hold[d][0];

        for (int i = 1; i <= far && err == MPI_SUCCESS; i++) {
            int rank = ahead(u, d, i);

            err = pack_block(u, (rank - u->base) / u->stride, at);
            at += u->m;
        }
        chorale_memmove(u->ctx, at, u->whole + (d ? half(u->n, u->m, 0) : 0),
                        half(u->n, u->m, d));
    }
    return err;
}

static int ring_recv(struct chorale_updating *u, int d, MPI_Request *req)
{
    return recv_bytes(u, d, ring_bytes(u->n, u->m, d, u->slot), req);
}

static int ring_send(struct chorale_updating *u, int d, MPI_Request *req)
{
    /* The message received in the previous slot starts with the block for this
     * place. */
    return send_bytes(u, d, passed(u, d) + (u->slot > 0 ? u->m : 0),
                      ring_bytes(u->n, u->m, d, u->slot), req);
}

static int ring_done(struct chorale_updating *u, int d)
{
    int from = (behind(u, d, u->slot + 1) - u->base) / u->stride;

    if (u->slot < reach(u->n))
        return unpack_block(u, received(u, d), from);
    chorale_memmove(u->ctx, u->whole + (d ? half(u->n, u->m, 0) : 0),
                    received(u, d), half(u->n, u->m, d));
    return d == 0 ? MPI_SUCCESS : unpack_block(u, u->whole, from);
}

/* --- all kinds -------------------------------------------------------- */

size_t chorale_scratch_updating(enum chorale_updating_kind kind, int n,
                                size_t m)
{
    if (n < 2)
        return 0;
    switch (kind) {
    case CHORALE_UPDATING_LINE:
        return n < 3 ? 0 : 4 * m;
    case CHORALE_UPDATING_TOGETHER:
        return 2 * m * ((size_t)n + 1);
    default:
        return 2 * (ring_bytes(n, m, 0, 0) + ring_bytes(n, m, 1, 0)) +
               (n % 2 ? 0 : m);
    }
}

/* Bytes of one message to pass on in direction d. */
static size_t hold_bytes(const struct chorale_updating *u, int d)
{
    switch (u->kind) {
    case CHORALE_UPDATING_LINE:
        return u->n < 3 ? 0 : u->m;
    case CHORALE_UPDATING_TOGETHER:
        return u->m * (size_t)(u->n - mirror(u, d, u->place));
    default:
        return ring_bytes(u->n, u->m, d, 0);
    }
}

int chorale_updating_init(struct chorale_updating *u)
{
    size_t bytes[2] = { hold_bytes(u, 0), hold_bytes(u, 1) };
    int ring = u->kind == CHORALE_UPDATING_RING;
    char *mem;

    u->slot = u->step = u->at = 0;
    if (u->n < 2)
        return MPI_SUCCESS;
    mem = chorale_scratch(u->ctx, 2 * (bytes[0] + bytes[1]) +
                                      (ring && u->n % 2 == 0 ? u->m : 0));
    if (mem == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < 4; i++) {
        u->hold[i / 2][i % 2] = mem;
        mem += bytes[i / 2];
    }
    u->whole = mem;
    return ring ? ring_init(u) : MPI_SUCCESS;
}

int chorale_updating_more(const struct chorale_updating *u)
{
    switch (u->kind) {
    case CHORALE_UPDATING_LINE:
        return u->step < u->n / 2;
    case CHORALE_UPDATING_TOGETHER:
        return u->slot < u->n - 1;
    default:
        return u->slot < u->n / 2;
    }
}

int chorale_updating_post(struct chorale_updating *u, MPI_Request *req)
{
    static int (*const recv[])(struct chorale_updating *, int,
                               MPI_Request *) = {
        line_recv, together_recv, ring_recv
    };
    static int (*const send[])(struct chorale_updating *, int,
                               MPI_Request *) = {
        line_send, together_send, ring_send
    };
    /* With one port, the links of a line alternate: the first, third, ..., then
     * the others. On a ring, upwards comes first. */
    int flip = u->kind == CHORALE_UPDATING_RING ? 0 : u->place % 2;
    int back = u->kind == CHORALE_UPDATING_RING ? 0 : !flip;
    int err = MPI_SUCCESS;

    for (int i = 0; i < 4; i++)
        req[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++)
        err = recv[u->kind](u, i ^ back, &req[i]);
    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++)
        err = send[u->kind](u, i ^ flip, &req[2 + i]);
    return err;
}

int chorale_updating_done(struct chorale_updating *u)
{
    int err = MPI_SUCCESS;

    for (int d = 0; d < 2 && err == MPI_SUCCESS; d++)
        if (u->kind == CHORALE_UPDATING_TOGETHER)
            err = together_done(u, d);
        else if (u->kind == CHORALE_UPDATING_RING)
            err = ring_done(u, d);
    u->slot++;
    if (++u->at == u->n - 1 - 2 * u->step) {
        u->at = 0;
        u->step++;
    }
    return err;
}

int chorale_updating_run(const struct chorale_call *call,
                         enum chorale_updating_kind kind)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    size_t mark = chorale_scratch_mark(call->ctx);
    struct chorale_updating u = {
        .ctx = call->ctx,
        .kind = kind,
        .n = call->ctx->size,
        .place = call->ctx->rank,
        .stride = 1,
        .out = &ex.out,
        .in = &ex.in,
        .m = chorale_type_size(call->recvtype) * (size_t)call->recvcount,
    };
    int err = chorale_exchange_own(&ex);

    if (err == MPI_SUCCESS)
        err = chorale_updating_init(&u);
    while (err == MPI_SUCCESS && chorale_updating_more(&u)) {
        MPI_Request req[4];
        int posted = chorale_updating_post(&u, req);

        err = chorale_waitall(call->ctx, 4, req);
        err = posted == MPI_SUCCESS ? err : posted;
        if (err == MPI_SUCCESS)
            err = chorale_updating_done(&u);
    }
    chorale_scratch_release(call->ctx, mark);
    return err;
}

int chorale_cost_updating(enum chorale_updating_kind kind, int n, size_t m,
                          struct chorale_term *term, int nterm)
{
    double ways = n < 3 ? 1 : 2; /* messages per slot with one port */
    double slots, bytes;

    if (n < 2)
        return nterm;
    if (kind == CHORALE_UPDATING_RING) {
        slots = n / 2; /* per direction */
        bytes = 0;
        for (int t = 0; t < n / 2; t++)
            bytes += (double)ring_bytes(n, m, 0, t) +
                     (double)ring_bytes(n, m, 1, t);
        term[nterm++] = (struct chorale_term){
            .messages = 2 * slots, .bytes = bytes / (2 * slots)
        };
        return nterm;
    }
    if (kind == CHORALE_UPDATING_LINE) { /* a step waits for one message of the
                                          * previous step */
        slots = ways * (double)((long)n * n / 4) + n / 2 - 1;
        bytes = (double)m;
    } else {
        slots = ways * (n - 1);
        bytes = (double)m * n / 2;
    }
    term[nterm++] = (struct chorale_term){ .messages = slots,
                                           .bytes = bytes };
    return nterm;
}
