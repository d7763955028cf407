/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.c - order statistics of one run's repetitions. */
#include "db/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_PI 1.5707963267948966
#define MOST_RHO 0.99
#define CHANCE 1.64          /* standard errors: one-sided 5 % level */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void chorale_sort(double *x, size_t n)
{
    qsort(x, n, sizeof(*x), compare);
}

double chorale_quantile(const double *x, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;

    if (i + 1 >= n)
        return x[n - 1];
    return x[i] + (at - (double)i) * (x[i + 1] - x[i]);
}

/* Largest l with P(Binomial(n, 1/2) < l) <= 2.5 %: the l-th smallest and the
 * l-th largest values enclose the median. 0: n is too small. */
static size_t median_rank(size_t n)
{
    if (n > 70) /* normal approximation, at most one rank too wide */
        return (size_t)floor((double)n / 2 - 0.98 * sqrt((double)n));
    double p = pow(0.5, (double)n), cdf = p;
    size_t l = 0;

    while (cdf <= 0.025) {
        l++;
        p *= (double)(n - l + 1) / (double)l;
        cdf += p;
    }
    return l;
}

int chorale_median_interval(size_t n, size_t *lo, size_t *hi)
{
    size_t l = median_rank(n);

    if (l == 0)
        return -1;
    *lo = l - 1;
    *hi = n - l;
    return 0;
}

double chorale_effective_size(const double *x, size_t n, double median)
{
    double sum = 0, rho, power, spread = 1;
    size_t pairs = 0;

    for (size_t i = 1; i < n; i++) {
        double a = x[i - 1] - median, b = x[i] - median;

        if (a * b > 0)
            sum += 1;
        else if (a * b < 0)
            sum -= 1;
        pairs += a * b > 0 || a * b < 0;
    }
    if (sum <= CHANCE * sqrt((double)pairs))
        return (double)n;
    rho = sin(HALF_PI * sum / (double)pairs);
    if (rho > MOST_RHO)
        rho = MOST_RHO;
    power = rho;
    for (size_t k = 1; k < n && power > 1e-4; k++, power *= rho)
        spread += 2 * asin(power) / HALF_PI;
    return (double)n / spread;
}

/* Interval of the median of correlated values: that of `effective` independent
 * ones. */
static void correlated_interval(const double *x, size_t n, double effective,
                                struct chorale_summary *s)
{
    double half = 0.98 * (double)n / sqrt(effective);
    double l = floor((double)n / 2 - half);

    if (l < 1 || effective < 6)
        return;
    s->lo = x[(size_t)l - 1];
    s->hi = x[n - (size_t)l];
}

void chorale_summarise(double *x, size_t n, struct chorale_summary *s)
{
    size_t lo, hi;
    double sum = 0, effective;
    double *order = malloc(n * sizeof(*order));

    /* Out of memory: treat the values as independent. */
    if (order != NULL)
        memcpy(order, x, n * sizeof(*order));
    chorale_sort(x, n);
    effective = order == NULL
                    ? (double)n
                    : chorale_effective_size(order, n,
                                             chorale_quantile(x, n, 0.5));
    free(order);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    s->nrep = n;
    s->mean = sum / (double)n;
    s->min = x[0];
    s->q25 = chorale_quantile(x, n, 0.25);
    s->median = chorale_quantile(x, n, 0.5);
    s->q75 = chorale_quantile(x, n, 0.75);
    s->p95 = chorale_quantile(x, n, 0.95);
    s->p99 = chorale_quantile(x, n, 0.99);
    s->max = x[n - 1];
    s->lo = s->hi = NAN;
    if (effective < (double)n) {
        correlated_interval(x, n, effective, s);
    } else if (chorale_median_interval(n, &lo, &hi) == 0) {
        s->lo = x[lo];
        s->hi = x[hi];
    }
}
