/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - alpha, beta and tau come back from times made from them: exactly
 * without noise, within 1 % with noise and outliers; what cannot be told
 * apart is refused. */
#include "tuner/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/kinds.h"
#include "db/order.h"
#include "tests/tap.h"
#include "tuner/model.h"

#define ALPHA 1.0128e-6
#define BETA 8e-10
#define TAU 2.5e-10
#define MAX_RUNS 20000

static const char shape[] = "one-per-node", type[] = "double", none[] = "",
                  sum[] = "sum", builtin[] = "builtin", byte[] = "byte",
                  chorale[] = "chorale", rotate[] = "rotate warm";

static struct chorale_run_point runs[MAX_RUNS];

/* Uniform in (0, 1): splitmix64. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    double u = uniform(state);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(state));
}

/* 5 % log-normal, and one in a hundred 5 to 50 times too long. */
static double noise(uint64_t *state)
{
    double factor = exp(0.05 * normal(state));

    if (uniform(state) < 0.01)
        factor *= 5 + 45 * uniform(state);
    return factor;
}

/* Runs of one variant over process counts and sizes in launches; seed 0 is
 * without noise. */
static size_t add_variant(size_t n, const struct chorale_alg *alg,
                          int launches, double alpha, double beta, double tau,
                          uint64_t *seed)
{
    static const int P[] = { 2, 3, 4, 8, 13, 16 };
    int reduces = chorale_coll_info(alg->coll)->reduces;

    for (size_t p = 0; p < sizeof(P) / sizeof(P[0]); p++)
        for (size_t m = 8; m <= 1 << 20; m *= 8)
            for (int l = 0; l < launches; l++) {
                struct chorale_run_point *r = &runs[n];
                struct chorale_point pt = { 0 };
                double a, b, c;

                *r = (struct chorale_run_point){
                    alg->coll, P[p], 1, shape, reduces ? type : byte,
                    reduces ? sum : none, reduces ? builtin : none, m,
                    chorale_coll_n(alg->coll, m, P[p]), chorale, alg->name,
                    none, rotate, none, l, 1, 0,
                };
                pt.comm_size = P[p];
                pt.msg_size = m;
                pt.n = r->n;
                pt.type_size = chorale_dtype_size(r->dtype);
                pt.commutative = 1;
                chorale_alg_params_parse(alg, "", pt.param, NULL, 0);
                if (chorale_alg_refuses(alg, &pt) != NULL ||
                    !chorale_alg_modelled(alg, &pt))
                    continue;
                chorale_alg_cost_policy(alg, &pt, "rotate", &a, &b, &c);
                r->seconds = a * alpha + b * beta + c * tau;
                if (*seed != 0)
                    r->seconds *= noise(seed);
                n++;
            }
    return n;
}

static struct chorale_points whole_catalogue(int launches, double alpha,
                                             double beta, double tau,
                                             uint64_t seed)
{
    size_t n = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (chorale_algs[i]->core &&
            !chorale_coll_info(chorale_algs[i]->coll)->dataless)
            n = add_variant(n, chorale_algs[i], launches, alpha, beta, tau,
                            &seed);
    return (struct chorale_points){ runs, n, NULL };
}

static int near(double value, double truth, double tolerance)
{
    return fabs(value - truth) <= tolerance * truth;
}

static void test_exact(void)
{
    struct chorale_points points = whole_catalogue(1, ALPHA, BETA, TAU, 0);
    struct chorale_model m;
    struct chorale_errmsg msg = { "" };
    const double *v = m.fit.value;

    if (!tap_ok(chorale_model_fit(&points, "s", &m, &msg) == CHORALE_OK,
                "exact times are fitted")) {
        tap_diag("%s", msg.text);
        return;
    }
    tap_ok(near(v[0], ALPHA, 1e-9), "alpha is recovered within 1e-9");
    tap_ok(near(v[1], BETA, 1e-9), "beta is recovered within 1e-9");
    tap_ok(m.ntau == 1 && m.tau[0].column == 2 && near(v[2], TAU, 1e-9),
           "tau is recovered within 1e-9");
    tap_ok(m.fit.lo[0] <= ALPHA * (1 + 1e-9) && m.fit.hi[0] < ALPHA * 1.001,
           "the interval of an exact alpha is narrow");
    tap_ok(m.trusted && m.fit.worst_error < 1e-9 && m.nvariant > 5,
           "an exact model is trusted, with a row for each variant");
    chorale_model_release(&m);
}

