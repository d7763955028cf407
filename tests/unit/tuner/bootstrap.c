/* SPDX-License-Identifier: BSD-3-Clause */
/* bootstrap.c - the studentized bootstrap of a mean: coverage for symmetric and
 * skewed values; few values, equal values, strides. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "tests/tap.h"
#include "tuner/model/bootstrap.h"

enum { DRAWS = 2000, MOST = 12 };

static int student_covers(const double *x, size_t k, double truth)
{
    double half = gsl_cdf_tdist_Pinv(0.975, (double)(k - 1)) *
                  gsl_stats_sd(x, 1, k) / sqrt((double)k);

    return fabs(gsl_stats_mean(x, 1, k) - truth) <= half;
}

/* Percentage of draws whose interval covers the truth: the bootstrap's and
 * Student's. */
static void cover(int skewed, size_t k, double *ours, double *student)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    int n = 0, nt = 0;

    gsl_rng_set(rng, 11);
    for (int d = 0; d < DRAWS; d++) {
        double x[MOST], lo, hi, truth = skewed ? exp(0.5) : 7;

        for (size_t i = 0; i < k; i++)
            x[i] = skewed ? gsl_ran_lognormal(rng, 0, 1)
                          : 7 + gsl_ran_gaussian(rng, 2);
        if (chorale_bootstrap_mean(x, 1, k, &lo, &hi, NULL) != CHORALE_OK)
            break;
        n += lo <= truth && truth <= hi;
        nt += student_covers(x, k, truth);
    }
    gsl_rng_free(rng);
    *ours = 100.0 * n / DRAWS;
    *student = 100.0 * nt / DRAWS;
}

static void test_coverage(void)
{
    double ours, student;

    for (size_t k = CHORALE_BOOTSTRAP_LEAST; k <= MOST; k += 7) {
        cover(0, k, &ours, &student);
        tap_ok(ours >= 93 && ours <= 97,
               "the interval of %zu normal values covers in 93 to 97 %% "
               "(%.1f)", k, ours);
        cover(1, k, &ours, &student);
        tap_ok(ours > student + 1 && ours <= 97,
               "for %zu skewed values it covers more often than Student's "
               "(%.1f, %.1f)", k,
               ours, student);
    }
}

static void test_skew(void)
{
    static const double x[] = { 1, 1.1, 1.2, 1.3, 1.4, 1.6, 2, 5 };
    double lo, hi, mean = gsl_stats_mean(x, 1, 8);
    enum chorale_err err = chorale_bootstrap_mean(x, 1, 8, &lo, &hi, NULL);

    tap_ok(err == CHORALE_OK && lo < mean && hi - mean > 1.5 * (mean - lo),
           "the interval is longer on the side of the long tail (%g, %g)",
           mean - lo,
           hi - mean);
}

static void test_few(void)
{
    static const double x[] = { 3, 4, 8, 5 };
    double lo, hi, half = gsl_cdf_tdist_Pinv(0.975, 3) *
                          gsl_stats_sd(x, 1, 4) / 2;

    tap_ok(chorale_bootstrap_mean(x, 1, 4, &lo, &hi, NULL) == CHORALE_OK &&
           fabs(lo - (5 - half)) < 1e-12 && fabs(hi - (5 + half)) < 1e-12,
           "for four values it is Student's interval");
}

static void test_equal(void)
{
    static const double same[] = { 2, 2, 2, 2, 2, 2 };
    static const double most[] = { 0, 0, 0, 0, 0, 1 };
    double lo, hi;
    enum chorale_err err = chorale_bootstrap_mean(same, 1, 6, &lo, &hi, NULL);

    tap_ok(err == CHORALE_OK && lo == 2 && hi == 2,
           "equal values have no width");
    err = chorale_bootstrap_mean(most, 1, 6, &lo, &hi, NULL);
    tap_ok(err == CHORALE_OK && isfinite(lo) && isfinite(hi) && lo < 1.0 / 6 &&
               hi > 1.0 / 6,
           "resamples without spread leave finite ends (%g, %g)", lo, hi);
}

static void test_columns(void)
{
    static const double x[] = { 1, 10, 3, 30, 2, 20, 7, 70, 4, 40, 5, 50 };
    double lo[2], hi[2];

    for (int j = 0; j < 2; j++)
        if (chorale_bootstrap_mean(x + j, 2, 6, &lo[j], &hi[j], NULL) !=
            CHORALE_OK)
            lo[j] = NAN;
    tap_ok(fabs(lo[1] - 10 * lo[0]) < 1e-9 && fabs(hi[1] - 10 * hi[0]) < 1e-9,
           "columns are resampled together: ten times the values, ten times "
           "the ends");
}

int main(void)
{
    test_coverage();
    test_skew();
    test_few();
    test_equal();
    test_columns();
    return tap_done();
}
