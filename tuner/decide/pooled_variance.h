/* SPDX-License-Identifier: BSD-3-Clause */
/* pooled_variance.h - how much launches differ, learnt from all points of a system.
 *
 * Three confirming launches say little of their variance: Student's t at two
 * degrees of freedom asks for 4.3 standard errors at 5 %, and more than ten
 * after correction for many points. Points of one system are alike in that, so
 * the variance of each is held to be drawn from one distribution (a scaled
 * inverse chi square), which is fitted to all of them: what they have in common
 * counts as so many degrees of freedom more. Where they have little in common
 * it counts as few, where a point differs from the others it does not count.
 *
 * Source  Smyth, Statistical Applications in Genetics and Molecular Biology
 *         3(1), 2004, section 6: the moderated t and the fit by the moments of
 *         the logarithms. That a point which stands out goes by itself: after
 *         Phipson, Lee, Majewski, Alexander, Smyth, Annals of Applied
 *         Statistics 10(2), 2016, in a simpler form.
 */
#ifndef CHORALE_TUNER_DECIDE_POOLED_VARIANCE_H
#define CHORALE_TUNER_DECIDE_POOLED_VARIANCE_H

#include <stddef.h>

/* What points have in common. dof 0: nothing is known of it. */
struct chorale_spread {
    double variance;         /* of one launch */
    double dof;              /* that it counts for; INFINITY: all are alike */
    double most;             /* degrees of freedom of all points together */
};

/* Fit it to sample variances with their degrees of freedom; those of dof below
 * 1 are left out. Of fewer than three points, or where most variances are 0
 * (exact times), nothing is learnt. */
struct chorale_spread chorale_spread_fit(const double *variance,
                                         const double *dof, size_t n);

/* The variance to test a point with, whose own is that one, of *dof_p degrees
 * of freedom (>= 1), which become those of the test. Never less than its own;
 * and no other than its own where that is larger than the others' by an F test
 * at CHORALE_SPREAD_ODD. spread NULL: its own. */
double chorale_spread_variance(const struct chorale_spread *spread,
                               double variance, double *dof_p);
#define CHORALE_SPREAD_ODD 0.001

#endif
