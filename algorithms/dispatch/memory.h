/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - the scratch memory of a process: one store for each thread, lent
 * to the communicator that it runs a call on. So what is held is what the
 * largest call took, not the sum over communicators. */
#ifndef CHORALE_ALGORITHMS_MEMORY_H
#define CHORALE_ALGORITHMS_MEMORY_H

#include "algorithms/ctx.h"

/* Before a call on ctx: let it use this thread's store. Without memory for
 * one it keeps its own. Returns what to give back. */
struct chorale_scratch *chorale_memory_lend(struct chorale_ctx *ctx);

/* After it. */
void chorale_memory_back(struct chorale_ctx *ctx,
                         struct chorale_scratch *own);

/* What is set aside for calls whose scratch is bytes, always the same number,
 * for when the system has none (scratch.h): of the process, or, where several
 * threads may call MPI at once, a new one for each communicator, on which
 * there is one call at a time. NULL: the system refuses. */
struct chorale_reserve *chorale_memory_reserve(size_t bytes);

/* Give back one of a communicator; NULL and that of the process stay. */
void chorale_memory_unreserve(struct chorale_reserve *reserve);

/* The most bytes that one call has had at once, in any thread. */
size_t chorale_memory_peak(void);

/* At the end: free this thread's store, those of others go with them, and
 * what is set aside for the process. */
void chorale_memory_stop(void);

#endif
