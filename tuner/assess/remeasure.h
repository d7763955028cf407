/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.h - launches of chosen points, beside those of a grid: where a gain
 * is undecided, and where `chorale tune` found its table slower than the library
 * between measured sizes. */
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

/* Prepare the next decision after a validation, of durations and of calls back
 * to back. *count_p: comparisons in which the system's present table was slower
 * than the library because of its own choice, and points without cells, between
 * measured sizes, where it seems slower: in a comparison the 95 % interval of the
 * point excludes 1. `chorale decide` does not choose a slower one there
 * again (observations.h, slower). The points of both kinds without cells are
 * planned and run, with the options of plan and run except for the point; both
 * are only read. Prints a line for each kind, unless run is quiet. Errors:
 * CHORALE_STOPPED, and those of loading, planning and running. */
enum chorale_err chorale_remeasure(const char *path, const char *system,
                                   const struct chorale_plan *plan,
                                   const struct chorale_run_opts *run,
                                   size_t *count_p, struct chorale_errmsg *msg);

#endif
