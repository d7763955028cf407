/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - order statistics: see order.h. */
#include "db/order.h"

#include <math.h>
#include <stdlib.h>

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
 * l-th largest values enclose the median. 0: none. */
static size_t median_rank(size_t n)
{
    if (n > 70) /* normal approximation with continuity correction */
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

void chorale_summarise(double *x, size_t n, struct chorale_summary *s)
{
    size_t lo, hi;
    double sum = 0;

    chorale_sort(x, n);
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
    if (chorale_median_interval(n, &lo, &hi) == 0) {
        s->lo = x[lo];
        s->hi = x[hi];
    }
}
