/* SPDX-License-Identifier: BSD-3-Clause */
/* undecided.h - further launches at points where a gain is promising but not
 * significant yet (chorale_decide_undecided()). */
#ifndef CHORALE_TUNER_ASSESS_UNDECIDED_H
#define CHORALE_TUNER_ASSESS_UNDECIDED_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

/* The undecided points of a system. */
struct chorale_undecided_left {
    size_t count;
    double seconds;          /* estimate: of the launches that would decide
                              * them */
};

/* Count them. policy is the one that decides; its unset fields are those of the
 * present table. Simulated systems have no such points. Errors: those of
 * loading, and CHORALE_ENV: out of memory. */
enum chorale_err chorale_undecided_count(const char *path, const char *system,
                                         const struct chorale_policy *policy,
                                         struct chorale_undecided_left *left,
                                         struct chorale_errmsg *msg);

/* Measure them in further launches, most valuable first: sizes of one line
 * together, and only if the estimate for them fits into the rest of the given
 * seconds. The points are listed and measured at most CHORALE_UNDECIDED_ROUNDS
 * times, because each look at the data is a chance of a false gain. plan and
 * run are the options of the campaign, and are only read. Prints a line for
 * each round unless run is quiet. Errors: CHORALE_STOPPED, and those of
 * loading, planning and running. */
#define CHORALE_UNDECIDED_ROUNDS 2
enum chorale_err chorale_undecided_measure(const char *path, const char *system,
                                           const struct chorale_plan *plan,
                                           const struct chorale_run_opts *run,
                                           double seconds,
                                           struct chorale_errmsg *msg);

#endif
