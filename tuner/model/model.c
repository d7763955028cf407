/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c - fit the model of a system to its runs, with intervals. */
#include "tuner/model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "tuner/model/model_internal.h"

#define WORSE 1.05 /* largest lack of fit of the launches' mean, relative to the
                    * lack of fit before */

static int compare_int(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) -
           (*(const int *)a < *(const int *)b);
}

/* Distinct ordinals of the cells' successful runs, ascending. */
static size_t ordinals(const struct model_job *job, int *list)
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

/* Take the geometric mean of the launches' fits as the model's values: outliers
 * bias a fit to the cells' centres, always upwards. If the mean misses the
 * centres by clearly more than the values do, the launches saw different states
 * of the machine, and the values stay. */
static enum chorale_err use_launch_mean(struct model_job *job,
                                        const double (*value)[CHORALE_FIT_MAX],
                                        size_t k, struct chorale_errmsg *msg)
{
    double mean[CHORALE_FIT_MAX] = { 0 }, was[CHORALE_FIT_MAX];
    double lack = job->lack;
    enum chorale_err err;

    chorale_model_values_get(job->model, was);
    for (size_t j = 0; j < job->ncol; j++) {
        double sum = 0, log_sum = 0;

        for (size_t i = 0; i < k; i++) {
            sum += value[i][j] / (double)k;
            log_sum += log(value[i][j]) / (double)k;
        }
        mean[j] = isfinite(log_sum) ? exp(log_sum) : sum;
    }
    chorale_model_values_set(job->model, mean);
    err = chorale_model_replay(job, msg);
    if (err == CHORALE_OK && job->lack <= WORSE * lack) {
        memcpy(job->model->fit.value, mean, sizeof(mean));
        return CHORALE_OK;
    }
    chorale_model_values_set(job->model, was);
    return err == CHORALE_OK ? chorale_model_replay(job, msg) : err;
}

/* Fit each launch separately; the intervals come from the differences. */
static enum chorale_err spread(struct model_job *job,
                               struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    int *list = malloc((job->points->count + 1) * sizeof(*list));
    double (*value)[CHORALE_FIT_MAX] = NULL;
    enum chorale_err err = CHORALE_ENV;
    size_t k = 0;

    if (list == NULL)
        goto out;
    model->nlaunch = ordinals(job, list);
    value = calloc(model->nlaunch + 1, sizeof(*value));
    if (value == NULL)
        goto out;
    err = CHORALE_OK;
    chorale_model_progress(job, 1, "launches, each by itself");
    for (size_t i = 0; i < model->nlaunch && model->nlaunch > 1; i++) {
        chorale_model_values_get(model, value[k]);
        err = chorale_model_fit_rows(job, NULL, list[i], value[k], NULL, NULL);
        if (err == CHORALE_ENV)
            goto out;
        k += err == CHORALE_OK;
    }
    err = CHORALE_OK;
    if (k > 1 && k == model->nlaunch)
        err = use_launch_mean(job, (const double (*)[CHORALE_FIT_MAX])value, k,
                              msg);
    if (err == CHORALE_OK)
        err = chorale_fit_spread(&model->fit, job->ncol,
                                 (const double (*)[CHORALE_FIT_MAX])value, k,
                                 msg);
    if (err == CHORALE_OK)
        err = chorale_model_ports_spread(job, list, model->nlaunch, msg);
out:
    free(list);
    free(value);
    if (err == CHORALE_ENV)
        return chorale_fail_memory(msg, "fit");
    return err;
}

static void add_param(struct model_job *job, size_t column, const char *name,
                      const char *level, const struct chorale_net_regimes *r,
                      int k, int tau)
{
    struct chorale_model *model = job->model;

    if (job->drop[column] || model->nparam == CHORALE_MODEL_PARAMS)
        return;
    model->param[model->nparam++] = (struct chorale_model_param){
        .name = name, .level = level, .tau = tau,
        .from = r != NULL && k > 0 ? r->upto[k - 1] : -1,
        .upto = r != NULL ? r->upto[k] : HUGE_VAL,
        .value = model->fit.value[column],
        .lo = model->fit.lo[column], .hi = model->fit.hi[column],
    };
}

