/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_arrival.h - combines a run's times in several arrival patterns into
 * one time, so that the rules of decide.h apply unchanged. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_ARRIVAL_H
#define CHORALE_TUNER_DECIDE_DECIDE_ARRIVAL_H

#include "tuner/decide/decide.h"

/* Numbers of measured points (size, process count, placement, type and
 * operation) of more than one rank. */
struct chorale_arrival_count {
    size_t points;           /* all */
    size_t late;             /* decided by other patterns than sync */
};

/* Combine the runs that chorale_points_load_by() loaded for opts->arrivals.
 * Afterwards two runs never differ in the arrival pattern alone. The order is
 * kept, and field arrival names the pattern that counts ("robust" for several).
 *
 * CHORALE_ARRIVALS_TRACED: at a point where the library ran in the pattern of
 * the traces, only runs in that pattern count. Their time becomes that from the
 * last rank's arrival on: the skew, which no variant can shorten, is
 * subtracted. It is kept for pattern random, whose latest rank differs between
 * repetitions, and if a time at that point is not longer than the skew. At all
 * other points runs in pattern sync count.
 *
 * CHORALE_ARRIVALS_ROBUST: minimax regret. The loss of a run in a pattern is
 * its time minus that of the best candidate that a table may choose, both
 * relative to the library in the same launch, in seconds. Its new time is that
 * of the best candidate in pattern sync, plus its largest loss over sync, last
 * and ascending in launches of that ordinal. With sync alone that sum is its
 * own time.
 *   Why losses in seconds: the skew is part of a duration. So the pattern with
 * the longest skew alone would determine the worst absolute time, and a ratio
 * to the best time would depend on the skew. A difference cancels the skew, and
 * is the time that the application loses in a call.
 *   A candidate without a usable time in some pattern in which the library ran
 * gets ok 0. Runs are left out in launches of an ordinal in which the library
 * ran in sync only, and of candidates that ran in sync only at the point.
 *
 * count_p (may be NULL) receives the number of points. Returns -1 if out of
 * memory.
 * Sources  Savage, J. American Statistical Association 46, 1951 (minimax
 *          regret); Faraj, Patarasuk, Yuan, IJPP 36, 2008 (time from the last
 *          arrival). */
int chorale_arrivals_combine(struct chorale_points *points,
                             const struct chorale_decide_opts *opts,
                             struct chorale_arrival_count *count_p);

/* The smallest difference, s, to the library in the same launch of a candidate
 * that a table may choose, at the point of row `at` and in that pattern: of the
 * means over the launches, at most 0. Without measurements there it is 0.
 * runs: loaded for opts->arrivals, and not combined. */
double chorale_arrival_lead(const struct chorale_points *runs,
                            const struct chorale_decide_opts *opts,
                            const struct chorale_run_point *at,
                            const char *arrival);

/* 1 if the skew is subtracted from that time, s, in the pattern, by the rule of
 * CHORALE_ARRIVALS_TRACED. */
int chorale_arrival_subtracts(const char *arrival, double seconds,
                              double skew);

#endif
