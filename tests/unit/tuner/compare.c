/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - rank tests, single verdicts, and whole comparisons of simulated
 * machines by seed. tests/bench/calibrate.c makes enough comparisons to measure
 * error rates. */
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/trial.h"

#define SERIES(a) { a, sizeof(a) / sizeof((a)[0]) }

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* P(U >= u) of n and m values, by enumerating all choices of n ranks. */
static double try_two(int n, int m, int u)
{
    int good = 0, all = 0;

    for (unsigned set = 0; set < 1u << (n + m); set++) {
        unsigned x = 0, votes = 0;

        if (__builtin_popcount(set) != n)
            continue;
        for (int rank = 0; rank < n + m; rank++) {
            x += set >> rank & 1;
            votes += set >> rank & 1 ? 0 : x;
        }
        good += (int)votes >= u;
        all++;
    }
    return (double)good / all;
}

static void test_two(struct chorale_ranks *ranks)
{
    struct chorale_shift s;
    int good = 1;

    /* x at 0, 10, ...; y so that u pairs are above. */
    for (int n = 1; n <= 5; n++)
        for (int m = 1; m <= 5; m++)
            for (int u = 0; u <= n * m; u++) {
                double x[5], y[5];
                int left = u;

                for (int i = 0; i < n; i++)
                    x[i] = 10 * i;
                for (int i = 0; i < m; i++) {
                    int votes = left < n ? left : n;

                    y[i] = 10 * votes - 5 + 0.1 * i;
                    left -= votes;
                }
                good &= chorale_ranks_shift(ranks, x, (size_t)n, y, (size_t)m,
                                            &s) == 0 &&
                        near(s.p_up, try_two(n, m, u)) &&
                        near(s.p_down, try_two(n, m, n * m - u));
            }
    tap_ok(good, "two samples: p equals that of all orders");
    chorale_ranks_shift(ranks, (double[]){ 1, 1, 1 }, 3,
                        (double[]){ 1, 1, 1 }, 3, &s);
    tap_ok(s.p_up == 1 && s.p_down == 1 && s.estimate == 0,
           "equal samples give p = 1");
    tap_ok(s.lo == -INFINITY && s.hi == INFINITY,
           "three values a side have no 95 %% interval");
    chorale_ranks_shift(ranks, (double[]){ 1, 2, 3, 4 }, 4,
                        (double[]){ 11, 12, 13, 14 }, 4, &s);
    tap_ok(near(s.p_up, chorale_shift_two_min_p(4, 4)) &&
               near(s.p_up, 1 / 70.) && s.estimate == 10 && s.lo == 7 &&
               s.hi == 13,
           "four values a side have one, and 1/70 is their smallest p");
}

static void test_paired(struct chorale_ranks *ranks)
{
    struct chorale_shift s;
    double zero[12] = { 0 };
    int good = 1;

    for (int n = 1; n <= 10; n++)
        for (unsigned signs = 0; signs < 1u << n; signs += 1 + signs / 7) {
            double y[12];
            int w = 0, up = 0, down = 0;

            for (int i = 0; i < n; i++) {
                y[i] = (signs >> i & 1 ? 1 : -1) * (i + 1 + 0.01 * i * i);
                w += signs >> i & 1 ? i + 1 : 0;
            }
            for (unsigned set = 0; set < 1u << n; set++) {
                int v = 0;

                for (int i = 0; i < n; i++)
                    v += set >> i & 1 ? i + 1 : 0;
                up += v >= w;
                down += v <= w;
            }
            good &= chorale_shift_paired(ranks, zero, y, (size_t)n, &s) == 0 &&
                    near(s.p_up, up / exp2(n)) &&
                    near(s.p_down, down / exp2(n));
        }
    tap_ok(good, "pairs: p equals that of all signs");
    tap_ok(near(chorale_shift_paired_min_p(5), 1 / 32.),
           "1/32 is the smallest p of five pairs");
}

/* The first samples beyond the exact tables, and the last within them. */
static void test_large(struct chorale_ranks *ranks)
{
    struct random r = { .state = 3 };
    struct chorale_shift a, b, c, d;
    double x[64], y[64];

    for (int i = 0; i < 64; i++) {
        x[i] = random_normal(&r);
        y[i] = 0.5 + random_normal(&r);
    }
    chorale_ranks_shift(ranks, x, 50, y, 50, &a);
    chorale_ranks_shift(ranks, x, 50, y, 51, &b);
    chorale_shift_paired(ranks, x, y, 50, &c);
    chorale_shift_paired(ranks, x, y, 51, &d);
    tap_ok(fabs(log(a.p_up / b.p_up)) < 0.7 && fabs(a.lo - b.lo) < 0.1 &&
               fabs(a.hi - b.hi) < 0.1 && fabs(log(c.p_up / d.p_up)) < 0.7 &&
               fabs(c.lo - d.lo) < 0.1,
           "exact and normal p are continuous (%.3g %.3g, %.3g %.3g)",
           a.p_up, b.p_up, c.p_up, d.p_up);
}

