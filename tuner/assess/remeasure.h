/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.h - measures all candidates again at points where `chorale tune`
 * found its table slower than the library. Each point gets launches of its own,
 * so that its choice rests on measurements and on twice as many launches. */
#ifndef CHORALE_TUNER_ASSESS_REMEASURE_H
#define CHORALE_TUNER_ASSESS_REMEASURE_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

/* Sizes of one collective and process count. */
struct chorale_again {
    enum chorale_coll coll;
    const char *sizes;       /* bytes of a block: "8,64" */
    int comm_size, ppn;
    const char *dtype, *op;  /* op "": none */
    long launches;           /* of their cells, including the present ones; at
                              * most 1000 are planned */
};

/* Plan and run them in launches of their own, which run no other sizes. The
 * other options of planning and running are those of plan and run, which are
 * only read. */
enum chorale_err chorale_sizes_remeasure(const char *path,
                                         const struct chorale_plan *plan,
                                         const struct chorale_run_opts *run,
                                         const struct chorale_again *again,
                                         struct chorale_errmsg *msg);

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
