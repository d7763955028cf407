/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h - launches are packed into elements of job arrays.
 *
 * Launches of one cell, which differ in their ordinal, go to different
 * elements: so they see different allocations, and what an allocation does to
 * times enters the intervals. Launches of one ordinal share an element while
 * they fit its time limit together. One that is too long for the limit alone
 * has an element of its own, which is requeued. */
#ifndef CHORALE_TUNER_PACK_H
#define CHORALE_TUNER_PACK_H

#include <stddef.h>

#include "tuner/pending.h"

struct chorale_pack_launch {
    struct chorale_pending p;
    double seconds;          /* an upper bound of what it takes */
    int nodes, ppn;          /* of all its communicators; filled in */
    long element;            /* filled in: 1 ... */
};

/* Fill in nodes, ppn and element of n launches, and order them by element.
 * Elements are numbered by (nodes, ppn), so those of one group follow each
 * other. limit: seconds that an element may take. Returns how many there
 * are. */
long chorale_pack_launches(struct chorale_pack_launch *launch, size_t n,
                           double limit);

#endif
