/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c - turn measured runs into the rows of the fit: coefficients from
 * the catalogue's cost, one tau for each type and operation, one fit of all
 * launches for the values and one of each launch for their spread. */
#include "tuner/model.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/kinds.h"

/* The runs [first, last) of one cell and its coefficients. */
struct cell {
    size_t first, last;
    double a, b, c;
    int tau;                 /* index, -1: reduces nothing */
};

struct job {
    const struct chorale_points *points;
    const char *system;
    struct chorale_model *model;
    struct cell *cell;
    size_t ncell;
    double *x, *seconds, *scratch;
    size_t *row_cell;        /* cell of each row of the fit */
    unsigned char *use;
};

static int same_cell(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->n == b->n && a->provider == b->provider &&
           a->variant == b->variant && a->params == b->params &&
           a->conditions == b->conditions;
}

/* Index of the tau of that type and operation, added if new; -1: no room. */
static int find_tau(struct chorale_model *model,
                    const struct chorale_run_point *run)
{
    struct chorale_model_tau *tau = model->tau;

    for (size_t i = 0; i < model->ntau; i++)
        if (tau[i].dtype == run->dtype && tau[i].op == run->op)
            return (int)i;
    if (model->ntau == CHORALE_MODEL_TAUS)
        return -1;
    tau[model->ntau] = (struct chorale_model_tau){
        .dtype = run->dtype, .op = run->op,
        .type_size = chorale_dtype_size(run->dtype), .column = 0,
    };
    return (int)model->ntau++;
}

/* Coefficients of a run's cell; -1 if its cost is not known, 1 if it is no
 * model of the time (chorale_alg_modelled). */
static int coefficients(struct chorale_model *model,
                        const struct chorale_run_point *run, struct cell *cell)
{
    const struct chorale_alg *alg = chorale_alg_find(run->coll, run->variant);
    struct chorale_point pt = {
        .comm_size = run->comm_size, .msg_size = run->msg_size, .n = run->n,
        .type_size = chorale_dtype_size(run->dtype),
        .commutative = strcmp(run->op_class, "noncommutative") != 0,
        .ppn = strcmp(run->shape, "block") == 0 ? run->ppn : 0,
    };
    char why[160], policy[16];

    if (alg == NULL || chorale_dtype_find(run->dtype) < 0 ||
        chorale_alg_params_parse(alg, run->params, pt.param, why,
                                 sizeof(why)) != 0)
        return -1;
    if (!chorale_alg_modelled(alg, &pt))
        return 1;
    snprintf(policy, sizeof(policy), "%.*s",
             (int)strcspn(run->conditions, " "), run->conditions);
    chorale_alg_cost_policy(alg, &pt, policy, &cell->a, &cell->b, &cell->c);
    if (!isfinite(cell->a + cell->b + cell->c) ||
        cell->a < 0 || cell->b < 0 || cell->c < 0 ||
        cell->a + cell->b + cell->c <= 0)
        return -1;
    cell->tau = cell->c > 0 ? find_tau(model, run) : -1;
    return cell->c > 0 && cell->tau < 0 ? -1 : 0;
}

/* Group the runs of our own variants by cell. */
static void find_cells(struct job *job)
{
    const struct chorale_run_point *row = job->points->row;
    size_t i = 0, end;

    for (; i < job->points->count; i = end) {
        struct cell cell = { .first = i };
        size_t nok = 0;
        int known;

        for (end = i; end < job->points->count &&
                      same_cell(&row[i], &row[end]); end++)
            nok += row[end].ok != 0;
        cell.last = end;
        if (nok == 0 || strcmp(row[i].provider, "chorale") != 0 ||
            row[i].comm_size < 2)
            continue;
        known = coefficients(job->model, &row[i], &cell);
        if (known == 0)
            job->cell[job->ncell++] = cell;
        else if (known > 0)
            job->model->noverlap += nok;
        else
            job->model->nskipped += nok;
    }
}

/* Geometric mean of a cell over the launches of that ordinal (-1: all); 0 if
 * there is none. */
static double cell_seconds(const struct job *job, const struct cell *cell,
                           int ordinal)
{
    const struct chorale_run_point *row = job->points->row;
    double sum = 0;
    int n = 0;

    for (size_t i = cell->first; i < cell->last; i++) {
        if (!row[i].ok || (ordinal >= 0 && row[i].ordinal != ordinal))
            continue;
        sum += log(row[i].seconds);
        n++;
    }
    return n > 0 ? exp(sum / n) : 0;
}

/* The fit's rows: cells of that ordinal whose tau, if any, has a column and
 * is not the one left out (-1: none). */
