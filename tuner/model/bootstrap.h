/* SPDX-License-Identifier: BSD-3-Clause */
/* bootstrap.h - confidence interval of the mean of a few independent values,
 * such as one parameter fitted in each of several launches. */
#ifndef CHORALE_TUNER_MODEL_BOOTSTRAP_H
#define CHORALE_TUNER_MODEL_BOOTSTRAP_H

#include <stddef.h>

#include "db/err.h"

/* With fewer values the interval is Student's t: resamples that repeat one
 * value are then frequent, and their spread is zero. */
#define CHORALE_BOOTSTRAP_LEAST 5
#define CHORALE_BOOTSTRAP_RESAMPLES 1999

/* 95 % interval [*lo, *hi] of the mean of value[i * stride], i < k, k >= 2, by
 * the studentized bootstrap. For each resample, the deviation of its mean is
 * divided by its own standard error. The 2.5 % and 97.5 % points of these
 * quotients replace those of Student's t. If such a point is a resample without
 * spread, that side uses Student's t.
 * The random seed is fixed: columns of a table are resampled alike.
 * CHORALE_ENV: out of memory.
 * Source  DiCiccio and Efron, Statistical Science 11(3), 1996, section 4;
 * Davison and Hinkley, Bootstrap Methods and their Application, 1997, 5.2. */
enum chorale_err chorale_bootstrap_mean(const double *value, size_t stride,
                                        size_t k, double *lo, double *hi,
                                        struct chorale_errmsg *msg);

#endif