static void test_zeros(void)
{
    static const struct {
        const char *name;
        double alpha, beta, tau;
    } cases[] = {
        { "free reductions give tau = 0", ALPHA, BETA, 0 },
        { "a free byte gives beta = 0", ALPHA, 0, TAU },
        { "a free message gives alpha = 0", 0, BETA, TAU },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct chorale_points points = whole_catalogue(
            1, cases[i].alpha, cases[i].beta, cases[i].tau, 0);
        struct chorale_errmsg msg = { "" };
        struct chorale_model m;
        const double *v = m.fit.value;

        if (chorale_model_fit(&points, "s", &m, &msg) != CHORALE_OK) {
            tap_ok(0, "%s: %s", cases[i].name, msg.text);
            continue;
        }
        tap_ok(fabs(v[0] - cases[i].alpha) < 1e-9 * ALPHA &&
               fabs(v[1] - cases[i].beta) < 1e-9 * BETA &&
               fabs(v[2] - cases[i].tau) < 1e-9 * TAU &&
               v[0] >= 0 && v[1] >= 0 && v[2] >= 0 &&
               m.fit.lo[2] <= v[2] && m.fit.hi[2] >= v[2],
               "%s", cases[i].name);
        chorale_model_release(&m);
    }
}

static void test_noise(void)
{
    double alpha[200], beta[200], tau[200];
    int covered = 0, failed = 0;

    for (int s = 0; s < 200; s++) {
        struct chorale_points points =
            whole_catalogue(1, ALPHA, BETA, TAU, 1000 + (uint64_t)s);
        struct chorale_model m;

        alpha[s] = beta[s] = tau[s] = 1;
        if (chorale_model_fit(&points, "s", &m, NULL) != CHORALE_OK) {
            failed++;
            continue;
        }
        alpha[s] = fabs(m.fit.value[0] / ALPHA - 1);
        beta[s] = fabs(m.fit.value[1] / BETA - 1);
        tau[s] = fabs(m.fit.value[2] / TAU - 1);
        covered += m.fit.lo[0] <= ALPHA && ALPHA <= m.fit.hi[0];
        chorale_model_release(&m);
    }
    chorale_sort(alpha, 200);
    chorale_sort(beta, 200);
    chorale_sort(tau, 200);
    tap_ok(failed == 0, "noise with outliers is fitted in 200 of 200 seeds");
    tap_diag("p95 of the error: alpha %.2f %%, beta %.2f %%, tau %.2f %%;"
             " interval of alpha covers in %d of 200", 100 * alpha[189],
             100 * beta[189], 100 * tau[189], covered);
    tap_ok(alpha[189] < 0.01, "noise moves alpha by less than 1 %% (p95)");
    tap_ok(beta[189] < 0.01, "noise moves beta by less than 1 %% (p95)");
    tap_ok(covered >= 180, "the interval of alpha covers it");
}

static const struct chorale_alg *alg(enum chorale_coll coll, const char *name)
{
    return chorale_alg_find(coll, name);
}

/* The error line for those points mentions that word. */
static void refused(const char *what, size_t n, const char *word)
{
    struct chorale_points points = { runs, n, NULL };
    struct chorale_errmsg msg = { "" };
    struct chorale_model m;
    enum chorale_err err = chorale_model_fit(&points, "s", &m, &msg);

    tap_ok(err == CHORALE_DATA && strstr(msg.text, word) != NULL,
           "%s is refused: %s", what, msg.text);
    if (err == CHORALE_OK)
        chorale_model_release(&m);
}

static void test_refused(void)
{
    uint64_t exact = 0;
    size_t n = add_variant(0, alg(CHORALE_BCAST, "binomial"), 1, ALPHA, BETA,
                           0, &exact), k = 0;

    refused("nothing measured", 0, "no successful measurement");
    for (size_t i = 0; i < n; i++)
        if (runs[i].n == 64)
            runs[k++] = runs[i];
    refused("one size", k, "one message size");
    n = add_variant(0, alg(CHORALE_REDUCE, "binomial"), 1, ALPHA, BETA, TAU,
                    &exact);
    refused("a reduction whose beta and tau go together", n, "tau apart");
    for (size_t i = 0; i < n; i++)
        runs[i].ok = 0;
    refused("only invalid runs", n, "no successful measurement");
}

