/* SPDX-License-Identifier: BSD-3-Clause */
/* first_touch.h - bytes of a rank's memory that one call accesses for the first
 * time. In a call whose buffers are not in the caches these bytes come from
 * main memory; later accesses find them in a cache. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_FIRST_TOUCH_H
#define CHORALE_ALGORITHMS_SCHEDULE_FIRST_TOUCH_H

#include <stddef.h>
#include <stdint.h>

/* The accessed ranges: ascending, disjoint and not adjoining. Zero-initialise
 * it: no byte was accessed. */
struct chorale_touched {
    struct chorale_touched_range {
        uintptr_t from, upto; /* from <= address < upto */
    } *range;
    size_t n, room;
};

/* Record an access to buf[bytes]; buf is never dereferenced. *first_p is raised
 * by the bytes that no earlier access covered. Returns 0, or -1 if memory is
 * exhausted: *first_p is then unchanged. */
int chorale_touch(struct chorale_touched *t, const void *buf, size_t bytes,
                  size_t *first_p);

/* Number of bytes of buf[bytes] that were accessed. */
size_t chorale_touched_of(const struct chorale_touched *t, const void *buf,
                          size_t bytes);

/* Forget all accesses: clear keeps the memory, release frees it. */
void chorale_touched_clear(struct chorale_touched *t);
void chorale_touched_release(struct chorale_touched *t);

#endif