/* How often the interval covers the truth. */
static void test_coverage(struct chorale_ranks *ranks)
{
    struct random r = { .state = 11 };
    int inside = 0, pairs = 0;

    for (int k = 0; k < 2000; k++) {
        double x[6], y[6];
        struct chorale_shift s;

        for (int i = 0; i < 6; i++) {
            x[i] = random_normal(&r);
            y[i] = 0.7 + random_normal(&r);
        }
        chorale_ranks_shift(ranks, x, 6, y, 6, &s);
        inside += s.lo <= 0.7 && 0.7 <= s.hi;
        chorale_shift_paired(ranks, x, y, 6, &s);
        pairs += s.lo <= 0.7 && 0.7 <= s.hi;
    }
    tap_ok(inside >= 1900 && inside <= 1960,
           "the interval of six launches a side covers 95 %% or a little more"
           " (%d of 2000)", inside);
    tap_ok(pairs >= 1900 && pairs <= 1980,
           "the interval of six pairs covers as often (%d)",
           pairs);
}

static void test_adjust(void)
{
    double p[] = { 0.01, NAN, 0.04, 0.03, 0.5 }, a[5];
    size_t work[5];

    chorale_adjust_holm(p, 5, 4, a, work);
    tap_ok(near(a[0], 0.04) && isnan(a[1]) && near(a[3], 0.09) &&
               near(a[2], 0.09) && near(a[4], 0.5), "Holm");
    chorale_adjust_holm(p, 5, 100, a, work);
    tap_ok(near(a[0], 1) && near(a[4], 1),
           "Holm's correction in a larger family");
    chorale_adjust_bh(p, 5, a, work);
    tap_ok(near(a[0], 0.04) && isnan(a[1]) && near(a[3], 0.16 / 3) &&
               near(a[2], 0.16 / 3) && near(a[4], 0.5),
           "Benjamini and Hochberg's correction");
    tap_ok(chorale_compare_pairs(200, 0.005) == 16 &&
               chorale_compare_launches(2000, 0.005) == 11,
           "the launches needed for a red verdict are computed");
}

/* Single cells: base around 0, the others as named. */
static const double base[] = { -0.01, 0.004, 0.011, -0.003, 0.006, -0.008 },
                    same[] = { -0.009, 0.003, 0.01, -0.002, 0.007, -0.007 },
                    up[] = { 0.09, 0.104, 0.111, 0.097, 0.106, 0.092 },
                    down[] = { -0.11, -0.096, -0.089, -0.103, -0.094, -0.108 },
                    wild[] = { -0.3, 0.4, 0.01, -0.2, 0.3, 0.02 },
                    few[] = { 0.09, 0.104 };

static enum chorale_verdict_kind judge(struct chorale_compared *c,
                                       struct chorale_canary *canary,
                                       int unpaired)
{
    struct chorale_compare_opts opts = CHORALE_COMPARE_DEFAULTS;

    opts.unpaired = unpaired;
    c->canaries = canary != NULL;
    if (chorale_compare_judge(c, 1, canary, canary != NULL, &opts) != 0)
        return CHORALE_NVERDICT;
    return c->verdict;
}

