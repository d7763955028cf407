/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.h - what `tune` does where its table proves slower than the library:
 * those points are measured, all candidates in launches of their own, so that
 * a guess becomes a measurement and a choice rests on twice as many. */
#ifndef CHORALE_TUNER_ASSESS_REMEASURE_H
#define CHORALE_TUNER_ASSESS_REMEASURE_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

/* Plan and run each point at which the system's present table was proved
 * slower by a choice of its own (not by the way through it), with plan's
 * options but for the point, and twice the launches that it has, or that plan
 * says where it has none. run gives what else
 * running needs; plan and run are only read. *count_p: how many such points.
 * Prints a line unless run is quiet. CHORALE_STOPPED, and what planning and
 * running say. */
enum chorale_err chorale_mend(const char *path, const char *system,
                              const struct chorale_plan *plan,
                              const struct chorale_run_opts *run,
                              size_t *count_p, struct chorale_errmsg *msg);

#endif
