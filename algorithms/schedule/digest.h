/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.h - digest of a schedule, to find variants that do the same.
 *
 * Variants with equal digests send the same messages between the same ranks, in
 * the same order, with the same reductions and as many bytes copied in between.
 * Which part of the data a message carries does not matter. So their times
 * differ only by noise, and by first accesses to buffers that are not in a
 * cache. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_DIGEST_H
#define CHORALE_ALGORITHMS_SCHEDULE_DIGEST_H

#include <stdint.h>

#include "algorithms/alg.h"

struct chorale_digest {
    uint64_t half[2];
};

/* Longer schedules have no digest. The events are estimated from the stated
 * cost: two for each message of the critical path, times the ranks. */
#define CHORALE_DIGEST_EVENTS 65536

/* What a digest covers. PART is a cheap first comparison: variants whose parts
 * differ are not equal. */
enum chorale_digest_of {
    CHORALE_DIGEST_PART,     /* the first rank, with one root */
    CHORALE_DIGEST_WHOLE     /* all ranks, with each root of the policy */
};

/* Digest of the schedule of alg at pt.
 *
 * policy    roots of a rooted collective, as in a campaign: "first", "middle",
 *           "last", or "rotate" for these three; with any other text the root
 *           is pt->root
 * digest_p  out
 *
 * Returns 0, or -1 if there is no digest: alg does not run at pt, the MPI
 * library runs a part, the schedule is too long, or memory is exhausted. */
int chorale_schedule_digest(const struct chorale_alg *alg,
                            const struct chorale_point *pt, const char *policy,
                            enum chorale_digest_of of,
                            struct chorale_digest *digest_p);

#endif
