/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.h - measures all candidates again at points where `chorale tune`
 * found its table slower than the library. Each point gets launches of its own,
 * so that its choice rests on measurements and on twice as many launches. */
#ifndef CHORALE_TUNER_ASSESS_REMEASURE_H
#define CHORALE_TUNER_ASSESS_REMEASURE_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

/* Plan and run each point at which the system's present table was proved slower
 * because of its own choice. Points slower only because of the shim's overhead
 * are skipped. The options are plan's except for the point. A point gets twice
 * the launches that it has or that plan asks for (0: 6), whichever is more, but
 * at most 1000. run holds the other options of running; plan and run are only
 * read. *count_p is set to the number of such points. If there are any, prints
 * a line unless run is quiet. Errors: CHORALE_STOPPED, and those of loading,
 * planning and running. */
enum chorale_err chorale_remeasure(const char *path, const char *system,
                                   const struct chorale_plan *plan,
                                   const struct chorale_run_opts *run,
                                   size_t *count_p, struct chorale_errmsg *msg);

#endif
