/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - weighted, robust, non-negative least squares for cost models, so
 * that alpha, beta and tau come with intervals and outliers do not move them.
 */
#include "tuner/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/order.h"

#define MAX_ROUNDS 30
#define EXACT 1e-9 /* relative residual below which the model is exact */

/* One linearised problem over the free columns. */
struct problem {
    const struct chorale_fit_data *data;
    const double *model;     /* [nrow] linearisation point, seconds */
    unsigned free;           /* mask of the columns not held at 0 */
    double value[CHORALE_FIT_MAX], error[CHORALE_FIT_MAX];
    double *weight;          /* [nrow] of the last robust solution */
    double chisq;
};

static size_t popcount(unsigned mask)
{
    size_t n = 0;

    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
}

static double predict(const struct chorale_fit_data *data, size_t row,
                      const double *value)
{
    double sum = 0;

    for (size_t j = 0; j < data->ncol; j++)
        sum += data->x[row * data->ncol + j] * value[j];
    return sum;
}

/* Rows divided by the model, columns by their length, which goes to scale. */
static void design(const struct problem *p, gsl_matrix *x, gsl_vector *y,
                   double *scale)
{
    const struct chorale_fit_data *d = p->data;
    size_t k = 0;

    for (size_t j = 0; j < d->ncol; j++) {
        double sum = 0;

        if (!(p->free >> j & 1))
            continue;
        for (size_t i = 0; i < d->nrow; i++) {
            double v = d->x[i * d->ncol + j] / p->model[i];

            gsl_matrix_set(x, i, k, v);
            sum += v * v;
        }
        scale[k] = sum > 0 ? sqrt(sum) : 1;
        for (size_t i = 0; i < d->nrow; i++)
            gsl_matrix_set(x, i, k, gsl_matrix_get(x, i, k) / scale[k]);
        k++;
    }
    for (size_t i = 0; y != NULL && i < d->nrow; i++)
        gsl_vector_set(y, i, 1 + log(d->seconds[i] / p->model[i]));
}

static void take(struct problem *p, const gsl_vector *c, const gsl_matrix *cov,
                 const double *scale)
{
    size_t k = 0;

    for (size_t j = 0; j < p->data->ncol; j++) {
        p->value[j] = 0;
        p->error[j] = NAN;
        if (!(p->free >> j & 1))
            continue;
        p->value[j] = gsl_vector_get(c, k) / scale[k];
        p->error[j] = sqrt(gsl_matrix_get(cov, k, k)) / scale[k];
        k++;
    }
}

/* Bisquare; c and cov are replaced only if it ends well. */
static void robust(struct problem *p, const gsl_matrix *x, const gsl_vector *y,
                   gsl_vector *c, gsl_matrix *cov)
{
    size_t n = x->size1, k = x->size2;
    gsl_multifit_robust_workspace *w =
        gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, n, k);
    gsl_vector *c2 = gsl_vector_alloc(k);
    gsl_matrix *cov2 = gsl_matrix_alloc(k, k);

    if (w != NULL && c2 != NULL && cov2 != NULL) {
        int rc;

        gsl_multifit_robust_maxiter(500, w);
        rc = gsl_multifit_robust(x, y, c2, cov2, w);
        if (rc == GSL_SUCCESS || rc == GSL_EMAXITER) {
            gsl_multifit_robust_stats s = gsl_multifit_robust_statistics(w);

            gsl_vector_memcpy(c, c2);
            gsl_matrix_memcpy(cov, cov2);
            for (size_t i = 0; i < n; i++)
                p->weight[i] = gsl_vector_get(s.weights, i);
        }
    }
    gsl_multifit_robust_free(w);
    gsl_vector_free(c2);
    gsl_matrix_free(cov2);
}

/* Solve for the free columns; weighted: least squares with p->weight, else
 * robust where residuals and enough rows allow it. -1: out of memory. */
