/* SPDX-License-Identifier: BSD-3-Clause */
/* leave_out.h - cross-validation within one database: choices made without some
 * of the measurements are judged by these. */
#ifndef CHORALE_TUNER_ASSESS_LEAVE_OUT_H
#define CHORALE_TUNER_ASSESS_LEAVE_OUT_H

#include "tuner/assess/evaluate.h"

enum chorale_leave {
    CHORALE_LEAVE_PROCS,     /* each process count but the first and last */
    CHORALE_LEAVE_SIZES,     /* every third size, in three passes; the first and
                              * last size stay */
    CHORALE_LEAVE_LAUNCH     /* all launches but one, for each launch */
};

/* How the measurements that stay choose. */
enum chorale_chooser {
    CHORALE_CHOOSE_SMOOTH,   /* the smallest time by tuner/decide/smooth.h, if
                              * its gain over the library is above the
                              * threshold */
    CHORALE_CHOOSE_NEAREST   /* the fastest at the next smaller process count,
                              * or size, or at the point in that launch */
};

struct chorale_leave_opts {
    enum chorale_leave leave;
    enum chorale_chooser chooser;
    double threshold, noise; /* shares: as --threshold, --launch-noise */
    int allow_patented;
};

/* The verdicts on the points that were left out, sorted by collective. All
 * algorithms that were measured at a point compete: the library's own, imported
 * ones, and Chorale's variants that a table may choose. Points without a usable
 * time of the library are left out. *verdict_p refers to points; the caller
 * frees it. CHORALE_DATA: there are too few process counts, sizes or launches.
 * CHORALE_ENV: out of memory.
 * Source  Stone, J. Royal Statistical Society B 36(2), 1974. */
enum chorale_err chorale_leave_out(const struct chorale_points *points,
                                   const struct chorale_leave_opts *opts,
                                   struct chorale_verdict **verdict_p,
                                   size_t *count_p,
                                   struct chorale_errmsg *msg);

#endif
