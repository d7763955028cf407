/* SPDX-License-Identifier: BSD-3-Clause */
/* smooth_common.h - splits the times of several algorithms into a curve that
 * all share and the differences of each from it.
 *
 * Log times are the sum of a common Gaussian process and one process for each
 * algorithm. The deviation of the latter is the most likely one for the
 * measurements. Where algorithms differ by noise only it is small, and each
 * draws the others' measurements to its own.
 *
 * Source  Rasmussen and Williams, Gaussian Processes for Machine Learning,
 *         2006, sections 2.2 and 5.4.1; Bonilla, Chai, Williams, Multi-task
 *         Gaussian Process Prediction, NIPS 2007.
 */
#ifndef CHORALE_TUNER_DECIDE_SMOOTH_COMMON_H
#define CHORALE_TUNER_DECIDE_SMOOTH_COMMON_H

#include <stddef.h>

#include "tuner/base/kriging.h"

/* The measurements of one algorithm. */
struct chorale_common_curve {
    size_t n;
    const struct chorale_krige_at *at; /* [n], with their noise */
    const double *z;         /* [n] log seconds without a trend */
    const size_t *site;      /* [n] index of at[i]'s place among the sites */
};

/* Find the common curve at the distinct places site[0, nsite), with standard
 * deviation `usual` and correlation lengths `length`. common: out, [nsite].
 * *own_p: out, the most likely standard deviation of an algorithm's own process
 * around it, at most usual. -1: out of memory. */
int chorale_common_fit(const struct chorale_common_curve *curve, size_t ncurve,
                       const struct chorale_krige_at *site, size_t nsite,
                       double usual, const double length[2], double *common,
                       double *own_p);

#endif
