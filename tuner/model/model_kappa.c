/* SPDX-License-Identifier: BSD-3-Clause */
/* model_kappa.c - interval of the number of ranks that fill a node's port, and
 * so of kappa. model_search.c finds the best number. Here a regression on each
 * launch gives a correction to it, with all other parameters free. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>

#include "tuner/model/bootstrap.h"
#include "tuner/model/model_internal.h"

#define STEP 1.02         /* relative step of the numerical derivative */
#define LEAST_CHANGE 1e-9 /* of log seconds: below it ports have no effect */
#define TOLD 1e-6         /* least share that other parameters leave over */
#define EXACT 1e-3        /* residual below which the search had converged */

/* The rows of one launch. y: log(measured / replayed) seconds. x: derivatives
 * by the logarithm of each parameter; the last column is that of the ports. */
struct rows {
    gsl_matrix *x;
    gsl_vector *y, *d;    /* d: the ports' column */
    size_t n, p;
};

/* The most ranks of a node that share its port; 0: no port is shared. */
static double sharing(const struct model_job *job)
{
    int most = 0;

    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].use && job->cell[i].ppn > most &&
            (job->cell[i].nodes > 1 || job->model->net.inner_shared))
            most = job->cell[i].ppn;
    return most;
}

/* Derivative of log seconds of each cell by the logarithm of the ports. */
static void derive(const struct model_job *job, double most, double *change)
{
    struct chorale_model *model = job->model;
    double ports = model->net.ports;
    double up = fmin(ports * STEP, most), down = fmax(ports / STEP, 1);

    for (size_t i = 0; i < job->ncell; i++) {
        double fast, slow;

        change[i] = 0;
        if (!job->cell[i].use)
            continue;
        model->net.ports = up;
        fast = chorale_model_cell_replay(job, &job->cell[i], NULL, NULL);
        model->net.ports = down;
        slow = chorale_model_cell_replay(job, &job->cell[i], NULL, NULL);
        model->net.ports = ports;
        if (fast > 0 && slow > 0)
            change[i] = log(fast / slow) / log(up / down);
    }
}

static void fill(const struct model_job *job, int ordinal,
                 const double *change, struct rows *rows)
{
    double value[CHORALE_FIT_MAX];

    chorale_model_values_get(job->model, value);
    rows->n = 0;
    for (size_t i = 0; i < job->ncell; i++) {
        const struct model_cell *cell = &job->cell[i];
        const double *x = job->x + i * CHORALE_FIT_MAX;
        double seconds = chorale_model_cell_seconds(job, cell, ordinal);
        size_t k = 0;

        if (!cell->use || cell->wild || !(seconds > 0))
            continue;
        for (size_t j = 0; j < job->ncol; j++)
            if (!job->drop[j] && value[j] > 0)
                gsl_matrix_set(rows->x, rows->n, k++,
                               x[j] * value[j] / cell->played);
        gsl_matrix_set(rows->x, rows->n, k, change[i]);
        gsl_vector_set(rows->d, rows->n, change[i]);
        gsl_vector_set(rows->y, rows->n++, log(seconds / cell->played));
        rows->p = k + 1;
    }
}

/* 1 if the ports are separable: the other columns do not explain the column of
 * the ports. *left_p: its residual sum of squares. */
static int told(const struct rows *rows, gsl_multifit_linear_workspace *work,
                gsl_vector *c, gsl_matrix *cov, double *left_p)
{
    gsl_matrix_view x = gsl_matrix_submatrix(rows->x, 0, 0, rows->n,
                                             rows->p - 1);
    gsl_matrix_view v = gsl_matrix_submatrix(cov, 0, 0, rows->p - 1,
                                             rows->p - 1);
    gsl_vector_view at = gsl_vector_subvector(c, 0, rows->p - 1);
    gsl_vector_view d = gsl_vector_subvector(rows->d, 0, rows->n);
    double all = 0;

    for (size_t i = 0; i < rows->n; i++)
        all += gsl_vector_get(rows->d, i) * gsl_vector_get(rows->d, i);
    return all > (double)rows->n * LEAST_CHANGE * LEAST_CHANGE &&
           gsl_multifit_linear(&x.matrix, &d.vector, &at.vector, &v.matrix,
                               left_p, work) == 0 &&
           *left_p > TOLD * all;
}

/* If the fit is nearly exact, the largest error of log ports that the residuals
 * allow; else 0. */
static double ports_slack(const struct rows *rows, double left)
{
    double sum = 0;

    for (size_t i = 0; i < rows->n; i++)
        sum += gsl_vector_get(rows->y, i) * gsl_vector_get(rows->y, i);
    return sum < EXACT * EXACT * (double)rows->n ? sqrt(sum / left) : 0;
}

