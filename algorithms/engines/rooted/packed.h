/* SPDX-License-Identifier: BSD-3-Clause */
/* packed.h - a buffer as packed bytes, which may be split anywhere.
 *
 * The bytes are the buffer itself if its type is packed, else a copy in
 * scratch. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_PACKED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_PACKED_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

struct chorale_packed {
    struct chorale_ctx *ctx;
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    char *bytes;             /* n bytes */
    size_t n;
    int staged;              /* 1: bytes is a copy */
};

/* May take scratch; the caller must bracket its use by mark and release. The
 * bytes hold the buffer's data only after chorale_packed_pack(). Returns an MPI
 * error code. */
int chorale_packed_init(struct chorale_packed *p, struct chorale_ctx *ctx,
                        const void *buf, MPI_Count count, MPI_Datatype type);

/* Switch to another buffer of the same count and type; a copy's memory is
 * reused. */
void chorale_packed_turn(struct chorale_packed *p, const void *buf);

/* out: pack the buffer into the bytes. in: unpack the bytes into the buffer. No
 * effect if bytes is the buffer. Return an MPI error code. */
int chorale_packed_pack(const struct chorale_packed *p);
int chorale_packed_unpack(const struct chorale_packed *p);

/* Split n bytes into segments of segsize bytes, as pipeline.h does: sets *start
 * of segment i and returns its length. */
size_t chorale_segment(size_t n, long segsize, size_t i, size_t *start);

/* Send or receive all segments in turn, to or from one rank. Return an MPI
 * error code. */
int chorale_send_segments(const struct chorale_packed *p, long segsize,
                          int dest);
int chorale_recv_segments(const struct chorale_packed *p, long segsize,
                          int source);

/* Cost of times pieces of bytes each, sent one segment after the other: fills
 * at most two terms and returns how many. */
int chorale_cost_segments(size_t bytes, double times, long segsize,
                          struct chorale_term *term);

#endif