/* Clamp to at least 1; NAN stays NAN. */
static double at_least_one(double ways)
{
    return ways < 1 ? 1 : ways;
}

/* Add kappa for each measured ppn: between nodes, and inside a node if its
 * messages share the node's ports. */
static void add_kappas(struct model_job *job, const char *level, int nodes)
{
    struct chorale_model *model = job->model;

    for (int ppn = 2, most = 0;; ppn = most) {
        most = 0;
        for (size_t i = 0; i < job->ncell; i++)
            if (job->cell[i].nodes >= nodes && job->cell[i].ppn >= ppn &&
                (most == 0 || job->cell[i].ppn < most))
                most = job->cell[i].ppn;
        if (most == 0 || model->nparam == CHORALE_MODEL_PARAMS)
            return;
        model->param[model->nparam++] = (struct chorale_model_param){
            .name = "kappa", .level = level, .tau = -1, .ppn = most,
            .from = -1, .upto = HUGE_VAL,
            .value = fmax(1, most / model->net.ports),
            .lo = at_least_one(most / job->ports_hi),
            .hi = at_least_one(most / job->ports_lo),
        };
        most++;
    }
}

static void list_params(struct model_job *job)
{
    static const char *const parts[CHORALE_NET_PARTS] = {
        "send_overhead", "recv_overhead", "gap", "copy", "cold", "alpha"
    };
    struct chorale_model *model = job->model;

    for (int l = 0; l < model->net.nlevel; l++) {
        const struct chorale_net_level *level = &model->net.level[l];

        for (int k = 0; k < level->regime.n; k++) {
            size_t c = (size_t)chorale_net_column(&model->net, l, k);

            add_param(job, c, "alpha", level->name, &level->regime, k, -1);
            add_param(job, c + 1, "beta", level->name, &level->regime, k, -1);
            if (model->net.memory)
                add_param(job, c + 2, "cold", level->name, &level->regime, k,
                          -1);
        }
    }
    for (size_t t = 0; t < model->ntau; t++)
        for (int k = 0; k < model->tau[t].regime.n; k++)
            if (model->tau[t].known)
                add_param(job, chorale_model_column_tau(model, t) + (size_t)k,
                          "tau", "all", &model->tau[t].regime, k, (int)t);
    for (size_t i = 0; i < CHORALE_NET_PARTS; i++)
        if (i < CHORALE_NET_DELAYS || model->net.memory)
            add_param(job, chorale_model_column_parts(model) + i, parts[i],
                      i < CHORALE_NET_DELAYS ? "all" : CHORALE_MODEL_LOCAL,
                      NULL, 0, -1);
    add_kappas(job, "net", 2);
    if (model->net.inner_shared)
        add_kappas(job, "node", 1);
}

/* Compute the errors of the replayed model. */
static void errors(struct model_job *job)
{
    struct chorale_model *model = job->model;
    struct chorale_fit_data data = { .ncol = 1, .x = job->rx,
                                     .seconds = job->rs };
    const double one = 1;

    for (size_t i = 0; i < job->ncell; i++) {
        if (!job->cell[i].use)
            continue;
        job->rx[data.nrow] = job->cell[i].played;
        job->rs[data.nrow] = job->cell[i].seconds;
        job->row[data.nrow++] = i;
    }
    chorale_fit_error(&data, &one, NULL, job->scratch, &model->fit);
    model->npoints = data.nrow;
    model->worst =
        job->points->row[job->cell[job->row[model->fit.worst_row]].first];
    model->trusted = model->fit.median_error <= CHORALE_MODEL_TRUST &&
                     model->fit.tail_error <= CHORALE_MODEL_TRUST_TAIL;
}

