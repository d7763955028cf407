/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_significance.c - t tests of the gain in the confirming launches, with
 * a variance pooled over all points. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Sum of squared deviations in the confirming launches; *n_p: their number. */
static double squares_of(const struct chorale_measured *spot, size_t cand,
                         double *n_p)
{
    double mean = chorale_cand_mean(spot, cand, spot->confirms, NULL);
    double squares = 0;

    *n_p = 0;
    for (size_t l = 0; l < spot->nlaunch; l++) {
        double d = spot->cand[cand].ratio[l] - mean;

        if (!spot->confirms[l] || isnan(d))
            continue;
        squares += d * d;
        ++*n_p;
    }
    return squares;
}

int chorale_measured_spread(struct chorale_measured *spot, size_t nspot)
{
    double *variance = calloc(nspot + 1, sizeof(*variance));
    double *dof = calloc(nspot + 1, sizeof(*dof));
    struct chorale_spread spread;

    if (variance == NULL || dof == NULL) {
        free(variance);
        free(dof);
        return -1;
    }
    for (size_t i = 0; i < nspot; i++) {
        double n = 0, squares = 0;

        if (spot[i].pick > 0)
            squares = squares_of(&spot[i], spot[i].pick, &n);
        dof[i] = n - 1;
        variance[i] = n > 1 ? squares / (n - 1) : 0;
    }
    spread = chorale_spread_fit(variance, dof, nspot);
    for (size_t i = 0; i < nspot; i++)
        spot[i].spread = spread;
    free(variance);
    free(dof);
    return 0;
}

double chorale_mean_error(const struct chorale_measured *spot, double squares,
                          double n, double *dof_p)
{
    *dof_p = n - 1;
    return sqrt(chorale_spread_variance(&spot->spread, fmax(0, squares) /
                                        (n - 1), dof_p) / n);
}

double chorale_mean_pvalue(const struct chorale_measured *spot, double mean,
                           double squares, double n)
{
    double dof, se;

    if (!(n >= 2))
        return 1;
    se = chorale_mean_error(spot, squares, n, &dof);
    if (!(se > 0))
        return mean > 0 ? 0 : 1;
    return 2 * gsl_cdf_tdist_Q(fabs(mean) / se, dof);
}

double chorale_cand_pvalue(const struct chorale_measured *spot, size_t cand)
{
    double n, squares = squares_of(spot, cand, &n);

    return chorale_mean_pvalue(spot, chorale_cand_mean(spot, cand,
                                                       spot->confirms, NULL),
                               squares, n);
}