static struct chorale_fit_data rows(struct job *job, int ordinal, int left_out)
{
    const struct chorale_model *model = job->model;
    size_t ncol = 2, n = 0;
    int column[CHORALE_MODEL_TAUS];

    for (size_t j = 0; j < model->ntau; j++)
        column[j] = model->tau[j].column < 0 || (int)j == left_out
                        ? -1 : (int)ncol++;
    for (size_t i = 0; i < job->ncell; i++) {
        const struct cell *cell = &job->cell[i];
        double *x = job->x + n * ncol;
        double seconds = cell_seconds(job, cell, ordinal);

        if (!(seconds > 0) || (cell->tau >= 0 && column[cell->tau] < 0))
            continue;
        memset(x, 0, ncol * sizeof(*x));
        x[0] = cell->a;
        x[1] = cell->b;
        if (cell->tau >= 0)
            x[column[cell->tau]] = cell->c;
        job->seconds[n] = seconds;
        job->row_cell[n++] = i;
    }
    return (struct chorale_fit_data){ n, ncol, job->x, job->seconds };
}

/* Leave out the taus that the measured variants cannot tell from beta, with
 * all their rows, until the rest can be told apart. */
static enum chorale_err choose_columns(struct job *job, double *condition_p,
                                       struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    enum chorale_err err;

    for (;;) {
        struct chorale_fit_data data = rows(job, -1, -1);
        double least = HUGE_VAL, c;
        int drop = -1;

        err = chorale_fit_condition(&data, condition_p, msg);
        if (err != CHORALE_OK || *condition_p < CHORALE_FIT_CONDITION)
            return err;
        for (size_t j = 0; j < model->ntau; j++) {
            if (model->tau[j].column < 0)
                continue;
            data = rows(job, -1, (int)j);
            err = chorale_fit_condition(&data, &c, msg);
            if (err != CHORALE_OK)
                return err;
            if (drop < 0 || c < least) {
                least = c;
                drop = (int)j;
            }
        }
        if (drop < 0)
            return CHORALE_OK;
        model->tau[drop].column = -1;
    }
}

/* Why alpha and beta cannot be had, and what to measure. */
static enum chorale_err missing(const struct job *job,
                                struct chorale_errmsg *msg)
{
    const struct chorale_run_point *row = job->points->row;
    size_t reducing = 0;
    int sizes = 1;

    if (job->ncell == 0)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: no successful measurement of Chorale's"
                            " own variants on 2 or more ranks, each on a"
                            " processor of its own; `chorale plan` and"
                            " `chorale run` first", job->system);
    for (size_t i = 0; i < job->ncell; i++) {
        reducing += job->cell[i].tau >= 0;
        sizes |= row[job->cell[i].first].n != row[job->cell[0].first].n
                     ? 2 : 0;
    }
    if (sizes == 1)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: one message size only (n = %zu bytes),"
                            " alpha and beta cannot be told apart; plan"
                            " several sizes, for example -m 8:1M",
                            job->system, row[job->cell[0].first].n);
    if (reducing == job->ncell)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: the measured reductions do not tell"
                            " beta and tau apart; measure bcast or allgather"
                            " too", job->system);
    return chorale_fail(msg, CHORALE_DATA,
                        "system %s: %zu measured cells do not tell alpha and"
                        " beta apart; plan more sizes, process counts or"
                        " variants", job->system, job->ncell);
}

static void number_columns(struct chorale_model *model)
{
    model->ncol = 2;
    for (size_t j = 0; j < model->ntau; j++)
        if (model->tau[j].column >= 0)
            model->tau[j].column = (int)model->ncol++;
}

static int compare_int(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) -
           (*(const int *)a < *(const int *)b);
}

/* Distinct ordinals of the cells' successful runs, ascending. */
static size_t ordinals(const struct job *job, int *list)
{
    const struct chorale_run_point *row = job->points->row;
    size_t n = 0, k = 0;

    for (size_t c = 0; c < job->ncell; c++)
        for (size_t i = job->cell[c].first; i < job->cell[c].last; i++)
            if (row[i].ok)
                list[n++] = row[i].ordinal;
    qsort(list, n, sizeof(*list), compare_int);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || list[i] != list[k - 1])
            list[k++] = list[i];
    return k;
}