/* Predict the process counts that were excluded from the fit. */
static void cross_validate(struct model_job *job)
{
    struct chorale_model *model = job->model;
    size_t n = 0;

    for (size_t i = 0; i < job->ncell; i++) {
        struct model_cell *cell = &job->cell[i];
        double seconds, error;

        if (!chorale_model_held_out(job, cell))
            continue;
        seconds = chorale_model_cell_replay(job, cell, NULL, NULL);
        if (!(seconds > 0) ||
            (cell->tau >= 0 && !model->tau[cell->tau].known))
            continue;
        error = fabs(seconds / cell->seconds - 1);
        if (n == 0 || error > model->beyond.worst) {
            model->beyond.worst = error;
            model->beyond.at = job->points->row[cell->first];
        }
        job->scratch[n++] = error;
    }
    model->beyond.npoints = n;
    if (n == 0)
        return;
    chorale_sort(job->scratch, n);
    model->beyond.median = chorale_quantile(job->scratch, n, 0.5);
}

void chorale_model_job_free(struct model_job *job)
{
    free(job->cell);
    free(job->x);
    free(job->drop);
    free(job->last);
    free(job->rx);
    free(job->rs);
    free(job->scratch);
    free(job->row);
}

int chorale_model_job_alloc(struct model_job *job)
{
    size_t n = job->nrow + 1, wide = n * CHORALE_FIT_MAX;

    job->x = calloc(wide, sizeof(*job->x));
    job->rx = calloc(wide, sizeof(*job->rx));
    job->drop = calloc(CHORALE_FIT_MAX, 1);
    job->rs = calloc(n, sizeof(*job->rs));
    job->last = calloc(1, sizeof(*job->last));
    job->scratch = calloc(n, sizeof(*job->scratch));
    job->row = calloc(n, sizeof(*job->row));
    return job->x && job->rx && job->drop && job->rs && job->scratch &&
                   job->row && job->last ? 0 : -1;
}

static void job_release(struct model_job *job)
{
    for (size_t i = 0; i < job->nrow; i++)
        for (int k = 0; k < 3; k++)
            chorale_recording_free(job->cell[i].score[k]);
    chorale_model_job_free(job);
}

enum chorale_err chorale_model_fit(const struct chorale_points *points,
                                   const char *system,
                                   const struct chorale_model_opts *opts,
                                   struct chorale_model *model,
                                   struct chorale_errmsg *msg)
{
    struct chorale_model got;
    struct model_job job = { .points = points, .system = system,
                             .model = &got };
    enum chorale_err err;

    memset(&got, 0, sizeof(got));
    if (opts != NULL)
        job.opts = *opts;
    err = chorale_model_cells_find(&job, msg);
    if (err == CHORALE_OK && chorale_model_job_alloc(&job) != 0)
        err = chorale_fail_memory(msg, "fit");
    if (err == CHORALE_OK && chorale_model_progress_begin(&job) != 0)
        err = chorale_fail_memory(msg, "fit");
    if (err == CHORALE_OK)
        err = chorale_model_search(&job, msg);
    if (err == CHORALE_OK)
        err = spread(&job, msg);
    if (err == CHORALE_OK) {
        list_params(&job);
        errors(&job);
        cross_validate(&job);
        chorale_model_progress(&job, 1, "variants");
        err = chorale_model_crossval(&job, msg);
    }
    if (err == CHORALE_OK) {
        *model = got;
        got.variant = NULL;
        got.nvariant = 0;
    }
    chorale_model_release(&got);
    job_release(&job);
    return err;
}

void chorale_model_release(struct chorale_model *model)
{
    for (size_t i = 0; i < model->nvariant; i++)
        free(model->variant[i].ranks);
    free(model->variant);
    model->variant = NULL;
    model->nvariant = 0;
}

const char *chorale_model_ports(const struct chorale_net *net, char *text)
{
    if (net->overlap_upto < 0)
        snprintf(text, 48, "one_port");
    else if (isinf(net->overlap_upto))
        snprintf(text, 48, "overlapped");
    else
        snprintf(text, 48, "overlapped up to %.0f bytes", net->overlap_upto);
    return text;
}
