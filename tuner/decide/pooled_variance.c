/* SPDX-License-Identifier: BSD-3-Clause */
/* pooled_variance.c - fit and use the variance pooled over all points. */
#include "tuner/decide/pooled_variance.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR 1e-5 /* of the median: smaller variances are raised to it */
#define SMALL_DOF 1e-3 /* treated as 0 */
#define LARGE_DOF 1e6  /* treated as infinite */

/* Median of the variances with dof >= 1; NAN if out of memory. */
static double median_of(const double *variance, const double *dof, size_t n)
{
    double *sorted = malloc((n + 1) * sizeof(*sorted)), median = NAN;
    size_t k = 0;

    for (size_t i = 0; sorted != NULL && i < n; i++)
        if (dof[i] >= 1)
            sorted[k++] = variance[i];
    if (k > 0) {
        gsl_sort(sorted, 1, k);
        median = gsl_stats_median_from_sorted_data(sorted, 1, k);
    }
    free(sorted);
    return median;
}

/* The x > 0 with trigamma(x) = y > 0, by bisection of log x; trigamma falls
 * from infinity to 0. */
static double trigamma_inverse(double y)
{
    double lo = log(SMALL_DOF / 2), hi = log(LARGE_DOF / 2);

    if (y >= gsl_sf_psi_1(exp(lo)))
        return 0;
    if (y <= gsl_sf_psi_1(exp(hi)))
        return INFINITY;
    for (int i = 0; i < 100; i++) {
        double mid = (lo + hi) / 2;

        if (gsl_sf_psi_1(exp(mid)) > y)
            lo = mid;
        else
            hi = mid;
    }
    return exp(lo);
}

struct chorale_spread chorale_spread_fit(const double *variance,
                                         const double *dof, size_t n)
{
    struct chorale_spread spread = { 0, 0, 0 };
    double floor = FLOOR * median_of(variance, dof, n);
    double mean = 0, squares = 0, expected = 0, k = 0, half;

    if (!(floor > 0))
        return spread;
    for (size_t i = 0; i < n; i++) {
        double e, d;

        if (!(dof[i] >= 1))
            continue;
        half = dof[i] / 2;
        e = log(fmax(variance[i], floor)) - gsl_sf_psi(half) + log(half);
        k++;
        d = e - mean;
        mean += d / k;
        squares += d * (e - mean);
        expected += gsl_sf_psi_1(half);
        spread.most += dof[i];
    }
    if (k < 3)
        return spread;
    half = trigamma_inverse(fmax(0, squares / (k - 1) - expected / k));
    spread.dof = 2 * half;
    spread.variance = isinf(half) ? exp(mean)
                      : half > 0  ? exp(mean + gsl_sf_psi(half) - log(half))
                                  : 0;
    return spread;
}

double chorale_spread_variance(const struct chorale_spread *spread,
                               double variance, double *dof_p)
{
    double own = *dof_p, common, odd;

    if (spread == NULL || !(spread->dof > 0))
        return variance;
    odd = isinf(spread->dof)
              ? gsl_cdf_chisq_Q(own * variance / spread->variance, own)
              : gsl_cdf_fdist_Q(variance / spread->variance, own, spread->dof);
    if (odd < CHORALE_SPREAD_OUTLIER)
        return variance;
    common = isinf(spread->dof)
                 ? spread->variance
                 : (spread->dof * spread->variance + own * variance) /
                       (spread->dof + own);
    *dof_p = fmax(own, fmin(own + spread->dof, spread->most));
    return fmax(variance, common);
}
