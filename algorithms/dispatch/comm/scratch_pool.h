/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch_pool.h - scratch memory of a process: at most CHORALE_MAX_SCRATCH
 * bytes for all threads and communicators together.
 *
 * Below MPI_THREAD_MULTIPLE there is one store, lent to the communicator of
 * the current call. It holds what the largest call needed, and every
 * communicator may use the whole limit.
 *
 * Under MPI_THREAD_MULTIPLE several calls run at once. A call cannot be
 * refused memory halfway because another thread has taken it, as other ranks
 * wait for the call. So each communicator gets a share when it is set up: a
 * quarter of the bytes left, reduced to the smallest share of all its ranks.
 * It has a store of its own. Calls that need more than the share go to the
 * library on all ranks. Calls need no lock, and no atomic operation unless
 * their store grows. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_SCRATCH_POOL_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_SCRATCH_POOL_H

#include "algorithms/context.h"
#include "algorithms/dispatch/comm/fast_path.h"
#include "algorithms/scratch.h"

/* A communicator's share; all zero initially. */
struct chorale_share {
    size_t bytes;            /* largest scratch of a call */
    size_t taken;            /* reserved from the limit */
    int own;                 /* it has a store of its own */
    size_t counted;          /* bytes of its store that are part of
                              * chorale_memory_peak() */
};

/* Set share to a new communicator's share of the process's limit of all bytes.
 * share->bytes is this rank's offer in the agreement of its ranks. */
void chorale_memory_take(struct chorale_share *share, size_t all);

/* Reduce the share to bytes, on which the ranks agreed. */
void chorale_memory_settle(struct chorale_share *share, size_t bytes);

/* Return the share when its communicator and store are freed. */
void chorale_memory_give_back(struct chorale_share *share);

/* Store of the process, used below MPI_THREAD_MULTIPLE. store is NULL before
 * the first call; counted is its part of chorale_memory_peak(). */
extern struct chorale_memory {
    struct chorale_scratch *store;
    size_t counted;
} chorale_memory CHORALE_HIDDEN;

/* Make the process's store; it stays NULL if memory runs out.
 * chorale_memory_grown() records that the store of the process, or of share,
 * has grown to bytes. */
void chorale_memory_make(void);
void chorale_memory_grown(struct chorale_share *share, size_t bytes);

/* Before a call on ctx: lend it the process's store, unless it has its own.
 * Returns the value to pass to chorale_memory_back(). */
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

/* End the loan after the call. */
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

/* Address space reserved for calls that need up to bytes of scratch, used if
 * the system has no memory (scratch.h). Below MPI_THREAD_MULTIPLE it is one
 * for the process, and bytes must be the same in every call. Else it is a new
 * one for each communicator, which has one call at a time. NULL if the system
 * refuses. */
struct chorale_reserve *chorale_memory_reserve(size_t bytes);

/* Free the reserve of one communicator. NULL and the process's reserve are
 * ignored. */
void chorale_memory_unreserve(struct chorale_reserve *reserve);

/* Largest sum so far, over the stores that existed at once, of the most bytes
 * that each had in use. */
size_t chorale_memory_peak(void);

/* Free the process's store and reserve at the end. */
void chorale_memory_stop(void);

#endif
