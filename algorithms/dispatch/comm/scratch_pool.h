/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch_pool.h - the scratch memory of a process, CHORALE_MAX_SCRATCH at most for
 * all of its threads and communicators together.
 *
 * Where one thread at a time calls MPI there is one store, lent to the
 * communicator of the call: what is held is what the largest call took, and
 * every communicator may take all. Under MPI_THREAD_MULTIPLE calls on several
 * communicators run at once, and what one thread takes cannot be refused to
 * another one in mid-call, as other ranks wait for it. So each communicator
 * gets a share of what is left when it is set up, a quarter, on which its ranks
 * agree, and has a store of its own: a call that needs more than the share is
 * the library's on all of them. No call waits for another, or counts, unless
 * its store grows. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_SCRATCH_POOL_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_SCRATCH_POOL_H

#include "algorithms/context.h"
#include "algorithms/dispatch/comm/fast_path.h"
#include "algorithms/scratch.h"

/* What a communicator has of it; all zero before. */
struct chorale_share {
    size_t bytes;            /* a call may need so many */
    size_t taken;            /* as many are nobody else's */
    int own;                 /* it has a store of its own */
    size_t counted;          /* of its store, in chorale_memory_peak() */
};

/* For a communicator that is set up, of the process's all bytes: what this rank
 * offers. */
void chorale_memory_take(struct chorale_share *share, size_t all);

/* The ranks agreed on so many, no more than it offers. */
void chorale_memory_settle(struct chorale_share *share, size_t bytes);

/* It is freed, with its store. */
void chorale_memory_give_back(struct chorale_share *share);

/* Of the process, where one thread at a time calls MPI: its store, NULL before
 * the first call, and what of that chorale_memory_peak() has. */
extern struct chorale_memory {
    struct chorale_scratch *store;
    size_t counted;
} chorale_memory CHORALE_HIDDEN;

/* Make the store: no memory leaves it NULL. And: a store, of the process or of
 * share, has grown to so many bytes. */
void chorale_memory_make(void);
void chorale_memory_grown(struct chorale_share *share, size_t bytes);

/* Before a call on ctx: let it use the store of the process, if it has none of
 * its own. Returns what to give back. */
static inline struct chorale_scratch *
chorale_memory_lend(struct chorale_ctx *ctx, const struct chorale_share *share)
{
    struct chorale_scratch *own = ctx->scratch;

    if (share->own)
        return own;
    if (__builtin_expect(chorale_memory.store == NULL, 0))
        chorale_memory_make();
    if (chorale_memory.store != NULL)
        ctx->scratch = chorale_memory.store;
    return own;
}

/* After it. */
static inline void chorale_memory_back(struct chorale_ctx *ctx,
                                       struct chorale_share *share,
                                       struct chorale_scratch *own)
{
    const size_t now = chorale_scratch_peak(ctx->scratch);

    ctx->scratch = own;
    if (__builtin_expect(now > (share->own ? share->counted
                                           : chorale_memory.counted), 0))
        chorale_memory_grown(share, now);
}

/* What is set aside for calls whose scratch is bytes, for when the system has
 * none (scratch.h): of the process, with always the same number, or, where
 * several threads may call MPI at once, a new one for each communicator, on
 * which there is one call at a time. NULL: the system refuses. */
struct chorale_reserve *chorale_memory_reserve(size_t bytes);

/* Give back one of a communicator; NULL and that of the process stay. */
void chorale_memory_unreserve(struct chorale_reserve *reserve);

/* The most bytes that the stores have had at once. */
size_t chorale_memory_peak(void);

/* At the end: free the process's store, and what is set aside for it. */
void chorale_memory_stop(void);

#endif
