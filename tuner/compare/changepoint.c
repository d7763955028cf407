/* SPDX-License-Identifier: BSD-3-Clause */
/* changepoint.c - E-divisive change detection with permutation tests. */
#include "tuner/compare/changepoint.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 2 /* least values of a segment */
#define EXACT 1e-9

struct best {
    double q;                /* scaled energy; -1: cannot be split */
    size_t first;
};

/* The best place to split x[from, to). One pass computes the energies of all
 * places, by updating the sums when a value moves to the left side. */
static struct best split(const double *x, size_t from, size_t to)
{
    struct best best = { -1, from };
    double left = 0, right = 0, across = 0; /* sums of distances */

    for (size_t i = from; i < to; i++)
        for (size_t k = from; k < i; k++)
            right += fabs(x[i] - x[k]);
    for (size_t i = from; i + LEAST < to; i++) {
        double to_left = 0, to_right = 0;
        double m = (double)(i + 1 - from), n = (double)(to - i - 1), q;

        for (size_t k = from; k < i; k++)
            to_left += fabs(x[i] - x[k]);
        for (size_t k = i + 1; k < to; k++)
            to_right += fabs(x[i] - x[k]);
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        if (m < LEAST)
            continue;
        q = 2 * across / (m * n) - left / (m * (m - 1) / 2) -
            right / (n * (n - 1) / 2);
        q *= m * n / (m + n);
        if (q > best.q)
            best = (struct best){ q, i + 1 };
    }
    return best;
}

/* The best place over all segments. They begin at cut[0 ... ncut - 1], with
 * cut[0] = 0, and the last ends at n. */
static struct best split_any(const double *x, const size_t *cut, size_t ncut,
                             size_t n)
{
    struct best best = { -1, 0 };

    for (size_t s = 0; s < ncut; s++) {
        struct best b = split(x, cut[s], s + 1 < ncut ? cut[s + 1] : n);

        if (b.q > best.q)
            best = b;
    }
    return best;
}

static uint64_t bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void shuffle(double *x, size_t from, size_t to, uint64_t *state)
{
    for (size_t i = to; i > from + 1; i--) {
        size_t k = from + (size_t)(bits(state) % (i - from));
        double t = x[i - 1];

        x[i - 1] = x[k];
        x[k] = t;
    }
}

/* The p value of energy q. Returns early, above level, once p > level is
 * certain. */
static double permute(double *x, const size_t *cut, size_t ncut, size_t n,
                      double q, double level, long rounds, uint64_t *state)
{
    long above = 0, most = (long)(level * (double)(rounds + 1));

    for (long k = 1; k <= rounds; k++) {
        for (size_t s = 0; s < ncut; s++)
            shuffle(x, cut[s], s + 1 < ncut ? cut[s + 1] : n, state);
        /* Tolerance: shuffled sums are rounded differently. */
        above += split_any(x, cut, ncut, n).q >= q * (1 - 1e-9);
        if (above >= most)
            return fmax((double)above / (double)k,
                        (double)(above + 1) / (double)(rounds + 1));
    }
    return (double)(above + 1) / (double)(rounds + 1);
}

static double median(const double *x, size_t n, double *work)
{
    memcpy(work, x, n * sizeof(*work));
    gsl_sort(work, 1, n);
    return (work[(n - 1) / 2] + work[n / 2]) / 2;
}

/* The absolute deviations of x[from, at) and x[at, to) from their medians. */
static double absolute_deviation(const double *x, size_t from, size_t at,
                                 size_t to,
                                 double *work)
{
    double a = median(x + from, at - from, work), sum = 0;
    double b = median(x + at, to - at, work);

    for (size_t i = from; i < to; i++)
        sum += fabs(x[i] - (i < at ? a : b));
    return sum;
}

/* Move each change to where two levels fit best. The energy is also large next
 * to an outlier. */
static void settle(const double *x, size_t n, struct chorale_change *change,
                   size_t count, double *work)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = i > 0 ? change[i - 1].first : 0;
        size_t to = i + 1 < count ? change[i + 1].first : n;
        double least = absolute_deviation(x, from, change[i].first, to, work);

        for (size_t at = from + LEAST; at + LEAST <= to; at++) {
            double left = absolute_deviation(x, from, at, to, work);

            if (left < least - 1e-12) {
                least = left;
                change[i].first = at;
            }
        }
    }
}

/* Set the medians on both sides of each change. */
static void levels(const double *x, size_t n, struct chorale_change *change,
                   size_t count, double *work)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = i > 0 ? change[i - 1].first : 0;
        size_t to = i + 1 < count ? change[i + 1].first : n;

        change[i].before = median(x + from, change[i].first - from, work);
        change[i].after = median(x + change[i].first, to - change[i].first,
                                 work);
    }
}

/* Insert a change, and its cut, in order. */
static void insert(struct chorale_change *change, size_t *cut, size_t *ncut,
                   size_t first, double p)
{
    size_t i = *ncut;

    for (; i > 0 && cut[i - 1] > first; i--) {
        cut[i] = cut[i - 1];
        if (i >= 2)
            change[i - 1] = change[i - 2];
    }
    cut[i] = first;
    change[i - 1] = (struct chorale_change){ first, p, NAN, NAN };
    ++*ncut;
}

long chorale_changes_find(const double *x, size_t n, double level, long rounds,
                          uint64_t seed, struct chorale_change *change)
{
    double *work = malloc((n + 1) * sizeof(*work));
    size_t *cut = malloc((n + 1) * sizeof(*cut)), ncut = 1;
    uint64_t state = seed;
    long count = -1;

    if (work == NULL || cut == NULL)
        goto out;
    cut[0] = 0;
    for (;;) {
        struct best b = split_any(x, cut, ncut, n);
        double p;

        if (!(b.q > 0))
            break;
        memcpy(work, x, n * sizeof(*work));
        p = permute(work, cut, ncut, n, b.q, level, rounds, &state);
        if (p > level)
            break;
        insert(change, cut, &ncut, b.first, p);
    }
    settle(x, n, change, ncut - 1, work);
    levels(x, n, change, ncut - 1, work);
    count = (long)ncut - 1;
out:
    free(work);
    free(cut);
    return count;
}

long chorale_changes_find_exact(const double *x, size_t n,
                                struct chorale_change *change)
{
    long count = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(x[i] - x[i - 1]) > EXACT)
            change[count++] = (struct chorale_change){ i, 0, x[i - 1], x[i] };
    return count;
}

double chorale_changes_min_p(size_t n)
{
    double half = (double)(n / 2);

    return fmin(1, 2 * exp(lgamma(half + 1) + lgamma((double)n - half + 1) -
                           lgamma((double)n + 1)));
}
