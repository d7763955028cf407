/* SPDX-License-Identifier: BSD-3-Clause */
/* least_squares.c - weighted, robust, non-negative least squares for cost
 * models, with intervals of the parameters.
 */
#include "tuner/model/least_squares.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "tuner/model/bootstrap.h"

#define MAX_ROUNDS 60
#define FIRST_ROUNDS 6   /* rounds with absolute residuals */
#define SCALE_ROUNDS 25  /* after these the scale is kept, to converge */
#define BISQUARE 4.685
#define LEAST_SCALE 1e-9 /* relative residual below which a fit is exact */
#define LEAST_WEIGHT 1e-9 /* of an outlier: a parameter whose rows are all
                          * outliers is still fitted, instead of becoming 0 */
#define ALIKE 1e-6       /* sine of the angle below which a column depends
                          * linearly on earlier ones */

/* One linearised problem: R and Q'y of the weighted rows. */
struct problem {
    const struct chorale_fit_data *data;
    double *model;           /* [nrow] linearisation point, seconds */
    double *residual;        /* [nrow] log(seconds / model) */
    double *weight;          /* [nrow] */
    double *scratch;         /* [nrow] */
    gsl_matrix *x;
    gsl_vector *y, *tau;
    gsl_matrix *r;           /* upper triangle, columns of unit length */
    double qy[CHORALE_FIT_MAX], length[CHORALE_FIT_MAX];
    double value[CHORALE_FIT_MAX];
    double scale;
};

static void problem_release(struct problem *p)
{
    free(p->model);
    free(p->residual);
    free(p->weight);
    free(p->scratch);
    gsl_matrix_free(p->x);
    gsl_matrix_free(p->r);
    gsl_vector_free(p->y);
    gsl_vector_free(p->tau);
}

static int problem_init(struct problem *p, const struct chorale_fit_data *data)
{
    size_t n = data->nrow, k = data->ncol;

    gsl_set_error_handler_off();
    memset(p, 0, sizeof(*p));
    p->data = data;
    p->model = malloc(n * sizeof(double));
    p->residual = malloc(n * sizeof(double));
    p->weight = malloc(n * sizeof(double));
    p->scratch = malloc(n * sizeof(double));
    p->x = gsl_matrix_alloc(n, k);
    p->r = gsl_matrix_alloc(k, k);
    p->y = gsl_vector_alloc(n);
    p->tau = gsl_vector_alloc(n < k ? n : k);
    if (!p->model || !p->residual || !p->weight || !p->scratch || !p->x ||
        !p->r || !p->y || !p->tau)
        return -1;
    for (size_t i = 0; i < n; i++) {
        p->model[i] = data->seconds[i];
        p->weight[i] = 1;
    }
    return 0;
}

double chorale_fit_row(const struct chorale_fit_data *data, size_t row,
                       const double *value)
{
    double sum = 0;

    for (size_t j = 0; j < data->ncol; j++)
        sum += data->x[row * data->ncol + j] * value[j];
    return sum;
}

/* Divide rows by the model and columns by their length; compute R and Q'y. */
static void factor(struct problem *p)
{
    const struct chorale_fit_data *d = p->data;
    size_t k = d->ncol;

    for (size_t j = 0; j < k; j++)
        p->length[j] = 0;
    for (size_t i = 0; i < d->nrow; i++) {
        double w = sqrt(p->weight[i]);

        for (size_t j = 0; j < k; j++) {
            double v = w * d->x[i * k + j] / p->model[i];

            gsl_matrix_set(p->x, i, j, v);
            p->length[j] += v * v;
        }
        gsl_vector_set(p->y, i, w * (1 + log(d->seconds[i] / p->model[i])));
    }
    for (size_t j = 0; j < k; j++)
        p->length[j] = p->length[j] > 0 ? sqrt(p->length[j]) : 1;
    for (size_t i = 0; i < d->nrow; i++)
        for (size_t j = 0; j < k; j++)
            *gsl_matrix_ptr(p->x, i, j) /= p->length[j];
    gsl_linalg_QR_decomp(p->x, p->tau);
    gsl_linalg_QR_QTvec(p->x, p->tau, p->y);
    for (size_t i = 0; i < k; i++) {
        p->qy[i] = i < d->nrow ? gsl_vector_get(p->y, i) : 0;
        for (size_t j = 0; j < k; j++)
            gsl_matrix_set(p->r, i, j, j < i || i >= d->nrow
                                           ? 0 : gsl_matrix_get(p->x, i, j));
    }
}

