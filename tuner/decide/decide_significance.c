/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_significance.c - t tests of the cross-fitted gains, with a variance
 * pooled over all points, at each size and over neighbouring sizes. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define ALONE 0.05 /* level of a size whose neighbours share their evidence */

/* Fit the common distribution of the samples' variances. */
static int fit_spread(const struct chorale_sample *sample, size_t n,
                      struct chorale_spread *spread)
{
    double *variance = calloc(n + 1, sizeof(*variance));
    double *dof = calloc(n + 1, sizeof(*dof));
    int rc = variance != NULL && dof != NULL ? 0 : -1;

    for (size_t i = 0; i < n && rc == 0; i++) {
        dof[i] = sample[i].n - 1;
        variance[i] = sample[i].n > 1 ? sample[i].squares / dof[i] : 0;
    }
    if (rc == 0)
        *spread = chorale_spread_fit(variance, dof, n);
    free(variance);
    free(dof);
    return rc;
}

/* 1 if the library ran in that launch at all of spot[0, n). */
static int ran(const struct chorale_measured *spot, size_t n,
               const char *launch)
{
    for (size_t k = 0; k < n; k++)
        if (isnan(chorale_spot_ratio(&spot[k], &chorale_library_run, launch)))
            return 0;
    return 1;
}

/* The gains of spot i's cross-fitted choices, each the mean over this size and
 * its neighbours on the line, in the launches that ran all of them: a size may
 * have more launches than its neighbours. n is 0 if there is no neighbour, if
 * a choice was not measured at one, or if the launches are too few. */
static struct chorale_sample shared_sample(const struct chorale_measured *spot,
                                           size_t nspot, size_t i)
{
    const struct chorale_measured *s = &spot[i];
    struct chorale_sample sample = { 0, 0, 0 };
    size_t lo = i, hi = i + 1, common = 0;

    if (i > 0 && chorale_decide_same_line(spot[i - 1].point, s->point))
        lo--;
    if (hi < nspot && chorale_decide_same_line(spot[hi].point, s->point))
        hi++;
    for (size_t l = 0; hi - lo > 1 && s->challenger > 0 && l < s->nlaunch; l++)
    {
        double sum = 0;

        if (!ran(&spot[lo], hi - lo, s->launch[l]))
            continue;
        common += (size_t)!isnan(s->cand[s->fold[l]].ratio[l]);
        for (size_t k = lo; k < hi; k++)
            sum += chorale_spot_ratio(&spot[k], s->cand[s->fold[l]].run,
                                      s->launch[l]);
        chorale_gains_add(&sample, sum / (double)(hi - lo));
    }
    if (sample.n < (double)common || common < CHORALE_DECIDE_LAUNCHES)
        sample.n = 0;
    return sample;
}

int chorale_measured_test(struct chorale_measured *spot, size_t nspot)
{
    struct chorale_sample *own = calloc(nspot + 1, sizeof(*own));
    struct chorale_sample *shared = calloc(nspot + 1, sizeof(*shared));
    struct chorale_spread alone = { 0, 0, 0 }, together = alone;
    int rc = own != NULL && shared != NULL ? 0 : -1;

    for (size_t i = 0; i < nspot && rc == 0; i++) {
        own[i] = chorale_spot_sample(&spot[i]);
        shared[i] = shared_sample(spot, nspot, i);
    }
    if (rc == 0)
        rc = fit_spread(own, nspot, &alone);
    if (rc == 0)
        rc = fit_spread(shared, nspot, &together);
    for (size_t i = 0; i < nspot && rc == 0; i++) {
        spot[i].spread = alone;
        spot[i].p = chorale_mean_pvalue(&alone, &own[i]);
        if (spot[i].p <= ALONE && shared[i].n > 0)
            spot[i].p = fmin(1, 2 * fmin(spot[i].p,
                                         chorale_mean_pvalue(&together,
                                                             &shared[i])));
    }
    free(own);
    free(shared);
    return rc;
}

double chorale_mean_error(const struct chorale_spread *spread,
                          const struct chorale_sample *sample, double *dof_p)
{
    *dof_p = sample->n - 1;
    return sqrt(CHORALE_FOLD_OVERLAP / sample->n *
                chorale_spread_variance(spread, sample->squares / *dof_p,
                                        dof_p));
}

double chorale_mean_pvalue(const struct chorale_spread *spread,
                           const struct chorale_sample *sample)
{
    double dof, se;

    if (!(sample->n >= 2))
        return 1;
    se = chorale_mean_error(spread, sample, &dof);
    if (!(se > 0))
        return sample->mean > 0 ? 0 : 1;
    return 2 * gsl_cdf_tdist_Q(fabs(sample->mean) / se, dof);
}

double chorale_cand_pvalue(const struct chorale_measured *spot, size_t cand)
{
    struct chorale_sample sample = { 0, 0, 0 };

    for (size_t l = 0; l < spot->nlaunch; l++)
        chorale_gains_add(&sample, spot->cand[cand].ratio[l]);
    return chorale_mean_pvalue(&spot->spread, &sample);
}