static int solve(struct problem *p, int weighted)
{
    size_t n = p->data->nrow, k = popcount(p->free);
    double scale[CHORALE_FIT_MAX];
    gsl_matrix *x = gsl_matrix_alloc(n, k), *cov = gsl_matrix_alloc(k, k);
    gsl_vector *y = gsl_vector_alloc(n), *c = gsl_vector_alloc(k);
    gsl_multifit_linear_workspace *w = gsl_multifit_linear_alloc(n, k);
    int rc = -1;

    if (x == NULL || cov == NULL || y == NULL || c == NULL || w == NULL)
        goto out;
    design(p, x, y, scale);
    if (weighted) {
        gsl_vector_view wt = gsl_vector_view_array(p->weight, n);

        gsl_multifit_wlinear(x, &wt.vector, y, c, cov, &p->chisq, w);
    } else {
        gsl_multifit_linear(x, y, c, cov, &p->chisq, w);
        for (size_t i = 0; i < n; i++)
            p->weight[i] = 1;
        if (n > k + 1 && p->chisq > (double)n * EXACT * EXACT)
            robust(p, x, y, c, cov);
    }
    take(p, c, cov, scale);
    rc = 0;
out:
    gsl_matrix_free(x);
    gsl_matrix_free(cov);
    gsl_vector_free(y);
    gsl_vector_free(c);
    gsl_multifit_linear_free(w);
    return rc;
}

/* Columns whose value is below zero. */
static unsigned negative(const struct problem *p)
{
    unsigned mask = 0;

    for (size_t j = 0; j < p->data->ncol; j++)
        if (p->value[j] < 0)
            mask |= 1u << j;
    return mask;
}

/* The feasible subset of the free columns with the smallest residual, at the
 * weights of the last robust solution. */
static int best_subset(struct problem *p, unsigned *best_p)
{
    unsigned all = p->free, best = 0;
    double least = HUGE_VAL;

    for (unsigned mask = all; mask != 0; mask = (mask - 1) & all) {
        p->free = mask;
        if (solve(p, 1) != 0)
            return -1;
        if (negative(p) == 0 && p->chisq < least) {
            least = p->chisq;
            best = mask;
        }
    }
    p->free = all;
    *best_p = best != 0 ? best : all & -all;
    return 0;
}

/* Solve with every value >= 0; p->free tells which are not held at 0. */
static int solve_nonnegative(struct problem *p)
{
    unsigned bad, best = 0;

    if (solve(p, 0) != 0)
        return -1;
    if (negative(p) == 0)
        return 0;
    if (best_subset(p, &best) != 0)
        return -1;
    p->free = best;
    if (solve(p, 0) != 0)
        return -1;
    while ((bad = negative(p)) != 0 && (p->free & ~bad) != 0) {
        p->free &= ~bad;
        if (solve(p, 0) != 0)
            return -1;
    }
    return 0;
}

/* The next linearisation point; returns the largest relative change. A row
 * far off is held within a factor of 1000, where its weight is zero. */
static double relinearise(const struct problem *p, double *model)
{
    double change = 0;

    for (size_t i = 0; i < p->data->nrow; i++) {
        double next = fmax(predict(p->data, i, p->value),
                           p->data->seconds[i] * 1e-3);

        change = fmax(change, fabs(next / model[i] - 1));
        model[i] = next;
    }
    return change;
}

static enum chorale_err no_memory(struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_ENV, "fit: out of memory");
}

