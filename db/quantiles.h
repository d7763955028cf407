/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.h - order statistics of one run's repetitions. Needs only libm,
 * because the runner calls it between repetitions. */
#ifndef CHORALE_DB_QUANTILES_H
#define CHORALE_DB_QUANTILES_H

#include <stddef.h>

/* The columns of run_summary; seconds. lo, hi: nonparametric 95 % interval of
 * the median from order statistics, wider for autocorrelated values. NAN if the
 * values are too few for such an interval: always below 6 effectively
 * independent values, and for correlated values if its ends leave x[n]. */
struct chorale_summary {
    size_t nrep;
    double median, lo, hi, mean, min, q25, q75, p95, p99, max;
};

/* Sort ascending in place. */
void chorale_sort(double *x, size_t n);

/* Quantile q in [0, 1] of ascending x[n], n >= 1, by linear interpolation
 * (Hyndman and Fan, The American Statistician 50(4), 1996, type 7). */
double chorale_quantile(const double *x, size_t n, double q);

/* Indices (from 0) of the order statistics that enclose the median with at
 * least 95 % confidence. Up to n = 70 it is the narrowest symmetric pair by the
 * binomial distribution. Above, the normal approximation may add one value at
 * each end. Returns 0, or -1 if n is too small (n < 6).
 * Source  Hoefler and Belli, SC'15, rule 5; Le Boudec, Performance Evaluation
 * of Computer and Communication Systems, 2010, section 2.2.2. */
int chorale_median_interval(size_t n, size_t *lo, size_t *hi);

/* Number of independent values that carry as much information about the median
 * as x[n], which is in order of time. It is n unless neighbours lie on the same
 * side of the median significantly often (5 % level). The correlation r of the
 * signs gives rho = sin(pi r / 2) of a Gaussian first-order process; all its
 * lags are summed. At rho = 0.9 a hundred values estimate rho poorly: their
 * interval covers 85 % instead of 95 %, that of a thousand 93 %. median: of x.
 * Source  Van Vleck, Middleton, Proc. IEEE 54(1), 1966 (the arcsine law). */
double chorale_effective_size(const double *x, size_t n, double median);

/* Summary of x[n], n >= 1, given in order of time; x is sorted in place. */
void chorale_summarise(double *x, size_t n, struct chorale_summary *s);

#endif
