/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_outliers.c - bound the influence of outliers on the log ratios of
 * candidates. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define NORMAL 1.4826 /* standard deviations of normal noise per MAD */
#define FAR 3         /* standard deviations at which an outlier is put */

/* Median of x[0, n), which is sorted. */
static double median(double *x, size_t n)
{
    gsl_sort(x, 1, n);
    return gsl_stats_median_from_sorted_data(x, 1, n);
}

/* Median of a candidate's ratios; *scale_p: their standard deviation, estimated
 * by the median absolute deviation. The factor n / (n - 1) corrects its bias
 * for small n > 2 (Croux and Rousseeuw, Computational Statistics 1, 1992). NAN
 * if not run. work: [nlaunch] */
static double centre(const struct chorale_measured *spot, size_t cand,
                     double *work, double *scale_p)
{
    size_t n = 0;
    double mid;

    *scale_p = NAN;
    for (size_t l = 0; l < spot->nlaunch; l++)
        if (!isnan(spot->cand[cand].ratio[l]))
            work[n++] = spot->cand[cand].ratio[l];
    if (n == 0)
        return NAN;
    mid = median(work, n);
    for (size_t i = 0; i < n; i++)
        work[i] = fabs(work[i] - mid);
    if (n > 1)
        *scale_p = NORMAL * median(work, n) * (double)n / (double)(n - 1);
    return mid;
}

/* Median scale of all candidates that may be chosen. scale: room for them */
static double common_scale(const struct chorale_measured *spot, size_t nspot,
                           double *work, double *scale)
{
    size_t n = 0;

    for (size_t i = 0; i < nspot; i++)
        for (size_t c = 1; c < spot[i].ncand; c++) {
            centre(&spot[i], c, work, &scale[n]);
            n += spot[i].cand[c].place >= 0 && !isnan(scale[n]);
        }
    return n > 0 ? median(scale, n) : 0;
}

static void clip(struct chorale_measured *spot, size_t cand, double common,
                 double *work)
{
    double scale, mid = centre(spot, cand, work, &scale);
    double most = FAR * fmax(scale, common), *ratio = spot->cand[cand].ratio;

    for (size_t l = 0; l < spot->nlaunch; l++)
        if (fabs(ratio[l] - mid) > most)
            ratio[l] = mid + copysign(most, ratio[l] - mid);
}

int chorale_measured_clip(struct chorale_measured *spot, size_t nspot)
{
    size_t nlaunch = 0, ncand = 0;
    double *work, *scale, common;

    for (size_t i = 0; i < nspot; i++) {
        nlaunch = spot[i].nlaunch > nlaunch ? spot[i].nlaunch : nlaunch;
        ncand += spot[i].ncand;
    }
    work = malloc((nlaunch + 1) * sizeof(*work));
    scale = malloc((ncand + 1) * sizeof(*scale));
    if (work != NULL && scale != NULL) {
        common = common_scale(spot, nspot, work, scale);
        for (size_t i = 0; i < nspot; i++)
            for (size_t c = 1; c < spot[i].ncand; c++)
                clip(&spot[i], c, common, work);
    }
    free(work);
    free(scale);
    return work != NULL && scale != NULL ? 0 : -1;
}
