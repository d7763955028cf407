/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_arrival.h - one time per run from its times in several arrival
 * patterns, so that the rules of decide.h apply unchanged. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_ARRIVAL_H
#define CHORALE_TUNER_DECIDE_DECIDE_ARRIVAL_H

#include "tuner/decide/decide.h"

/* Number of measured points (size, process count, placement, type and
 * operation) by the patterns that decide there. */
struct chorale_arrival_count {
    size_t points, late;     /* all; with other patterns than sync */
};

/* Combine the runs that chorale_points_load_by() loaded for opts->arrivals.
 * Afterwards runs differ in more than the arrival pattern, the order is kept,
 * and field arrival names the patterns that count ("robust" for several).
 *
 * CHORALE_ARRIVALS_TRACED: at a point where the library ran in the pattern of
 * the traces, only runs in that pattern count. Their time becomes that from the
 * last rank's arrival on: the skew, which no variant can shorten, is
 * subtracted. It is not for pattern random, whose latest rank differs from
 * round to round, nor if a time at that point is not longer than the skew.
 * Elsewhere runs in pattern sync count.
 *
 * CHORALE_ARRIVALS_ROBUST: minimax regret. The loss of a run in a pattern is
 * its time minus that of the best candidate that a table may choose, both
 * relative to the library in the same launch, in seconds. Its new time is that
 * of the best candidate in pattern sync, plus its largest loss over sync, last
 * and ascending in launches of that ordinal. With sync alone this is its own
 * time.
 *   The worst absolute time would be decided by the pattern with the longest
 * skew alone, as the skew is part of a duration. A ratio to the best time would
 * weigh the patterns by their skew for the same reason. A loss in seconds
 * cancels it, and is what the application loses in a call.
 *   A candidate without a usable time in some pattern in which the library ran
 * gets ok 0. Launches in which the library ran in sync only, and candidates
 * that ran in sync only at the point, do not count.
 *
 * count_p (may be NULL) receives the number of points. Returns -1 if out of
 * memory.
 * Sources  Savage, J. American Statistical Association 46, 1951 (minimax
 *          regret); Faraj, Patarasuk, Yuan, IJPP 36, 2008 (time from the last
 *          arrival). */
int chorale_arrivals_combine(struct chorale_points *points,
                             const struct chorale_decide_opts *opts,
                             struct chorale_arrival_count *count_p);

#endif
