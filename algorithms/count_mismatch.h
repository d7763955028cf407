/* SPDX-License-Identifier: BSD-3-Clause */
/* count_mismatch.h - broadcasts that tell of ranks that call them with unlike counts.
 *
 * MPICH's own bcast is an error where a rank has room for more than the root
 * sends, or for less, and so it has to be one under the shim. (Of its other
 * collectives none tells of a message that is shorter than its room, and
 * programs live on that; nor does any of Open MPI's.) While a context is exact:
 *
 * - a message has to fill its room; the error is kept like that of one that is
 *   too long, and told when the call is through (context.h, truncated);
 * - a rank that knows of an error sends empty messages from then on, as what it
 *   has is not what the root sent. So the ranks behind it learn of it, too;
 * - of fewer than CHORALE_BCAST_ALIKE bytes (coll.h) nothing is cut whose parts
 *   are not told by tags, so that all ranks have as many messages;
 * - a segment's tag says how many more follow it, so that a rank that expects
 *   more does not wait for what nobody sends, and one that expects fewer leaves
 *   none for the next call. Only what has been announced is awaited ahead.
 *
 * All of this is for the dispatcher, whose contexts keep errors, and where all
 * ranks have the same library. */
#ifndef CHORALE_ALGORITHMS_COUNT_MISMATCH_H
#define CHORALE_ALGORITHMS_COUNT_MISMATCH_H

#include "algorithms/context.h"

/* A receive under way: where its request is, and what it has room for. */
struct chorale_awaited {
    const MPI_Request *at;
    size_t bytes;
};

struct chorale_exact {
    struct chorale_awaited *open; /* a place is free where at is NULL */
    int n, room, next;            /* in use at most; allocated; to be asked
                                   * first */
};

/* Nothing is under way any more; free what it holds. */
void chorale_exact_clear(struct chorale_exact *exact);
void chorale_exact_free(struct chorale_exact *exact);

/* 1 if this rank knows that the call's counts are unlike. */
static inline int chorale_exact_failed(const struct chorale_ctx *ctx)
{
    return ctx->exact != NULL && *ctx->truncated != MPI_SUCCESS;
}

/* Something came that was not as long as the room, or not the last one where
 * the last was expected. */
void chorale_exact_fail(struct chorale_ctx *ctx);

/* A message with this status has come into a room of bytes. */
void chorale_exact_check(struct chorale_ctx *ctx, const MPI_Status *status,
                         size_t bytes);

/* Remember that a message for a room of bytes is under way; forget it: its
 * room, or -1 if *req is no receive. */
void chorale_exact_await(struct chorale_exact *exact, const MPI_Request *req,
                         size_t bytes);
long long chorale_exact_came(struct chorale_exact *exact,
                             const MPI_Request *req);

/* Receive whatever the source sends in this call next, by count elements of a
 * type that has bytes in all. *follow: how many segments follow, 2 for more.
 * What other collectives left lying is thrown away. source, dest: ranks of
 * the communicator, here and below. Returns an MPI error code. */
int chorale_exact_recv(struct chorale_ctx *ctx, void *buf, int count,
                       MPI_Datatype type, size_t bytes, int source,
                       int *follow);

/* The same, of what has to be all that comes from there: if segments follow,
 * it is an error, and they are thrown away. */
int chorale_exact_recv_one(struct chorale_ctx *ctx, void *buf, int count,
                           MPI_Datatype type, size_t bytes, int source);

/* Take the segments that follow, and throw them away. source as above. */
int chorale_exact_drain(struct chorale_ctx *ctx, int source, int follow);

/* Send a segment (length below 2^31), with follow more to come. */
int chorale_exact_send(struct chorale_ctx *ctx, const void *bytes,
                       size_t length, int dest, size_t follow);

/* A segment that was announced: begin to receive it, end that. */
int chorale_exact_irecv(struct chorale_ctx *ctx, void *bytes, size_t length,
                        int source, MPI_Request *req);
int chorale_exact_wait(struct chorale_ctx *ctx, size_t length,
                       MPI_Request *req, int *follow);

#endif
