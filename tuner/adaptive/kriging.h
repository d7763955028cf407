/* SPDX-License-Identifier: BSD-3-Clause */
/* kriging.h - what is expected of a quantity at places where it was not
 * measured, and how far off that may be: a Gaussian process over the plane
 * (x, y) whose correlation falls off exponentially with the distance in either
 * direction, so that in one direction it interpolates along straight lines. */
#ifndef CHORALE_TUNER_ADAPTIVE_KRIGING_H
#define CHORALE_TUNER_ADAPTIVE_KRIGING_H

#include <stddef.h>

/* One measurement. What is of another kind correlates by CHORALE_KRIGE_KIN
 * less, for each of the three: parameters, placement, whether the process count
 * is a power of two. */
#define CHORALE_KRIGE_KINDS 3
struct chorale_krige_at {
    double x, y;
    int kin[CHORALE_KRIGE_KINDS];
};
#define CHORALE_KRIGE_KIN 0.9

struct chorale_krige {
    struct chorale_krige_at *at;
    double *inverse, *weight; /* [n * n], [n] */
    size_t n;
    double mean, sd, length[2]; /* of the process: units of x, y */
    double nugget;
};

/* Fit to n measurements. noise: standard deviation of each, 0: exact. The
 * lengths are those of a few that foretell each measurement best from the
 * others; the standard deviation is what that misses by, drawn towards the
 * usual one (> 0) where there are few. With n = 0 the mean is 0. -1: out of
 * memory. Release it in either case.
 * Source  Rasmussen and Williams, Gaussian Processes for Machine Learning,
 * 2006, sections 4.2.1 and 5.4.2. */
int chorale_krige_fit(struct chorale_krige *k,
                      const struct chorale_krige_at *at, const double *z,
                      size_t n, double noise, double usual);
void chorale_krige_release(struct chorale_krige *k);

/* Mean, and into *sd_p the standard deviation, of what is expected there. */
double chorale_krige_expect(const struct chorale_krige *k,
                            const struct chorale_krige_at *at, double *sd_p);

#endif
