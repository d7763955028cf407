/* SPDX-License-Identifier: BSD-3-Clause */
/* packed.c - a buffer as packed bytes. */
#include "algorithms/engines/rooted/packed.h"

#include "algorithms/engines/rooted/pipeline.h"

int chorale_packed_init(struct chorale_packed *p, struct chorale_ctx *ctx,
                        const void *buf, MPI_Count count, MPI_Datatype type)
{
    *p = (struct chorale_packed){
        .ctx = ctx,
        .count = count,
        .type = type,
        .n = chorale_type_size(type) * (size_t)count,
        .staged = !chorale_type_is_packed(type),
    };
    if (p->staged) {
        p->bytes = chorale_scratch(ctx, p->n);
        if (p->bytes == NULL)
            return MPI_ERR_NO_MEM;
    }
    chorale_packed_turn(p, buf);
    return MPI_SUCCESS;
}

void chorale_packed_turn(struct chorale_packed *p, const void *buf)
{
    p->buf = chorale_at(buf, 0, 0);
    if (!p->staged)
        p->bytes = p->buf;
}

int chorale_packed_pack(const struct chorale_packed *p)
{
    if (!p->staged)
        return MPI_SUCCESS;
    return chorale_pack(p->ctx, p->buf, p->count, p->type, p->bytes);
}

int chorale_packed_unpack(const struct chorale_packed *p)
{
    if (!p->staged)
        return MPI_SUCCESS;
    return chorale_unpack(p->ctx, p->bytes, p->buf, p->count, p->type);
}

/* --- segments --------------------------------------------------------- */

size_t chorale_segment(size_t n, long segsize, size_t i, size_t *start)
{
    size_t s = segsize > 0 ? (size_t)segsize : n;

    *start = i * s;
    return n - *start < s ? n - *start : s;
}

int chorale_send_segments(const struct chorale_packed *p, long segsize,
                          int dest)
{
    size_t last, segments = chorale_segments(p->n, (size_t)segsize, &last);
    int err = MPI_SUCCESS;

    for (size_t i = 0; i < segments && err == MPI_SUCCESS; i++) {
        size_t start, length = chorale_segment(p->n, segsize, i, &start);

        err = chorale_send(p->ctx, p->bytes + start, (MPI_Count)length,
                           MPI_PACKED, dest);
    }
    return err;
}

int chorale_recv_segments(const struct chorale_packed *p, long segsize,
                          int source)
{
    size_t last, segments = chorale_segments(p->n, (size_t)segsize, &last);
    int err = MPI_SUCCESS;

    for (size_t i = 0; i < segments && err == MPI_SUCCESS; i++) {
        size_t start, length = chorale_segment(p->n, segsize, i, &start);

        err = chorale_recv(p->ctx, p->bytes + start, (MPI_Count)length,
                           MPI_PACKED, source);
    }
    return err;
}

int chorale_cost_segments(size_t bytes, double times, long segsize,
                          struct chorale_term *term)
{
    size_t last, segments = chorale_segments(bytes, (size_t)segsize, &last);
    int n = 0;

    if (times < 1)
        return 0;
    if (segments > 1)
        term[n++] = (struct chorale_term){
            .messages = times * (double)(segments - 1),
            .bytes = (double)segsize,
        };
    term[n++] = (struct chorale_term){ .messages = times,
                                       .bytes = (double)last };
    return n;
}
