/* SPDX-License-Identifier: BSD-3-Clause */
/* changepoint.c - change points of simulated series are found where they are,
 * and nowhere else. */
#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tests/unit/tuner/noise.h"
#include "tuner/compare/changepoint.h"

#define N 40
#define ROUNDS 999

/* Make N values with noise of 1.5 %, a few outliers, and steps. */
static void make(double *x, uint64_t seed, size_t at, double step,
                 size_t back)
{
    struct random r = { .state = seed };

    for (size_t i = 0; i < N; i++) {
        x[i] = 0.015 * random_normal(&r);
        if (random_unit(&r) < 0.01)
            x[i] += 0.1;
        if (i >= at && i < back)
            x[i] += step;
    }
}

/* The place of the largest scaled energy, computed by definition. */
static size_t by_definition(const double *x, size_t n)
{
    double most = -1;
    size_t best = 0;

    for (size_t t = 2; t + 2 <= n; t++) {
        double a = 0, b = 0, c = 0, q, m = (double)t, k = (double)(n - t);

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                double d = fabs(x[i] - x[j]);

                a += i < t ? d : 0;
                b += j >= t ? d : 0;
                c += i >= t && j < t ? d : 0;
            }
        q = m * k / (m + k) * (2 * c / (m * k) - 2 * a / (m * (m - 1)) -
                               2 * b / (k * (k - 1)));
        if (q > most) {
            most = q;
            best = t;
        }
    }
    return best;
}

static void test_one(void)
{
    struct chorale_change change[N];
    double x[N];
    int found = 0, near = 0, alone = 0, right = 0, same = 0;

    for (uint64_t seed = 1; seed <= 100; seed++) {
        size_t at = 8 + seed % 24;
        long n;

        make(x, seed, at, 0.05, N);
        n = chorale_changes_find(x, N, 0.005, ROUNDS, seed, change);
        found += n >= 1;
        alone += n == 1;
        for (long i = 0; i < n; i++)
            if (labs((long)change[i].first - (long)at) <= 1) {
                near++;
                right += fabs(change[i].after - change[i].before - 0.05) <
                         0.015;
            }
        same += n == 1 && labs((long)change[0].first -
                               (long)by_definition(x, N)) <= 2;
    }
    tap_ok(found == 100, "a step of 5 %% is found (%d of 100)", found);
    tap_ok(near >= 95, "it is found within one run of its place (%d)", near);
    tap_ok(right >= near - 5, "its size is found (%d)", right);
    tap_ok(same >= 90,
           "its place is that of the largest energy by definition (%d)",
           same);
    tap_ok(alone >= 95, "no other change is found (%d)", alone);
}

static void test_none(void)
{
    struct chorale_change change[N];
    double x[N];
    int found = 0;

    for (uint64_t seed = 1; seed <= 400; seed++) {
        make(x, 1000 + seed, N, 0, N);
        found += chorale_changes_find(x, N, 0.05, ROUNDS, seed, change) > 0;
    }
    tap_ok(found >= 5 && found <= 32,
           "without a change, about 1 of 20 series shows one at 5 %% (%d of "
           "400)",
           found);
}

static void test_two(void)
{
    struct chorale_change change[N], same[N];
    double x[N];
    long n, again;

    make(x, 7, 12, 0.08, 27);
    n = chorale_changes_find(x, N, 0.01, ROUNDS, 3, change);
    again = chorale_changes_find(x, N, 0.01, ROUNDS, 3, same);
    if (n != 2)
        tap_diag("%ld changes, p %g", n, n > 0 ? change[0].p : NAN);
    tap_ok(n == 2 && labs((long)change[0].first - 12) <= 1 &&
               labs((long)change[1].first - 27) <= 1,
           "a step up and back gives two changes, in order");
    tap_ok(n == 2 && change[0].after > change[0].before &&
               change[1].after < change[1].before, "the first change goes up, "
                                                   "the second down");
    tap_ok(again == n && same[0].p == change[0].p,
           "the same seed gives the same p");
}

static void test_edges(void)
{
    static const double flat[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
                        exact[] = { 1, 1, 1 + 1e-12, 2, 2 };
    struct chorale_change change[N];

    tap_ok(chorale_changes_find(flat, 10, 0.05, 99, 1, change) == 0,
           "a series without any noise has no change");
    for (size_t n = 0; n < 4; n++)
        tap_ok(chorale_changes_find(flat, n, 0.05, 99, 1, change) == 0,
               "a series of %zu values has no change", n);
    tap_ok(chorale_changes_find_exact(exact, 5, change) == 1 &&
               change[0].first == 3 && change[0].before > 0.9 &&
               change[0].after == 2, "in an exact series each step is a "
                                     "change");
    tap_ok(fabs(chorale_changes_min_p(10) - 2 / 252.) < 1e-12,
           "the smallest p of ten runs is 2 / 252");
}

int main(void)
{
    test_one();
    test_none();
    test_two();
    test_edges();
    return tap_done();
}