/* Least squares over the columns in use; others are 0. -1: out of memory. */
static int solve_some(const struct problem *p, const unsigned char *in,
                      double *value)
{
    size_t k = p->data->ncol, n = 0, c = 0;
    gsl_matrix *a;
    gsl_vector *b, *tau, *z, *rest;
    int bad;

    for (size_t j = 0; j < k; j++) {
        n += in[j];
        value[j] = 0;
    }
    if (n == 0)
        return 0;
    a = gsl_matrix_alloc(k, n);
    b = gsl_vector_alloc(k);
    rest = gsl_vector_alloc(k);
    tau = gsl_vector_alloc(n);
    z = gsl_vector_alloc(n);
    bad = !a || !b || !rest || !tau || !z;
    for (size_t j = 0; !bad && j < k; j++) {
        gsl_vector_set(b, j, p->qy[j]);
        if (!in[j])
            continue;
        for (size_t i = 0; i < k; i++)
            gsl_matrix_set(a, i, c, gsl_matrix_get(p->r, i, j));
        c++;
    }
    if (!bad) {
        gsl_linalg_QR_decomp(a, tau);
        gsl_linalg_QR_lssolve(a, tau, b, z, rest);
        c = 0;
        for (size_t j = 0; j < k; j++)
            if (in[j])
                value[j] = gsl_vector_get(z, c++);
    }
    gsl_matrix_free(a);
    gsl_vector_free(b);
    gsl_vector_free(rest);
    gsl_vector_free(tau);
    gsl_vector_free(z);
    return bad ? -1 : 0;
}

/* The unused column whose growth lowers the residual most, or k. */
static size_t steepest(const struct problem *p, const unsigned char *in,
                       const double *value)
{
    size_t k = p->data->ncol, best = k;
    double rest[CHORALE_FIT_MAX], most = 1e-10;

    for (size_t i = 0; i < k; i++) {
        rest[i] = p->qy[i];
        for (size_t j = i; j < k; j++)
            rest[i] -= gsl_matrix_get(p->r, i, j) * value[j];
    }
    for (size_t j = 0; j < k; j++) {
        double slope = 0;

        for (size_t i = 0; i <= j; i++)
            slope += gsl_matrix_get(p->r, i, j) * rest[i];
        if (!in[j] && slope > most) {
            most = slope;
            best = j;
        }
    }
    return best;
}

/* Move from value towards wanted until a component reaches 0; components that
 * do leave the set of columns in use. Returns 1 if wanted was reached. */
static int move_towards(size_t k, unsigned char *in, double *value,
                        const double *wanted)
{
    double step = 1;

    for (size_t j = 0; j < k; j++)
        if (in[j] && wanted[j] <= 0)
            step = fmin(step, value[j] / (value[j] - wanted[j]));
    if (!(step < 1) && step >= 1) {
        memcpy(value, wanted, k * sizeof(*value));
        return 1;
    }
    step = isfinite(step) ? step : 0;
    for (size_t j = 0; j < k; j++) {
        if (!in[j])
            continue;
        value[j] += step * (wanted[j] - value[j]);
        if (wanted[j] <= 0 && value[j] <= 1e-14) {
            value[j] = 0;
            in[j] = 0;
        }
    }
    return 0;
}

