/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.h - where a variant's scratch memory comes from (chorale_scratch(),
 * context.h), and what is held for the day when the system has none.
 *
 * A variant that finds no memory on one rank cannot be left: its partners wait
 * for its messages. So who promises that a call is run by all ranks or by none
 * sets addresses aside before the ranks agree. They cost no memory before
 * something is written there, and that is given back after each use. */
#ifndef CHORALE_ALGORITHMS_SCRATCH_H
#define CHORALE_ALGORITHMS_SCRATCH_H

#include <stddef.h>

struct chorale_scratch;

/* An empty store; NULL: no memory. */
struct chorale_scratch *chorale_scratch_new(void);

/* With all that it holds; NULL does nothing. */
void chorale_scratch_free(struct chorale_scratch *scratch);

/* The most bytes of it that were in use at once: its first member. */
static inline size_t chorale_scratch_peak(const struct chorale_scratch *scratch)
{
    return *(const size_t *)(const void *)scratch;
}

/* Addresses that are set aside, for one call at a time. */
struct chorale_reserve {
    char *mem;           /* NULL: none */
    size_t size, used;   /* bytes */
};

/* Set aside what calls take whose scratch is bytes, as a descriptor states
 * it, with what alignment costs. Returns 0; -1: the system refuses. */
int chorale_reserve_open(struct chorale_reserve *reserve, size_t bytes);

/* Give them back; nothing that came from there may be in use. */
void chorale_reserve_close(struct chorale_reserve *reserve);

#endif
