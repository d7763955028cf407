/* SPDX-License-Identifier: BSD-3-Clause */
/* bootstrap.h - the interval of a mean of few independent values, such as one
 * parameter's in each of several launches. */
#ifndef CHORALE_TUNER_MODEL_BOOTSTRAP_H
#define CHORALE_TUNER_MODEL_BOOTSTRAP_H

#include <stddef.h>

#include "db/err.h"

/* Below this many values the interval is Student's t: of so few, resamples
 * that are one value over and over are not rare, and their spread is zero. */
#define CHORALE_BOOTSTRAP_LEAST 5
#define CHORALE_BOOTSTRAP_RESAMPLES 1999

/* 95 % interval [*lo, *hi] of the mean of value[i * stride], i < k, k >= 2, by
 * the studentized bootstrap: in each resample of the k values how far the mean
 * has gone, in standard errors of that resample; the 2.5 and 97.5 % points of
 * that take the place of Student's. Where such a point is a resample without
 * spread, that side is Student's. The resamples are the same at every call of
 * as many values, so columns of a table are resampled together. CHORALE_ENV:
 * out of memory.
 * Source  DiCiccio and Efron, Statistical Science 11(3), 1996, section 4;
 * Davison and Hinkley, Bootstrap Methods and their Application, 1997, 5.2. */
enum chorale_err chorale_bootstrap_mean(const double *value, size_t stride,
                                        size_t k, double *lo, double *hi,
                                        struct chorale_errmsg *msg);

#endif