/* Non-negative least squares on R, into p->value. -1: out of memory. */
static int solve(struct problem *p)
{
    size_t k = p->data->ncol, j;
    unsigned char in[CHORALE_FIT_MAX];
    double value[CHORALE_FIT_MAX] = { 0 }, wanted[CHORALE_FIT_MAX];
    int ok = 1;

    memset(in, 1, k);
    if (solve_some(p, in, wanted) != 0)
        return -1;
    for (j = 0; j < k; j++)
        ok &= wanted[j] >= 0;
    if (ok)
        memcpy(value, wanted, k * sizeof(*value));
    else
        memset(in, 0, k);
    for (size_t round = 0; !ok && round < 3 * k; round++) {
        j = steepest(p, in, value);
        if (j == k)
            break;
        in[j] = 1;
        for (size_t inner = 0; inner <= k; inner++) {
            if (solve_some(p, in, wanted) != 0)
                return -1;
            if (move_towards(k, in, value, wanted))
                break;
        }
    }
    for (j = 0; j < k; j++)
        p->value[j] = value[j] / p->length[j];
    return 0;
}

/* Set the next linearisation point and residuals; returns the largest relative
 * change. Modelled times are kept above 1/1000 of the measured ones; below that
 * a row is an outlier anyway. */
static double relinearise(struct problem *p)
{
    double change = 0;

    for (size_t i = 0; i < p->data->nrow; i++) {
        double next = fmax(chorale_fit_row(p->data, i, p->value),
                           p->data->seconds[i] * 1e-3);

        change = fmax(change, fabs(next / p->model[i] - 1));
        p->model[i] = next;
        p->residual[i] = log(p->data->seconds[i] / next);
    }
    return change;
}

static void set_weights(struct problem *p, int round)
{
    size_t n = p->data->nrow;

    if (round < SCALE_ROUNDS) {
        for (size_t i = 0; i < n; i++)
            p->scratch[i] = fabs(p->residual[i]);
        chorale_sort(p->scratch, n);
        p->scale = fmax(LEAST_SCALE,
                        1.4826 * chorale_quantile(p->scratch, n, 0.5));
        if (p->data->wide)
            p->scale = fmax(p->scale, 0.608 * chorale_quantile(p->scratch, n,
                                                               0.9));
    }
    for (size_t i = 0; i < n; i++) {
        double u = p->residual[i] / (BISQUARE * p->scale);

        if (round < FIRST_ROUNDS)
            p->weight[i] = 1 / fmax(fabs(p->residual[i]), 0.1 * p->scale);
        else
            p->weight[i] = fabs(u) < 1 ? fmax((1 - u * u) * (1 - u * u),
                                              LEAST_WEIGHT)
                                       : LEAST_WEIGHT;
    }
}

/* Huber's robust variance of one residual: sum of psi^2 over the square of the
 * sum of psi'. */
static double variance(const struct problem *p)
{
    size_t n = p->data->nrow, k = p->data->ncol;
    double psi2 = 0, slope = 0, c = BISQUARE * p->scale;

    for (size_t i = 0; i < n; i++) {
        double u = p->residual[i] / c, v = 1 - u * u;

        if (v <= 0)
            continue;
        psi2 += p->residual[i] * p->residual[i] * v * v * v * v;
        slope += v * v - 4 * u * u * v;
    }
    if (n <= k || !(slope > 0))
        return NAN;
    return psi2 / (double)(n - k) / pow(slope / (double)n, 2);
}

/* 95 % intervals; columns held at 0 use the unconstrained solution. */
static int intervals(struct problem *p, struct chorale_fit_result *fit)
{
    size_t n = p->data->nrow, k = p->data->ncol;
    double t = n > k ? gsl_cdf_tdist_Pinv(0.975, (double)(n - k)) : NAN;
    double var = variance(p), free_value[CHORALE_FIT_MAX];
    unsigned char all[CHORALE_FIT_MAX];

    memset(all, 1, k);
    for (size_t i = 0; i < n; i++)
        p->weight[i] = 1;
    factor(p);
    if (solve_some(p, all, free_value) != 0)
        return -1;
    for (size_t j = 0; j < k; j++) {
        double at = p->value[j], half;
        double column[CHORALE_FIT_MAX] = { 0 };

        /* Row j of the inverse of R: solve R' z = e_j from j on. */
        for (size_t i = j; i < k; i++) {
            double v = i == j ? 1 : 0;

            for (size_t l = j; l < i; l++)
                v -= gsl_matrix_get(p->r, l, i) * column[l];
            column[i] = v / gsl_matrix_get(p->r, i, i);
        }
        half = 0;
        for (size_t i = j; i < k; i++)
            half += column[i] * column[i];
        half = t * sqrt(var * half) / p->length[j];
        if (!(at > 0))
            at = free_value[j] / p->length[j];
        fit->value[j] = p->value[j];
        fit->lo[j] = p->value[j] > 0 ? fmax(0, at - half) : 0;
        fit->hi[j] = fmax(p->value[j], at + half);
        if (isnan(half))
            fit->lo[j] = fit->hi[j] = NAN;
    }
    return 0;
}

