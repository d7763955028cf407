/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.h - scratch memory of variants, and reserves for memory exhaustion.
 *
 * If a variant runs out of memory on one rank, the other ranks wait for its
 * messages for ever. The dispatcher must therefore ensure that either all ranks
 * run a call or none does: each rank reserves address space before the ranks
 * agree. A reserve uses no memory until it is written to, and its memory
 * returns to the system after each use. */
#ifndef CHORALE_ALGORITHMS_SCRATCH_H
#define CHORALE_ALGORITHMS_SCRATCH_H

#include <stddef.h>

struct chorale_scratch;

/* An empty store; NULL if memory is exhausted. */
struct chorale_scratch *chorale_scratch_new(void);

/* Free the store and all its memory; NULL is allowed. */
void chorale_scratch_free(struct chorale_scratch *scratch);

/* Largest number of scratch bytes ever in use at once. It is the first member
 * of the structure. */
static inline size_t chorale_scratch_peak(const struct chorale_scratch *scratch)
{
    return *(const size_t *)(const void *)scratch;
}

/* Reserved address space, for one call at a time. */
struct chorale_reserve {
    char *mem;           /* NULL: not reserved */
    size_t size, used;   /* bytes */
};

/* Reserve address space for calls whose descriptor states bytes of scratch,
 * plus alignment padding. Returns 0, or -1 if the system refuses. */
int chorale_reserve_open(struct chorale_reserve *reserve, size_t bytes);

/* Release the reserve; none of its memory may be in use. */
void chorale_reserve_close(struct chorale_reserve *reserve);

#endif
