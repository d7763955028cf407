/* SPDX-License-Identifier: BSD-3-Clause */
/* event_log.c - records what each rank sends, receives and reduces. */
#include "algorithms/schedule/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/schedule/schedule.h"
#include "algorithms/schedule/size_exchange.h"

/* The rank in the schedule of a rank of ctx. */
static int rank_of(const struct chorale_ctx *ctx, int rank)
{
    return ctx->map != NULL ? ctx->map[rank] : rank;
}

static struct trace *trace_of(struct chorale_ctx *ctx)
{
    return &ctx->schedule->trace[rank_of(ctx, ctx->rank)];
}

static struct note *add(struct chorale_ctx *ctx, enum what what)
{
    struct trace *t = trace_of(ctx);
    struct note *grown;

    if (t->n == t->room) {
        int room = t->room > 0 ? 2 * t->room : 16;

        grown = realloc(t->note, sizeof(*grown) * (size_t)room);
        if (grown == NULL)
            return NULL;
        t->note = grown;
        t->room = room;
    }
    t->note[t->n] = (struct note){ .what = what, .copied = t->trailing,
                                   .cold_copied = t->cold_trailing };
    t->trailing = t->cold_trailing = 0;
    return &t->note[t->n++];
}

static struct chorale_stat *stat_of(struct chorale_ctx *ctx)
{
    return &ctx->schedule->stat[rank_of(ctx, ctx->rank)];
}

/* Add to *cold the bytes of buf[bytes] that were not accessed before. Returns
 * an MPI error code. */
static int touch(struct chorale_ctx *ctx, const void *buf, size_t bytes,
                 size_t *cold)
{
    const struct chorale_schedule *s = ctx->schedule;
    const uintptr_t at = (uintptr_t)buf, mem = (uintptr_t)s->mem;

    if (at < mem || at >= mem + s->mem_bytes)
        return MPI_SUCCESS;
    return chorale_touch(&trace_of(ctx)->touched, buf, bytes, cold) == 0
               ? MPI_SUCCESS
               : MPI_ERR_NO_MEM;
}

/* Note that the rank writes buf[bytes]. Returns an MPI error code. */
static int write_to(struct chorale_ctx *ctx, const void *buf, size_t bytes)
{
    size_t first = 0;

    return chorale_touch(&trace_of(ctx)->written, buf, bytes, &first) == 0
               ? MPI_SUCCESS
               : MPI_ERR_NO_MEM;
}

static int add_end(struct chorale_ctx *ctx, enum what what, const void *buf,
                   size_t bytes, int peer, MPI_Request *req)
{
    struct trace *t = trace_of(ctx);
    struct note *note = add(ctx, what);
    int index = t->n - 1;

    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->peer = rank_of(ctx, peer);
    note->bytes = bytes;
    note->buf = buf;
    /* Requests hold the event's index + 1; all other bytes are 0, so that none
     * equals MPI_REQUEST_NULL. */
    memset(req, 0, sizeof(*req));
    index++;
    memcpy(req, &index, sizeof(index));
    return touch(ctx, buf, bytes, &note->cold);
}

static int record_send(struct chorale_ctx *ctx, const void *buf, size_t bytes,
                       int dest, int synchronous, MPI_Request *req)
{
    struct trace *t = trace_of(ctx);
    int err;

    chorale_mailbox_send(ctx->schedule->told, buf, bytes, rank_of(ctx, dest));
    stat_of(ctx)->messages++;
    stat_of(ctx)->bytes_sent += (long long)bytes;
    err = add_end(ctx, SEND, buf, bytes, dest, req);
    if (err == MPI_SUCCESS)
        t->note[t->n - 1].special = synchronous;
    return err;
}

static int record_recv(struct chorale_ctx *ctx, void *buf, size_t bytes,
                       int source, MPI_Request *req)
{
    chorale_mailbox_recv(ctx->schedule->told, buf, bytes, rank_of(ctx, source));
    if (write_to(ctx, buf, bytes) != MPI_SUCCESS)
        return MPI_ERR_NO_MEM;
    return add_end(ctx, RECV, buf, bytes, source, req);
}

static int record_wait(struct chorale_ctx *ctx, MPI_Request *req)
{
    struct note *note;
    int index;

    if (*req == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    memcpy(&index, req, sizeof(index));
    note = add(ctx, WAIT);
    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->peer = index - 1;
    *req = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static void record_round(struct chorale_ctx *ctx)
{
    stat_of(ctx)->rounds++;
}

static int record_waitany(struct chorale_ctx *ctx, int count, MPI_Request *req,
                          int *index)
{
    struct trace *t = trace_of(ctx);
    int first = -1, number, least = 0, open = 0, err;

    for (int i = 0; i < count; i++) {
        if (req[i] == MPI_REQUEST_NULL)
            continue;
        open++;
        memcpy(&number, &req[i], sizeof(number));
        if (first < 0 || number < least) {
            first = i;
            least = number;
        }
    }
    *index = first < 0 ? MPI_UNDEFINED : first;
    if (first < 0)
        return MPI_SUCCESS;
    err = record_wait(ctx, &req[first]);
    if (err == MPI_SUCCESS)
        t->note[t->n - 1].special = open > 1;
    return err;
}

static int record_reduce(struct chorale_ctx *ctx, const void *in, void *inout,
                         size_t bytes, MPI_Datatype type, MPI_Op op)
{
    struct note *note = add(ctx, REDUCE);

    chorale_mailbox_reduce(ctx->schedule->told, in, inout, bytes, type, op);
    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->bytes = bytes;
    stat_of(ctx)->bytes_reduced += (long long)bytes;
    if (write_to(ctx, inout, bytes) != MPI_SUCCESS ||
        touch(ctx, in, bytes, &note->cold) != MPI_SUCCESS)
        return MPI_ERR_NO_MEM;
    return touch(ctx, inout, bytes, &note->cold);
}

static void record_copy(struct chorale_ctx *ctx, void *to, const void *from,
                        size_t bytes)
{
    struct trace *t = trace_of(ctx);

    chorale_mailbox_copy(ctx->schedule->told, to, from, bytes);
    t->copied += (long long)bytes;
    t->trailing += bytes;
    if (write_to(ctx, to, bytes) != MPI_SUCCESS ||
        touch(ctx, from, bytes, &t->cold_trailing) != MPI_SUCCESS ||
        touch(ctx, to, bytes, &t->cold_trailing) != MPI_SUCCESS)
        ctx->schedule->lacks = 1;
}

static void record_opaque(struct chorale_ctx *ctx)
{
    ctx->schedule->opaque = 1;
}

const struct chorale_recorder chorale_event_recorder = {
    .send = record_send,
    .recv = record_recv,
    .wait = record_wait,
    .waitany = record_waitany,
    .reduce = record_reduce,
    .copy = record_copy,
    .round = record_round,
    .opaque = record_opaque,
};
