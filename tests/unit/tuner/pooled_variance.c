/* SPDX-License-Identifier: BSD-3-Clause */
/* pooled_variance.c - variances from few launches are pooled over points: the
 * fit recovers the common distribution, and tests with pooled variances keep
 * their error rate and find gains, for equal points, different ones, and with
 * outliers. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/decide/pooled_variance.h"

enum { POINTS = 20000, LAUNCHES = 3 };

struct points {
    double mean[POINTS], variance[POINTS], dof[POINTS];
};

/* Draw points. The variances of points have a distribution with `common`
 * degrees of freedom (0: all equal); a share of `odd` has ten times as much
 * noise. */
static void draw(struct points *p, double gain, double common, double odd)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

    gsl_rng_set(rng, 5);
    for (int i = 0; i < POINTS; i++) {
        double x[LAUNCHES], sd = 0.02, sum = 0, squares = 0;

        if (common > 0)
            sd *= sqrt(common / gsl_ran_chisq(rng, common));
        if (gsl_rng_uniform(rng) < odd)
            sd *= 10;
        for (int l = 0; l < LAUNCHES; l++) {
            x[l] = gain + gsl_ran_gaussian(rng, sd);
            sum += x[l];
        }
        p->mean[i] = sum / LAUNCHES;
        for (int l = 0; l < LAUNCHES; l++)
            squares += pow(x[l] - p->mean[i], 2);
        p->dof[i] = LAUNCHES - 1;
        p->variance[i] = squares / p->dof[i];
    }
    gsl_rng_free(rng);
}

/* Share of points with a significant gain at that level, two-sided. */
static double found(const struct points *p, double level, int alone)
{
    struct chorale_spread spread = chorale_spread_fit(p->variance, p->dof,
                                                      POINTS);
    double n = 0;

    for (int i = 0; i < POINTS; i++) {
        double dof = p->dof[i];
        double v = chorale_spread_variance(alone ? NULL : &spread,
                                           p->variance[i], &dof);

        n += 2 * gsl_cdf_tdist_Q(fabs(p->mean[i]) / sqrt(v / LAUNCHES),
                                 dof) <= level;
    }
    return n / POINTS;
}

static void test_fit(struct points *p)
{
    struct chorale_spread s;

    draw(p, 0, 4, 0);
    s = chorale_spread_fit(p->variance, p->dof, POINTS);
    tap_ok(fabs(s.dof - 4) < 0.4 && fabs(s.variance / 4e-4 - 1) < 0.05 &&
           s.most == 2 * POINTS,
           "the common distribution is found: %.3g of 4 degrees of freedom, "
           "%.3g of "
           "4e-4", s.dof, s.variance);
    draw(p, 0, 0, 0);
    s = chorale_spread_fit(p->variance, p->dof, POINTS);
    tap_ok(s.dof > 100 && fabs(s.variance / 4e-4 - 1) < 0.05,
           "equal variances give many degrees of freedom: %.3g, %.3g", s.dof,
           s.variance);
    for (int i = 0; i < POINTS; i++)
        p->variance[i] *= 1e4;
    tap_ok(fabs(chorale_spread_fit(p->variance, p->dof, POINTS).variance /
                s.variance / 1e4 - 1) < 1e-9, "the fit scales with the unit");
    for (int i = 0; i < POINTS; i += 2)
        p->dof[i] = -1; /* fewer than two launches */
    s = chorale_spread_fit(p->variance, p->dof, POINTS);
    tap_ok(s.most == POINTS, "points without a variance do not count");
}

static void test_little(struct points *p)
{
    double dof = 2, nothing[4] = { 0, 0, 0, 1 }, two[4] = { 2, 2, 2, 2 };

    draw(p, 0, 0, 0);
    tap_ok(chorale_spread_fit(p->variance, p->dof, 2).dof == 0 &&
           chorale_spread_fit(p->variance, p->dof, 0).dof == 0,
           "two points or none give no fit");
    tap_ok(chorale_spread_fit(nothing, two, 4).dof == 0,
           "exact times give no fit");
    for (int i = 0; i < 4; i++)
        nothing[i] = i == 0 ? 0 : 1;
    tap_ok(chorale_spread_fit(nothing, two, 4).dof > 0 &&
           isfinite(chorale_spread_fit(nothing, two, 4).variance),
           "a single exact point among others does no harm");
    tap_ok(chorale_spread_variance(NULL, 3, &dof) == 3 && dof == 2,
           "without a fit a point has its own variance");
}

static void test_rule(void)
{
    struct chorale_spread s = { 2, 4, 1000 }, all = { 2, INFINITY, 1000 };
    struct chorale_spread few = { 2, 4, 5 };
    double dof = 2, v = chorale_spread_variance(&s, 1, &dof);

    tap_ok(fabs(v - 10.0 / 6) < 1e-12 && dof == 6,
           "a small variance is raised towards the common one: %g, %g", v, dof);
    dof = 2;
    v = chorale_spread_variance(&s, 3, &dof);
    tap_ok(v == 3 && dof == 6, "a larger variance is kept: %g, %g", v, dof);
    dof = 2;
    v = chorale_spread_variance(&s, 200, &dof);
    tap_ok(v == 200 && dof == 2, "an outlying variance is not pooled: %g, %g",
           v, dof);
    dof = 2;
    v = chorale_spread_variance(&all, 1, &dof);
    tap_ok(v == 2 && dof == 1000,
           "with equal variances the common one is used: %g, %g",
           v, dof);
    dof = 2;
    v = chorale_spread_variance(&all, 20, &dof);
    tap_ok(v == 20 && dof == 2,
           "with equal variances an outlier is not pooled: %g, %g", v, dof);
    dof = 2;
    chorale_spread_variance(&few, 1, &dof);
    tap_ok(dof == 5,
           "degrees of freedom do not exceed those of all points: %g", dof);
}

/* Without a gain, significant results are at most as frequent as the level.
 * With a gain, they are much more frequent than without pooling. */
static void test_rates(struct points *p)
{
    static const double common[] = { 0, 10, 3 };
    double share;

    for (int i = 0; i < 3; i++) {
        draw(p, 0, common[i], 0);
        share = found(p, 0.05, 0);
        tap_ok(share <= 0.055,
               "no gain, %g common degrees of freedom: %.2f %% at 5 %%",
               common[i], 100 * share);
        share = found(p, 0.001, 0);
        tap_ok(share <= 0.0015, "and %.3f %% at 0.1 %%", 100 * share);
    }
    draw(p, 0, 0, 0.1);
    share = found(p, 0.05, 0);
    tap_ok(share <= 0.055,
           "10 %% of points with tenfold noise: %.2f %% at 5 %%",
           100 * share);
    share = found(p, 0.001, 0);
    tap_ok(share <= 0.002, "and %.3f %% at 0.1 %%", 100 * share);
    draw(p, 0.08, 0, 0);
    share = found(p, 0.001, 0);
    tap_ok(share > 0.9 && found(p, 0.001, 1) < 0.1,
           "8 %% at 2 %% of noise: found at 0.1 %% in %.1f %%, without pooling "
           "in %.1f "
           "%%", 100 * share, 100 * found(p, 0.001, 1));
}

int main(void)
{
    struct points *p = malloc(sizeof(*p));

    if (p == NULL)
        return 99;
    test_fit(p);
    test_little(p);
    test_rule();
    test_rates(p);
    free(p);
    return tap_done();
}
