/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.c - order statistics (db/quantiles.h) equal values computed by
 * hand: quantiles, the median's interval from the binomial distribution, and
 * the effective number of correlated values. */
#include "db/quantiles.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { MANY = 20000 };

static void test_quantiles(void)
{
    static const struct {
        double q, value;
    } row[] = { { 0, 1 }, { 0.25, 1.75 }, { 0.5, 2.5 }, { 0.95, 3.85 },
                { 1, 4 } };
    const double x[] = { 1, 2, 3, 4 };
    double y[] = { 5, 1, 4, 2, 3 };
    struct chorale_summary s;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        tap_ok(fabs(chorale_quantile(x, 4, row[i].q) - row[i].value) < 1e-12,
               "quantile %g of 1 to 4 is %g", row[i].q, row[i].value);
    tap_ok(chorale_quantile(x, 1, 0.95) == 1,
           "the quantile of one value is that value");
    chorale_summarise(y, 5, &s);
    tap_ok(s.median == 3 && s.min == 1 && s.max == 5 && s.mean == 3 &&
               s.q25 == 2 && s.q75 == 4 && fabs(s.p99 - 4.96) < 1e-12,
           "the summary of 1 to 5 is right, in any order");
}

/* l is the largest with P(Binomial(n, 1/2) < l) <= 2.5 %, from either end. */
static void test_intervals(void)
{
    static const struct {
        size_t n, lo, hi;
    } row[] = { { 6, 0, 5 },   { 8, 0, 7 },   { 9, 1, 7 },     { 10, 1, 8 },
                { 20, 5, 14 }, { 50, 17, 32 }, { 70, 26, 43 }, { 100, 39, 60 },
                { 1000, 468, 531 } };
    size_t lo = 7, hi = 7;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        int rc = chorale_median_interval(row[i].n, &lo, &hi);

        tap_ok(rc == 0 && lo == row[i].lo && hi == row[i].hi,
               "the median's interval of %zu values is %zu to %zu", row[i].n,
               row[i].lo + 1, row[i].hi + 1);
    }
    tap_ok(chorale_median_interval(5, &lo, &hi) == -1 && lo == 468,
           "five values have no interval");
}

/* A first-order autoregressive process; the effective share of its values is
 * 1 / (1 + 2 sum over k of (2 / pi) asin(rho^k)). */
static void test_processes(double *x)
{
    static const struct {
        double rho, share;
    } row[] = { { 0, 1 }, { 0.3, 0.6445 }, { 0.5, 0.4335 }, { 0.9, 0.0753 },
                { 0.95, 0.0369 } };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);

    gsl_rng_set(r, 11);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double rho = row[i].rho, state = gsl_ran_gaussian(r, 1), share;

        for (int k = 0; k < MANY; k++) {
            state = rho * state + gsl_ran_gaussian(r, sqrt(1 - rho * rho));
            x[k] = exp(state); /* only the side of the median matters */
        }
        share = chorale_effective_size(x, MANY, 1) / MANY;
        tap_ok(fabs(share / row[i].share - 1) < 0.1,
               "correlation %g: the effective share is %.4f, by theory "
               "%.4f", rho, share, row[i].share);
    }
    gsl_rng_free(r);
}

static void test_series(double *x)
{
    struct chorale_summary s;

    for (int k = 0; k < 100; k++)
        x[k] = k % 2;
    tap_ok(chorale_effective_size(x, 100, 0.5) == 100,
           "alternating values all count");
    for (int k = 0; k < 100; k++)
        x[k] = 3;
    tap_ok(chorale_effective_size(x, 100, 3) == 100, "equal values all count");
    tap_ok(chorale_effective_size(x, 1, 3) == 1, "a single value counts");
    for (int k = 0; k < 100; k++)
        x[k] = k < 50 ? 1 + 1e-3 * k : 2 + 1e-3 * k;
    tap_ok(chorale_effective_size(x, 100, 1.5) < 6,
           "of values with one jump, fewer than 6 of 100 count");
    chorale_summarise(x, 100, &s);
    tap_ok(isnan(s.lo) && isnan(s.hi), "values with one jump have no interval");
    tap_ok(s.nrep == 100 && s.min == 1 && fabs(s.max - 2.099) < 1e-12 &&
               fabs(s.median - 1.5495) < 1e-12,
           "values with one jump have median, minimum and maximum");
    /* Runs of four on one side: of 99 pairs 75 agree, 24 do not. */
    for (int k = 0; k < 100; k++)
        x[k] = (k / 4 % 2 ? 2 : 1) + 1e-3 * (k * 37 % 100);
    tap_ok(fabs(chorale_effective_size(x, 100, 1.5) - 22.23) < 0.1,
           "runs of four: %.2f of 100 values count",
           chorale_effective_size(x, 100, 1.5));
    chorale_summarise(x, 100, &s);
    tap_ok(s.lo < s.median && s.hi > s.median,
           "runs of four still have an interval");
}

int main(void)
{
    double *x = malloc(MANY * sizeof(*x));

    if (x == NULL)
        return 1;
    test_quantiles();
    test_intervals();
    test_processes(x);
    test_series(x);
    free(x);
    return tap_done();
}
