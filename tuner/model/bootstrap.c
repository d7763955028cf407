/* SPDX-License-Identifier: BSD-3-Clause */
/* bootstrap.c - the studentized bootstrap of a mean. */
#include "tuner/model/bootstrap.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "db/quantiles.h"

#define NO_SPREAD 1e-12      /* relative to the spread of all values */

/* Deviation of one resample's mean, in its own standard errors. */
static double distance(const gsl_rng *rng, const double *value, size_t stride,
                       size_t k, double mean, double sd, double *sample)
{
    double at, spread;

    for (size_t i = 0; i < k; i++)
        sample[i] = value[stride * gsl_rng_uniform_int(rng, k)];
    at = gsl_stats_mean(sample, 1, k);
    spread = gsl_stats_sd_m(sample, 1, k, at);
    if (spread > NO_SPREAD * sd)
        return (at - mean) / (spread / sqrt((double)k));
    return at > mean ? HUGE_VAL : at < mean ? -HUGE_VAL : 0;
}

enum chorale_err chorale_bootstrap_mean(const double *value, size_t stride,
                                        size_t k, double *lo, double *hi,
                                        struct chorale_errmsg *msg)
{
    double mean = gsl_stats_mean(value, stride, k);
    double sd = gsl_stats_sd_m(value, stride, k, mean);
    double error = sd / sqrt((double)k), below, above;
    double student = gsl_cdf_tdist_Pinv(0.975, (double)(k - 1));
    enum { N = CHORALE_BOOTSTRAP_RESAMPLES };
    double *room;
    gsl_rng *rng;

    *lo = mean - student * error;
    *hi = mean + student * error;
    if (k < CHORALE_BOOTSTRAP_LEAST || !(sd > 0))
        return CHORALE_OK;
    room = malloc((k + N) * sizeof(*room));
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (room == NULL || rng == NULL) {
        free(room);
        gsl_rng_free(rng);
        return chorale_fail_memory(msg, "bootstrap");
    }
    gsl_rng_set(rng, 1);
    for (size_t b = 0; b < N; b++)
        room[k + b] = distance(rng, value, stride, k, mean, sd, room);
    chorale_sort(room + k, N);
    below = room[k + (size_t)(0.025 * (N + 1)) - 1];
    above = room[k + (size_t)(0.975 * (N + 1)) - 1];
    if (isfinite(above))
        *lo = mean - above * error;
    if (isfinite(below))
        *hi = mean - below * error;
    gsl_rng_free(rng);
    free(room);
    return CHORALE_OK;
}