/* Fit each launch by itself and widen the intervals by their spread. */
static enum chorale_err spread(struct job *job, struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    int *list = malloc((job->points->count + 1) * sizeof(*list));
    double (*value)[CHORALE_FIT_MAX] = NULL;
    enum chorale_err err = CHORALE_ENV;
    size_t k = 0;

    if (list == NULL)
        goto out;
    model->nlaunch = ordinals(job, list);
    value = malloc((model->nlaunch + 1) * sizeof(*value));
    if (value == NULL)
        goto out;
    for (size_t i = 0; i < model->nlaunch; i++) {
        struct chorale_fit_data data = rows(job, list[i], -1);
        struct chorale_fit_result one;

        err = chorale_fit(&data, &one, NULL);
        if (err == CHORALE_ENV)
            goto out;
        if (err == CHORALE_OK)
            memcpy(value[k++], one.value, sizeof(one.value));
    }
    chorale_fit_widen(&model->fit, model->ncol,
                      (const double (*)[CHORALE_FIT_MAX])value, k);
    err = CHORALE_OK;
out:
    free(list);
    free(value);
    if (err != CHORALE_OK)
        return chorale_fail(msg, err, "fit: out of memory");
    return err;
}

/* Error of each variant, in the order of the rows. */
static void errors_by_variant(struct job *job,
                              const struct chorale_fit_data *data)
{
    struct chorale_model *model = job->model;
    const struct chorale_run_point *row = job->points->row;

    for (size_t i = 0; i < data->nrow; i++) {
        const struct chorale_run_point *mine =
            &row[job->cell[job->row_cell[i]].first];
        struct chorale_model_variant *v = &model->variant[model->nvariant];
        struct chorale_fit_result error;
        size_t n = 0, known = 0;

        while (known < model->nvariant &&
               (model->variant[known].coll != mine->coll ||
                model->variant[known].name != mine->variant))
            known++;
        if (known < model->nvariant)
            continue;
        for (size_t j = 0; j < data->nrow; j++) {
            const struct chorale_run_point *other =
                &row[job->cell[job->row_cell[j]].first];

            job->use[j] = other->coll == mine->coll &&
                          other->variant == mine->variant;
            n += job->use[j];
        }
        chorale_fit_error(data, model->fit.value, job->use, job->scratch,
                          &error);
        *v = (struct chorale_model_variant){
            mine->coll, mine->variant, n, error.median_error,
            error.worst_error,
        };
        model->nvariant++;
    }
}

static enum chorale_err fit_cells(struct job *job, struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    struct chorale_fit_data data;
    double condition;
    enum chorale_err err = choose_columns(job, &condition, msg);

    if (err != CHORALE_OK)
        return err;
    if (!(condition < CHORALE_FIT_CONDITION))
        return missing(job, msg);
    number_columns(model);
    data = rows(job, -1, -1);
    err = chorale_fit(&data, &model->fit, msg);
    if (err != CHORALE_OK)
        return err;
    model->npoints = data.nrow;
    model->worst =
        job->points->row[job->cell[job->row_cell[model->fit.worst_row]].first];
    model->trusted = model->fit.median_error <= CHORALE_MODEL_TRUST &&
                     model->fit.tail_error <= CHORALE_MODEL_TRUST_TAIL;
    model->variant = calloc(data.nrow, sizeof(*model->variant));
    if (model->variant == NULL)
        return chorale_fail(msg, CHORALE_ENV, "fit: out of memory");
    errors_by_variant(job, &data);
    return spread(job, msg);
}

enum chorale_err chorale_model_fit(const struct chorale_points *points,
                                   const char *system,
                                   struct chorale_model *model,
                                   struct chorale_errmsg *msg)
{
    size_t n = points->count + 1;
    struct chorale_model got;
    struct job job = { .points = points, .system = system, .model = &got };
    enum chorale_err err;

    memset(&got, 0, sizeof(got));
    job.cell = malloc(n * sizeof(*job.cell));
    job.x = malloc(n * CHORALE_FIT_MAX * sizeof(*job.x));
    job.seconds = malloc(n * sizeof(*job.seconds));
    job.scratch = malloc(n * sizeof(*job.scratch));
    job.row_cell = malloc(n * sizeof(*job.row_cell));
    job.use = malloc(n);
    if (job.cell == NULL || job.x == NULL || job.seconds == NULL ||
        job.scratch == NULL || job.row_cell == NULL || job.use == NULL) {
        err = chorale_fail(msg, CHORALE_ENV, "fit: out of memory");
        goto out;
    }
    find_cells(&job);
    err = fit_cells(&job, msg);
    if (err != CHORALE_OK)
        goto out;
    *model = got;
    got.variant = NULL;
out:
    chorale_model_release(&got);
    free(job.cell);
    free(job.x);
    free(job.seconds);
    free(job.scratch);
    free(job.row_cell);
    free(job.use);
    return err;
}

void chorale_model_release(struct chorale_model *model)
{
    free(model->variant);
    model->variant = NULL;
    model->nvariant = 0;
}