static void test_verdicts(void)
{
    struct chorale_compared c = { .sides = { SERIES(base), SERIES(same),
                                             { NULL, 0 }, { NULL, 0 }, 0 } };
    double again_base[20], again_up[20];

    for (int i = 0; i < 20; i++) {
        again_base[i] = base[i % 6];
        again_up[i] = up[(i + 1) % 6];
    }
    tap_ok(judge(&c, NULL, 0) == CHORALE_SAME, "same");
    c.sides.head = (struct chorale_series)SERIES(wild);
    tap_ok(judge(&c, NULL, 0) == CHORALE_UNDECIDED, "undecided");
    c.sides.head = (struct chorale_series)SERIES(down);
    tap_ok(judge(&c, NULL, 0) == CHORALE_FASTER, "faster");
    c.sides.head = (struct chorale_series)SERIES(few);
    tap_ok(judge(&c, NULL, 0) == CHORALE_TOO_FEW,
           "one value a side: not enough data");
    c.sides.head = (struct chorale_series){ NULL, 0 };
    tap_ok(judge(&c, NULL, 0) == CHORALE_GONE, "gone");
    c.sides.head = c.sides.base;
    c.sides.base = (struct chorale_series){ NULL, 0 };
    tap_ok(judge(&c, NULL, 0) == CHORALE_NEW, "new");
    c.sides.base = (struct chorale_series)SERIES(base);
    c.sides.head = (struct chorale_series)SERIES(up);
    tap_ok(judge(&c, NULL, 0) == CHORALE_SUSPECT && c.looks_slower,
           "a cell that looks slower is to be measured again");
    tap_ok(judge(&c, NULL, 1) == CHORALE_SLOWER && !c.again,
           "without pairing a slower cell is red at once");
    c.sides.again_head = (struct chorale_series){ again_up, 20 };
    tap_ok(judge(&c, NULL, 0) == CHORALE_SUSPECT,
           "a second measurement of head alone is not enough");
    tap_ok(judge(&c, NULL, 1) == CHORALE_SLOWER,
           "without pairing, head alone is enough");
    c.sides.again_base = (struct chorale_series){ again_base, 20 };
    tap_ok(judge(&c, NULL, 0) == CHORALE_SUSPECT,
           "base and head measured one after the other are not enough");
    c.sides.paired = 1;
    tap_ok(judge(&c, NULL, 0) == CHORALE_SLOWER && c.again &&
               fabs(c.shift.estimate - 0.1) < 0.01 && c.shift.lo > 0.09 &&
               c.shift.hi < 0.11,
           "interleaved they are, with the ratio of the second measurement");
    c.sides.again_head = c.sides.again_base;
    tap_ok(judge(&c, NULL, 0) == CHORALE_SAME && c.again,
           "a cell that is not slower again is the same");
    c.sides.again_head = (struct chorale_series){ again_up, 19 };
    tap_ok(judge(&c, NULL, 0) == CHORALE_SUSPECT,
           "incomplete pairs do not count");
}

static void test_canary(void)
{
    struct chorale_compared c = { .sides = { SERIES(base), SERIES(up),
                                             { NULL, 0 }, { NULL, 0 }, 0 } };
    struct chorale_canary bird = { .name = "messages",
                                   .sides = { SERIES(base), SERIES(same),
                                              { NULL, 0 }, { NULL, 0 }, 0 } };

    tap_ok(judge(&c, &bird, 1) == CHORALE_SLOWER && c.machine == 0,
           "an unchanged machine: the cell is slower");
    bird.sides.head = (struct chorale_series)SERIES(up);
    tap_ok(judge(&c, &bird, 1) == CHORALE_MACHINE && c.machine > 0.09,
           "a machine as much slower as the cell: the machine is slower");
    c.sides.head = (struct chorale_series)SERIES(down);
    bird.sides.head = (struct chorale_series)SERIES(down);
    tap_ok(judge(&c, &bird, 1) == CHORALE_MACHINE,
           "a machine as much faster as the cell: the machine is faster");
    bird.sides.head = (struct chorale_series)SERIES(up);
    tap_ok(judge(&c, &bird, 1) == CHORALE_FASTER,
           "a cell that is faster on a slower machine is faster");
}

/* Whole comparisons, determined by the seeds. */
static void test_trials(void)
{
    static const struct noise plain = NOISE_PLAIN, full = NOISE_FULL;
    struct trial t = { .noise = full, .ncell = 400, .first = 6,
                       .again = CHORALE_COMPARE_AGAIN, .way = TRIAL_PAIRED };
    struct outcome out;
    struct bench_trial b;
    size_t red = 0, looked = 0, found = 0;

    if (!tap_ok(trial_alloc(&b, &t) == 0, "memory"))
        return;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        t.shift = seed % 2 == 0 ? 0.05 : 0;
        trial_run(&t, &b, seed, &out);
        red += out.red;
        looked += out.flagged;
    }
    tap_ok(red == 0, "25 comparisons of 400 unchanged cells: no cell is red");
    tap_ok(looked > 500, "many cells looked slower at first (%zu)", looked);
    t.noise = plain;
    t.shift = 0;
    t.nslow = 40;
    t.effect = log1p(0.05);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        trial_run(&t, &b, seed, &out);
        found += out.found;
        red += out.red;
    }
    tap_ok(found == 400 && red == 0,
           "all 400 cells that are 5 %% slower are found (%zu), and no others",
           found);
    trial_release(&b);
}

int main(void)
{
    struct chorale_ranks *ranks = chorale_ranks_new();

    if (tap_ok(ranks != NULL, "tables")) {
        test_two(ranks);
        test_paired(ranks);
        test_large(ranks);
        test_coverage(ranks);
    }
    chorale_ranks_free(ranks);
    test_adjust();
    test_verdicts();
    test_canary();
    test_trials();
    return tap_done();
}