/* The change of log ports that fits these rows best, and its standard error, by
 * a robust regression like the fit itself. *slack_p is raised to ports_slack().
 * CHORALE_DATA: the ports are not separable. */
static enum chorale_err step_of(const struct rows *rows, double *step,
                                double *error, double *slack_p)
{
    gsl_multifit_robust_workspace *work = gsl_multifit_robust_alloc(
        gsl_multifit_robust_bisquare, rows->n, rows->p);
    gsl_multifit_linear_workspace *plain =
        gsl_multifit_linear_alloc(rows->n, rows->p);
    gsl_vector *c = gsl_vector_alloc(rows->p);
    gsl_matrix *cov = gsl_matrix_alloc(rows->p, rows->p);
    gsl_matrix_view x = gsl_matrix_submatrix(rows->x, 0, 0, rows->n, rows->p);
    gsl_vector_view y = gsl_vector_subvector(rows->y, 0, rows->n);
    enum chorale_err err = CHORALE_DATA;
    double left;
    int got;

    if (work == NULL || plain == NULL || c == NULL || cov == NULL) {
        err = CHORALE_ENV;
    } else if (told(rows, plain, c, cov, &left)) {
        *slack_p = fmax(*slack_p, ports_slack(rows, left));
        got = gsl_multifit_robust(&x.matrix, &y.vector, c, cov, work);
        *step = gsl_vector_get(c, rows->p - 1);
        *error = sqrt(gsl_matrix_get(cov, rows->p - 1, rows->p - 1));
        if ((got == GSL_SUCCESS || got == GSL_EMAXITER) && isfinite(*step) &&
            isfinite(*error))
            err = CHORALE_OK;
    }
    if (work != NULL)
        gsl_multifit_robust_free(work);
    if (plain != NULL)
        gsl_multifit_linear_free(plain);
    gsl_vector_free(c);
    gsl_matrix_free(cov);
    return err;
}

/* Interval of the step: over launches by bootstrap, as for other parameters; of
 * one launch by its standard error. */
static enum chorale_err steps(const struct model_job *job, const int *ordinal,
                              size_t nlaunch, const double *change,
                              struct rows *rows, double *step, double *lo,
                              double *hi)
{
    double error = 0, slack = 0, half;
    enum chorale_err err = CHORALE_OK;

    for (size_t k = 0; k < nlaunch && err == CHORALE_OK; k++) {
        fill(job, nlaunch > 1 ? ordinal[k] : -1, change, rows);
        err = rows->n > rows->p + 1 && rows->p > 1
                  ? step_of(rows, &step[k], &error, &slack)
                  : CHORALE_DATA;
    }
    if (err == CHORALE_OK && nlaunch > 1) {
        err = chorale_bootstrap_mean(step, 1, nlaunch, lo, hi, NULL);
    } else if (err == CHORALE_OK) {
        half = gsl_cdf_tdist_Pinv(0.975, (double)(rows->n - rows->p)) * error;
        *lo = step[0] - half;
        *hi = step[0] + half;
    }
    *lo = fmin(*lo, -slack);
    *hi = fmax(*hi, slack);
    return err;
}

enum chorale_err chorale_model_ports_spread(struct model_job *job,
                                            const int *ordinal,
                                            size_t nlaunch,
                                            struct chorale_errmsg *msg)
{
    double most = sharing(job), ports = job->model->net.ports, lo = 0, hi = 0;
    double *change = calloc(job->ncell + 1, sizeof(*change));
    double *step = calloc(nlaunch + 1, sizeof(*step));
    struct rows rows = {
        .x = gsl_matrix_alloc(job->ncell + 1, CHORALE_FIT_MAX + 1),
        .y = gsl_vector_alloc(job->ncell + 1),
        .d = gsl_vector_alloc(job->ncell + 1),
    };
    enum chorale_err err = CHORALE_ENV;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();

    job->ports_lo = job->ports_hi = NAN;
    if (change != NULL && step != NULL && rows.x != NULL && rows.y != NULL &&
        rows.d != NULL) {
        err = CHORALE_DATA;
        if (most > 1 && nlaunch > 0) {
            derive(job, most, change);
            err = steps(job, ordinal, nlaunch, change, &rows, step, &lo, &hi);
        }
    }
    gsl_set_error_handler(handler);
    if (err == CHORALE_OK) {
        /* Include 0: the search stops within its last step of the optimum. */
        job->ports_lo = fmax(1, ports * exp(fmin(lo, 0)));
        job->ports_hi = fmin(most, ports * exp(fmax(hi, 0)));
    }
    free(change);
    free(step);
    gsl_matrix_free(rows.x);
    gsl_vector_free(rows.y);
    gsl_vector_free(rows.d);
    if (err == CHORALE_ENV)
        return chorale_fail_memory(msg, "fit");
    return CHORALE_OK;
}
