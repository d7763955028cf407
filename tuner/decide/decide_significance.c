/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_significance.c - t tests of the cross-fitted gains, with a variance
 * pooled over all points. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

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

int chorale_measured_test(struct chorale_measured *spot, size_t nspot)
{
    struct chorale_sample *sample = calloc(nspot + 1, sizeof(*sample));
    struct chorale_spread spread = { 0, 0, 0 };
    int rc = sample != NULL ? 0 : -1;

    for (size_t i = 0; i < nspot && rc == 0; i++)
        sample[i] = chorale_spot_sample(&spot[i]);
    if (rc == 0)
        rc = fit_spread(sample, nspot, &spread);
    for (size_t i = 0; i < nspot && rc == 0; i++) {
        spot[i].spread = spread;
        spot[i].p = chorale_mean_pvalue(&spread, &sample[i]);
    }
    free(sample);
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
        chorale_sample_add(&sample, spot->cand[cand].ratio[l]);
    return chorale_mean_pvalue(&spot->spread, &sample);
}