void chorale_fit_error(const struct chorale_fit_data *data,
                       const double *value, const unsigned char *use,
                       double *scratch, struct chorale_fit_result *fit)
{
    size_t n = 0;

    fit->worst_error = -1;
    fit->median_error = 0;
    fit->tail_error = 0;
    fit->worst_row = 0;
    for (size_t i = 0; i < data->nrow; i++) {
        double e;

        if (use != NULL && !use[i])
            continue;
        e = fabs(chorale_fit_row(data, i, value) / data->seconds[i] - 1);
        scratch[n++] = e;
        if (e > fit->worst_error) {
            fit->worst_error = e;
            fit->worst_row = i;
        }
    }
    fit->worst_error = fmax(fit->worst_error, 0);
    if (n == 0)
        return;
    chorale_sort(scratch, n);
    fit->median_error = chorale_quantile(scratch, n, 0.5);
    fit->tail_error = chorale_quantile(scratch, n, 0.9);
}

enum chorale_err chorale_fit_condition(const struct chorale_fit_data *data,
                                       double *condition_p,
                                       struct chorale_errmsg *msg)
{
    size_t k = data->ncol;
    struct problem p;
    gsl_matrix *v = NULL;
    gsl_vector *s = NULL, *work = NULL;
    enum chorale_err err = CHORALE_OK;
    double least;

    *condition_p = HUGE_VAL;
    if (data->nrow < k || k == 0)
        return CHORALE_OK;
    if (problem_init(&p, data) != 0) {
        err = chorale_fail_memory(msg, "fit");
        goto out;
    }
    factor(&p);
    v = gsl_matrix_alloc(k, k);
    s = gsl_vector_alloc(k);
    work = gsl_vector_alloc(k);
    if (v == NULL || s == NULL || work == NULL) {
        err = chorale_fail_memory(msg, "fit");
        goto out;
    }
    gsl_linalg_SV_decomp(p.r, v, s, work);
    least = gsl_vector_get(s, k - 1);
    if (least > 0)
        *condition_p = gsl_vector_get(s, 0) / least;
out:
    gsl_matrix_free(v);
    gsl_vector_free(s);
    gsl_vector_free(work);
    problem_release(&p);
    return err;
}

enum chorale_err chorale_fit_separate(const struct chorale_fit_data *data,
                                      unsigned char *drop,
                                      struct chorale_errmsg *msg)
{
    size_t n = data->nrow, k = data->ncol;
    double *q = malloc((n * k + 1) * sizeof(*q));

    if (q == NULL)
        return chorale_fail_memory(msg, "fit");
    for (size_t j = 0; j < k; j++) {
        double before = 0, after = 0;

        for (size_t i = 0; i < n; i++) {
            q[j * n + i] = data->x[i * k + j] / data->seconds[i];
            before += q[j * n + i] * q[j * n + i];
        }
        /* Gram-Schmidt, twice for accuracy: the part of the column that is
         * orthogonal to the earlier ones. */
        for (size_t l = 0; !drop[j] && l < 2 * j; l++) {
            const double *with = q + l % j * n;
            double dot = 0;

            if (drop[l % j])
                continue;
            for (size_t i = 0; i < n; i++)
                dot += q[j * n + i] * with[i];
            for (size_t i = 0; i < n; i++)
                q[j * n + i] -= dot * with[i];
        }
        for (size_t i = 0; i < n; i++)
            after += q[j * n + i] * q[j * n + i];
        if (!(after > ALIKE * ALIKE * before))
            drop[j] = 1;
        for (size_t i = 0; !drop[j] && i < n; i++)
            q[j * n + i] /= sqrt(after);
    }
    free(q);
    return CHORALE_OK;
}