/* With bcast beside it alpha and beta can be had, tau too. */
static void test_together(void)
{
    uint64_t exact = 0;
    size_t n = add_variant(0, alg(CHORALE_BCAST, "binomial"), 1, ALPHA, BETA,
                           0, &exact);
    struct chorale_points points;
    struct chorale_model m;

    n = add_variant(n, alg(CHORALE_REDUCE, "binomial"), 1, ALPHA, BETA, TAU,
                    &exact);
    points = (struct chorale_points){ runs, n, NULL };
    if (!tap_ok(chorale_model_fit(&points, "s", &m, NULL) == CHORALE_OK,
                "one reduction and one broadcast suffice"))
        return;
    tap_ok(near(m.fit.value[2], TAU, 1e-9), "and give tau");
    chorale_model_release(&m);
}

/* Two launches that differ by 10 % in everything: the interval says so. */
static void test_launches(void)
{
    struct chorale_points points = whole_catalogue(2, ALPHA, BETA, TAU, 0);
    struct chorale_model m;

    for (size_t i = 0; i < points.count; i++)
        runs[i].seconds *= runs[i].ordinal == 0 ? 1 / 1.05 : 1.05;
    if (!tap_ok(chorale_model_fit(&points, "s", &m, NULL) == CHORALE_OK &&
                m.nlaunch == 2, "two launches are fitted"))
        return;
    tap_ok(near(m.fit.value[0], ALPHA, 1e-6), "alpha is their middle");
    tap_ok(m.fit.lo[0] < ALPHA / 1.05 && m.fit.hi[0] > ALPHA * 1.05,
           "the interval covers what differs between launches");
    chorale_model_release(&m);
}

/* Times that no Hockney model explains are marked. */
static void test_untrusted(void)
{
    struct chorale_points points = whole_catalogue(1, ALPHA, BETA, TAU, 0);
    struct chorale_model m;

    for (size_t i = 0; i < points.count; i++)
        runs[i].seconds *= i % 2 ? 2 : 0.5;
    if (!tap_ok(chorale_model_fit(&points, "s", &m, NULL) == CHORALE_OK,
                "times far from any model are fitted"))
        return;
    tap_ok(!m.trusted && m.fit.median_error > 0.1, "and not trusted");
    chorale_model_release(&m);
}

/* The numerics alone: columns that go together, times of zero. */
static void test_arrays(void)
{
    double x[] = { 1, 2, 2, 4, 3, 6 }, seconds[] = { 1, 2, 3 };
    double y[] = { 1, 1, 1, 2, 1, 3 };
    struct chorale_fit_data data = { 3, 2, x, seconds };
    struct chorale_fit_result fit;

    tap_ok(chorale_fit(&data, &fit, NULL) == CHORALE_DATA,
           "proportional columns are refused");
    data.nrow = 1;
    tap_ok(chorale_fit(&data, &fit, NULL) == CHORALE_DATA,
           "fewer rows than parameters are refused");
    data = (struct chorale_fit_data){ 3, 2, y, seconds };
    seconds[1] = 0;
    tap_ok(chorale_fit(&data, &fit, NULL) == CHORALE_DATA,
           "a time of zero is refused");
    seconds[0] = 3;
    seconds[1] = 2.5;
    seconds[2] = 2.1;
    tap_ok(chorale_fit(&data, &fit, NULL) == CHORALE_OK &&
           fit.value[1] == 0 && fit.value[0] > 2 && fit.lo[1] == 0 &&
           fit.hi[1] >= 0, "a falling line gives slope 0, not below");
    data.nrow = 2;
    seconds[0] = 2;
    seconds[1] = 3;
    tap_ok(chorale_fit(&data, &fit, NULL) == CHORALE_OK &&
           fabs(fit.value[0] - 1) < 1e-12 && isnan(fit.lo[0]),
           "as many rows as parameters: a value without an interval");
}

int main(void)
{
    test_exact();
    test_zeros();
    test_noise();
    test_refused();
    test_together();
    test_launches();
    test_untrusted();
    test_arrays();
    return tap_done();
}
