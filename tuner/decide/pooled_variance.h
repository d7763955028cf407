/* SPDX-License-Identifier: BSD-3-Clause */
/* pooled_variance.h - variance between launches, pooled over all points of a
 * system (moderated t test).
 *
 * Few launches determine their variance poorly: Student's t of six launches
 * requires 2.6 standard errors at 5 %, and seven or more after correction for
 * many points. The variances of one system's points are therefore modelled as
 * draws from a scaled inverse chi-square distribution, which is fitted to all
 * points. The common variance counts as additional degrees of freedom: few if
 * the points differ, none for a point that is an outlier.
 *
 * Source  Smyth, Statistical Applications in Genetics and Molecular Biology
 *         3(1), 2004, section 6: the moderated t, fitted by the moments of the
 *         logarithms. Outlier points use their own variance: a simpler form of
 *         Phipson, Lee, Majewski, Alexander, Smyth, Annals of Applied
 *         Statistics 10(2), 2016.
 */
#ifndef CHORALE_TUNER_DECIDE_POOLED_VARIANCE_H
#define CHORALE_TUNER_DECIDE_POOLED_VARIANCE_H

#include <stddef.h>

/* The fitted distribution. dof 0: no common variance is known. */
struct chorale_spread {
    double variance;         /* of one launch */
    double dof;              /* its weight; INFINITY: equal at all points */
    double most;             /* degrees of freedom of all points together */
};

/* Fit to n sample variances with their degrees of freedom; points with dof < 1
 * are ignored. dof is 0 in the result for fewer than three points, if most
 * variances are 0 (exact times), or if out of memory. */
struct chorale_spread chorale_spread_fit(const double *variance,
                                         const double *dof, size_t n);

/* The variance for testing a point with its own variance and *dof_p (>= 1)
 * degrees of freedom; *dof_p is set to those of the test. The result is never
 * below its own variance. It equals that if an F test at CHORALE_SPREAD_OUTLIER
 * finds it larger than the common one, or if spread is NULL or its dof 0. */
double chorale_spread_variance(const struct chorale_spread *spread,
                               double variance, double *dof_p);
#define CHORALE_SPREAD_OUTLIER 0.001

#endif
