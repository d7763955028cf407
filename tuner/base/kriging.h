/* SPDX-License-Identifier: BSD-3-Clause */
/* kriging.h - predict a quantity at unmeasured points, with its uncertainty.
 * The Gaussian process over (x, y) has exponential correlation in each
 * direction and interpolates linearly along one direction. */
#ifndef CHORALE_TUNER_BASE_KRIGING_H
#define CHORALE_TUNER_BASE_KRIGING_H

#include <stddef.h>

/* One measurement. The correlation of two measurements is multiplied by
 * CHORALE_KRIGE_KIN for each component of kin that differs: parameters,
 * placement, whether the process count is a power of two. */
#define CHORALE_KRIGE_KINDS 3
struct chorale_krige_at {
    double x, y;
    int kin[CHORALE_KRIGE_KINDS];
    double noise;            /* standard deviation of this measurement, in
                              * addition to that of all */
};
#define CHORALE_KRIGE_KIN 0.9

struct chorale_krige {
    struct chorale_krige_at *at;
    double *inverse, *weight; /* [n * n], [n] */
    double *near;            /* [n] scratch */
    size_t n;
    double mean, sd, length[2]; /* of the process: units of x, y */
    double nugget, usual;    /* variance of noise over usual^2; usual */
};

/* Fit to n measurements z with standard deviation noise each (0: exact).
 * length: the correlation lengths; NULL: chosen from a few by cross-validation.
 * mean: of the process; NULL: that of the measurements.
 * The standard deviation of the process is the cross-validation error, shrunk
 * towards usual (> 0) if n is small. With n = 0 the mean is 0. -1: out of
 * memory; release k in either case.
 * Source  Rasmussen and Williams, Gaussian Processes for Machine Learning,
 * 2006, sections 4.2.1 and 5.4.2. */
int chorale_krige_fit(struct chorale_krige *k,
                      const struct chorale_krige_at *at, const double *z,
                      size_t n, double noise, double usual,
                      const double *length, const double *mean);
void chorale_krige_release(struct chorale_krige *k);

/* The correlation of the process at two points. */
double chorale_krige_correlation(const struct chorale_krige_at *a,
                                 const struct chorale_krige_at *b,
                                 const double length[2]);

/* Predicted value at a point; *sd_p (may be NULL): its standard deviation,
 * which takes n times as long. */
double chorale_krige_expect(const struct chorale_krige *k,
                            const struct chorale_krige_at *at, double *sd_p);

/* What n >= 2 launches of sample variance v tell of the variance of one: v over
 * the median of its distribution. The median of this over many points is the
 * variance of a launch, and disturbed launches count little in it.
 * Source  Wilson and Hilferty, Proc. Natl. Acad. Sci. 17(12), 1931. */
double chorale_krige_variance(double v, double n);

#endif