/* 95 % intervals; those of columns held at 0 from the unconstrained fit. */
static int intervals(struct problem *p, struct chorale_fit_result *fit)
{
    size_t n = p->data->nrow, ncol = p->data->ncol, k = popcount(p->free);
    unsigned held = ((1u << ncol) - 1) & ~p->free;
    double t = n > k ? gsl_cdf_tdist_Pinv(0.975, (double)(n - k)) : NAN;

    for (size_t j = 0; j < ncol; j++) {
        fit->value[j] = fmax(0, p->value[j]);
        fit->lo[j] = fmax(0, p->value[j] - t * p->error[j]);
        fit->hi[j] = p->value[j] + t * p->error[j];
        if (isnan(fit->hi[j]))
            fit->lo[j] = NAN;
    }
    if (held == 0)
        return 0;
    p->free |= held;
    if (solve(p, 0) != 0)
        return -1;
    t = n > ncol ? gsl_cdf_tdist_Pinv(0.975, (double)(n - ncol)) : NAN;
    for (size_t j = 0; j < ncol; j++) {
        double hi = p->value[j] + t * p->error[j];

        if (held >> j & 1) {
            fit->lo[j] = isnan(hi) ? NAN : 0;
            fit->hi[j] = isnan(hi) ? NAN : fmax(0, hi);
        }
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
        e = fabs(predict(data, i, value) / data->seconds[i] - 1);
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
    size_t n = data->nrow, k = data->ncol;
    struct problem p = { .data = data, .free = (1u << k) - 1,
                         .model = data->seconds };
    double scale[CHORALE_FIT_MAX], least;
    gsl_matrix *x, *v;
    gsl_vector *s, *work;
    enum chorale_err err = CHORALE_OK;

    *condition_p = HUGE_VAL;
    if (n < k || k == 0)
        return CHORALE_OK;
    gsl_set_error_handler_off();
    x = gsl_matrix_alloc(n, k);
    v = gsl_matrix_alloc(k, k);
    s = gsl_vector_alloc(k);
    work = gsl_vector_alloc(k);
    if (x == NULL || v == NULL || s == NULL || work == NULL) {
        err = no_memory(msg);
        goto out;
    }
    design(&p, x, NULL, scale);
    gsl_linalg_SV_decomp(x, v, s, work);
    least = gsl_vector_get(s, k - 1);
    if (least > 0)
        *condition_p = gsl_vector_get(s, 0) / least;
out:
    gsl_matrix_free(x);
    gsl_matrix_free(v);
    gsl_vector_free(s);
    gsl_vector_free(work);
    return err;
}

/* Times positive, parameters separable. */
static enum chorale_err check(const struct chorale_fit_data *data,
                              struct chorale_errmsg *msg)
{
    double condition;
    enum chorale_err err;

    if (data->ncol < 1 || data->ncol > CHORALE_FIT_MAX)
        return chorale_fail(msg, CHORALE_DATA,
                            "fit: %zu parameters; 1 to %d are possible",
                            data->ncol, CHORALE_FIT_MAX);
    for (size_t i = 0; i < data->nrow; i++)
        if (!(data->seconds[i] > 0) || !isfinite(data->seconds[i]))
            return chorale_fail(msg, CHORALE_DATA,
                                "fit: point %zu has a time of %g s; times"
                                " must be positive", i, data->seconds[i]);
    err = chorale_fit_condition(data, &condition, msg);
    if (err == CHORALE_OK && !(condition < CHORALE_FIT_CONDITION))
        err = chorale_fail(msg, CHORALE_DATA,
                           "fit: %zu points do not determine %zu parameters;"
                           " measure more sizes, process counts or variants",
                           data->nrow, data->ncol);
    return err;
}

enum chorale_err chorale_fit(const struct chorale_fit_data *data,
                             struct chorale_fit_result *fit,
                             struct chorale_errmsg *msg)
{
    struct problem p = { .data = data };
    double *model = NULL;
    enum chorale_err err = check(data, msg);

    if (err != CHORALE_OK)
        return err;
    gsl_set_error_handler_off();
    p.free = (1u << data->ncol) - 1;
    p.model = model = malloc(data->nrow * sizeof(*model));
    p.weight = malloc(data->nrow * sizeof(*p.weight));
    if (model == NULL || p.weight == NULL) {
        err = no_memory(msg);
        goto out;
    }
    memcpy(model, data->seconds, data->nrow * sizeof(*model));
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (solve_nonnegative(&p) != 0) {
            err = no_memory(msg);
            goto out;
        }
        if (relinearise(&p, model) < 1e-12)
            break;
    }
    if (intervals(&p, fit) != 0) {
        err = no_memory(msg);
        goto out;
    }
    chorale_fit_error(data, fit->value, NULL, p.weight, fit);
out:
    free(model);
    free(p.weight);
    return err;
}

void chorale_fit_widen(struct chorale_fit_result *fit, size_t ncol,
                       const double (*value)[CHORALE_FIT_MAX], size_t k)
{
    if (k < 2)
        return;
    for (size_t j = 0; j < ncol; j++) {
        double mean = 0, var = 0, half;

        for (size_t i = 0; i < k; i++)
            mean += value[i][j] / (double)k;
        for (size_t i = 0; i < k; i++)
            var += pow(value[i][j] - mean, 2) / (double)(k - 1);
        half = gsl_cdf_tdist_Pinv(0.975, (double)(k - 1)) *
               sqrt(var / (double)k);
        fit->lo[j] = fmax(0, fmin(fit->lo[j], fit->value[j] - half));
        fit->hi[j] = fmax(fit->hi[j], fit->value[j] + half);
    }
}
