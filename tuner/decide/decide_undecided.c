/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_undecided.c - the points that further launches would decide. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* Most valuable first, then in the order of the points. */
static int compare_value(const void *a, const void *b)
{
    const struct chorale_undecided *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

/* The p-values of all tested points, ascending; returns their number. */
static size_t tested(const struct chorale_measured *spot, size_t nspot,
                     double *p)
{
    size_t n = 0;

    for (size_t i = 0; i < nspot; i++)
        if (spot[i].why == CHORALE_WHY_GAIN ||
            spot[i].why == CHORALE_WHY_THRESHOLD ||
            spot[i].why == CHORALE_WHY_INSIGNIFICANT)
            p[n++] = spot[i].p;
    gsl_sort(p, 1, n);
    return n;
}

/* Further launches after which a point of this p-value would reach level, if t
 * grows with the square root of their number; CHORALE_UNDECIDED_LAUNCHES + 1 if
 * those are not enough. */
static size_t launches(const struct chorale_measured *spot, double level)
{
    struct chorale_sample gain = chorale_spot_sample(spot);
    double dof, t;
    size_t more = 1;

    chorale_mean_error(&spot->spread, &gain, &dof);
    t = gsl_cdf_tdist_Qinv(spot->p / 2, dof);
    while (more <= CHORALE_UNDECIDED_LAUNCHES &&
           2 * gsl_cdf_tdist_Q(t * sqrt(1 + (double)more / gain.n),
                               dof + (double)more) > level)
        more++;
    return more;
}

/* Fill the entry of an undecided spot; 0: it is not worth listing. p[0, n):
 * as above */
static int fill(const struct chorale_measured *spot, const double *p, size_t n,
                double fdr, struct chorale_undecided *u)
{
    double rate = 1;
    size_t rank = 0;

    while (rank < n && p[rank] <= spot->p)
        rank++;
    for (size_t k = rank; k <= n; k++)
        rate = fmin(rate, p[k - 1] * (double)n / (double)k);
    *u = (struct chorale_undecided){
        .point = spot->point,
        .gain = chorale_spot_sample(spot).mean, .probability = 1 - rate,
        .launches = launches(spot, fdr * (double)rank / (double)n),
    };
    u->value = u->gain * u->probability;
    return u->value > 0 && u->launches <= CHORALE_UNDECIDED_LAUNCHES;
}

enum chorale_err chorale_decide_undecided(
    const struct chorale_points *points,
    const struct chorale_decide_opts *opts,
    struct chorale_undecided **list_p, size_t *count_p,
    struct chorale_errmsg *msg)
{
    struct chorale_undecided *list = NULL;
    struct chorale_measured *spot;
    size_t nspot, n, count = 0;
    double *p = NULL;
    enum chorale_err err = chorale_decide_sizes(points, opts, &spot, &nspot,
                                                msg);

    if (err == CHORALE_OK) {
        list = malloc((nspot + 1) * sizeof(*list));
        p = malloc((nspot + 1) * sizeof(*p));
        if (list == NULL || p == NULL)
            err = chorale_fail_memory(msg, "decide");
    }
    n = err == CHORALE_OK ? tested(spot, nspot, p) : 0;
    for (size_t i = 0; err == CHORALE_OK && i < nspot; i++)
        count += spot[i].why == CHORALE_WHY_INSIGNIFICANT &&
                 fill(&spot[i], p, n, opts->fdr, &list[count]);
    if (err == CHORALE_OK) {
        qsort(list, count, sizeof(*list), compare_value);
        *list_p = list;
        *count_p = count;
        list = NULL;
    }
    free(list);
    free(p);
    for (size_t i = 0; i < nspot; i++)
        chorale_measured_release(&spot[i]);
    free(spot);
    return err;
}
