/* SPDX-License-Identifier: BSD-3-Clause */
/* packed.h - a buffer seen as its packed bytes, which may be cut anywhere:
 * the buffer itself where its type is packed, else a copy in scratch. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_PACKED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_PACKED_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

struct chorale_packed {
    struct chorale_ctx *ctx;
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    char *bytes;             /* n of them */
    size_t n;
    int staged;              /* bytes is a copy */
};

/* Takes scratch if it has to: between mark and release of the caller. The
 * bytes are the buffer's only after chorale_packed_out(). Returns an MPI error
 * code. */
int chorale_packed_init(struct chorale_packed *p, struct chorale_ctx *ctx,
                        const void *buf, MPI_Count count, MPI_Datatype type);

/* Go on with another buffer of the same count and type; a copy is reused. */
void chorale_packed_turn(struct chorale_packed *p, const void *buf);

/* From the buffer to the bytes; from the bytes to the buffer. */
int chorale_packed_out(const struct chorale_packed *p);
int chorale_packed_in(const struct chorale_packed *p);

/* n bytes in segments of segsize bytes as pipeline.h cuts them: where segment
 * i starts; returns its length. */
size_t chorale_segment(size_t n, long segsize, size_t i, size_t *start);

/* All segments in turn, from or to one rank. Return an MPI error code. */
int chorale_send_segments(const struct chorale_packed *p, long segsize,
                          int dest);
int chorale_recv_segments(const struct chorale_packed *p, long segsize,
                          int source);

/* The path of times pieces of that many bytes, one segment after the other:
 * fills and returns at most two terms. */
int chorale_cost_segments(size_t bytes, double times, long segsize,
                          struct chorale_term *term);

#endif