/* Check that times are positive and the parameters identifiable. */
static enum chorale_err check(const struct chorale_fit_data *data,
                              struct chorale_errmsg *msg)
{
    double condition;
    enum chorale_err err;

    if (data->ncol < 1 || data->ncol > CHORALE_FIT_MAX)
        return chorale_fail(msg, CHORALE_DATA, "fit: %zu parameters, allowed "
                            "are 1 to %d; fit fewer levels", data->ncol,
                            CHORALE_FIT_MAX);
    for (size_t i = 0; i < data->nrow; i++)
        if (!(data->seconds[i] > 0) || !isfinite(data->seconds[i]))
            return chorale_fail(msg, CHORALE_DATA, "fit: point %zu has the "
                                "time %g s, which is not positive; restore a "
                                "copy of the database", i, data->seconds[i]);
    err = chorale_fit_condition(data, &condition, msg);
    if (err == CHORALE_OK && !(condition < CHORALE_FIT_CONDITION))
        err = chorale_fail(msg, CHORALE_DATA,
                           "fit: %zu points do not determine %zu parameters;"
                           " measure more sizes, process counts or variants",
                           data->nrow, data->ncol);
    return err;
}

/* Begin at the given values if most rows are near them. Returns the number of
 * the first round. */
static int start(struct problem *p)
{
    memcpy(p->value, p->data->start, p->data->ncol * sizeof(*p->value));
    relinearise(p);
    set_weights(p, 0);
    if (p->scale > 0.5) {
        for (size_t i = 0; i < p->data->nrow; i++) {
            p->model[i] = p->data->seconds[i];
            p->weight[i] = 1;
        }
        return 0;
    }
    set_weights(p, FIRST_ROUNDS);
    return FIRST_ROUNDS;
}

enum chorale_err chorale_least_squares_fit(const struct chorale_fit_data *data,
                                           struct chorale_fit_result *fit,
                                           struct chorale_errmsg *msg)
{
    struct problem p = { .data = data };
    enum chorale_err err = check(data, msg);
    int warm = 0;

    if (err != CHORALE_OK)
        return err;
    if (problem_init(&p, data) != 0)
        err = chorale_fail_memory(msg, "fit");
    if (err == CHORALE_OK && data->start != NULL)
        warm = start(&p);
    for (int round = warm; err == CHORALE_OK && round < MAX_ROUNDS; round++) {
        factor(&p);
        if (solve(&p) != 0)
            err = chorale_fail_memory(msg, "fit");
        else if (relinearise(&p) < 1e-11 && round > FIRST_ROUNDS)
            break;
        set_weights(&p, round);
    }
    if (err == CHORALE_OK && intervals(&p, fit) != 0)
        err = chorale_fail_memory(msg, "fit");
    if (err == CHORALE_OK) {
        fit->scale = p.scale;
        chorale_fit_error(data, fit->value, NULL, p.scratch, fit);
    }
    problem_release(&p);
    return err;
}

enum chorale_err chorale_fit_spread(struct chorale_fit_result *fit,
                                    size_t ncol,
                                    const double (*value)[CHORALE_FIT_MAX],
                                    size_t k, struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t j = 0; j < ncol && k > 1 && err == CHORALE_OK; j++) {
        double mean = 0, lo, hi;

        for (size_t i = 0; i < k; i++)
            mean += value[i][j] / (double)k;
        err = chorale_bootstrap_mean(&value[0][j], CHORALE_FIT_MAX, k, &lo,
                                     &hi, msg);
        if (err != CHORALE_OK)
            break;
        fit->lo[j] = fmax(0, fit->value[j] - (mean - lo));
        fit->hi[j] = fit->value[j] + (hi - mean);
    }
    return err;
}
