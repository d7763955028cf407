/* SPDX-License-Identifier: BSD-3-Clause */
/* inherit_runs.h - one measurement for all members of a class (classes.h). */
#ifndef CHORALE_TUNER_DECIDE_INHERIT_RUNS_H
#define CHORALE_TUNER_DECIDE_INHERIT_RUNS_H

#include "tuner/decide/classes.h"
#include "tuner/model/observations.h"

/* The point of a run, for classes.h. */
struct chorale_class_point
chorale_run_class_point(const struct chorale_run_point *run);

/* Give all members of a class the same times at each measured size:
 *  - A candidate that was measured in the family (chorale_family_same) but not
 *    at this size gets copies of the runs of an equal candidate, marked as
 *    inherited: of the simplest one without a failed run.
 *  - Where several members were measured, each successful run becomes the mean
 *    over the members in the same launch and conditions.
 * So a table can name one candidate over the whole range of sizes in which it
 * equals measured ones. Rows stay sorted. Returns 0; -1: out of memory, points
 * are unchanged. */
int chorale_points_inherit(struct chorale_points *points);

#endif
