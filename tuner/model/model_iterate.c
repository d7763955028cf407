/* SPDX-License-Identifier: BSD-3-Clause */
/* model_iterate.c - fit one network to the cells. Each round replays them and
 * fits the parameters to the coefficients of the critical paths, until the
 * paths no longer change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/model_internal.h"

#define NEAR 1e-3  /* relative change below which distant rows lose weight */
#define LATENCY 0.95 /* largest share of alpha in overheads and gap */
#define WILD 8     /* sum of |terms| / time of an ill-conditioned cell */
#define STILL 1e-9 /* relative change below which the paths are final */

/* --- columns ----------------------------------------------------------- */

size_t chorale_model_column_tau(const struct chorale_model *model, size_t tau)
{
    size_t n = (size_t)chorale_net_column_parts(&model->net);

    for (size_t i = 0; i < tau; i++)
        n += (size_t)model->tau[i].regime.n;
    return n;
}

size_t chorale_model_column_parts(const struct chorale_model *model)
{
    return chorale_model_column_tau(model, model->ntau);
}

size_t chorale_model_columns(const struct chorale_model *model)
{
    return chorale_model_column_parts(model) + CHORALE_NET_PARTS;
}

void chorale_model_values_get(const struct chorale_model *model, double *value)
{
    double own[CHORALE_NET_COLUMNS];
    size_t parts = (size_t)chorale_net_column_parts(&model->net);

    chorale_net_get(&model->net, own);
    memcpy(value, own, parts * sizeof(*value));
    for (size_t t = 0; t < model->ntau; t++)
        memcpy(value + chorale_model_column_tau(model, t),
               model->tau[t].regime.beta,
               (size_t)model->tau[t].regime.n * sizeof(*value));
    memcpy(value + chorale_model_column_parts(model), own + parts,
           CHORALE_NET_PARTS * sizeof(*value));
}

void chorale_model_values_set(struct chorale_model *model, const double *value)
{
    double own[CHORALE_NET_COLUMNS] = { 0 };
    size_t parts = (size_t)chorale_net_column_parts(&model->net);

    memcpy(own, value, parts * sizeof(*value));
    memcpy(own + parts, value + chorale_model_column_parts(model),
           CHORALE_NET_PARTS * sizeof(*value));
    chorale_net_set(&model->net, own);
    for (size_t t = 0; t < model->ntau; t++)
        memcpy(model->tau[t].regime.beta,
               value + chorale_model_column_tau(model, t),
               (size_t)model->tau[t].regime.n * sizeof(*value));
}

/* --- replay ------------------------------------------------------------ */

/* Index of the median of n <= 3 times. */
static int middle(const double *t, int n)
{
    for (int i = 0; n == 3 && i < 3; i++) {
        double a = t[(i + 1) % 3], b = t[(i + 2) % 3];

        if ((a <= t[i] && t[i] <= b) || (b <= t[i] && t[i] <= a))
            return i;
    }
    return 0;
}

double chorale_model_cell_replay(const struct model_job *job,
                                 const struct model_cell *cell,
                                 const struct chorale_net *wide, double *column)
{
    const struct chorale_model *model = job->model;
    struct chorale_net net = wide != NULL ? *wide : model->net;
    double own[3][CHORALE_NET_COLUMNS], seconds[3];
    size_t parts = (size_t)chorale_net_column_parts(&net);
    int n = 0, m;

    if (wide == NULL && cell->tau >= 0)
        net.tau = model->tau[cell->tau].regime;
    else if (wide == NULL)
        net.tau = (struct chorale_net_regimes){ .n = 0 };
    for (int i = 0; i < 3; i++)
        if (cell->score[i] != NULL) {
            seconds[n] = chorale_recording_replay(cell->score[i], &net, own[n]);
            if (!(seconds[n] > 0))
                return NAN;
            n++;
        }
    m = middle(seconds, n);
    if (column != NULL && wide != NULL)
        memcpy(column, own[m],
               (size_t)chorale_net_columns(&net) * sizeof(*column));
    else if (column != NULL) {
        memset(column, 0, job->ncol * sizeof(*column));
        memcpy(column, own[m], parts * sizeof(*column));
        memcpy(column + chorale_model_column_parts(model), own[m] + parts,
               CHORALE_NET_PARTS * sizeof(*column));
        if (cell->tau >= 0)
            memcpy(column + chorale_model_column_tau(model, (size_t)cell->tau),
                   own[m] + parts + CHORALE_NET_PARTS,
                   (size_t)net.tau.n * sizeof(*column));
    }
    return seconds[m];
}

int chorale_model_held_out(const struct model_job *job,
                           const struct model_cell *cell)
{
    return job->opts.max_procs > 0 &&
           cell->pt.comm_size > job->opts.max_procs;
}

int chorale_model_ill_cond(const struct model_job *job, const double *x,
                           double seconds)
{
    double value[CHORALE_FIT_MAX], sum = 0;

    chorale_model_values_get(job->model, value);
    for (size_t j = 0; j < job->ncol; j++)
        sum += fabs(x[j] * value[j]);
    return sum > WILD * seconds;
}

/* Whether the model and the subset are those of the last replay. */
static int same_as_last(struct model_job *job)
{
    const struct chorale_model *now = job->model, *was = job->last;
    int same = job->last_coarse == job->coarse &&
               memcmp(&was->net, &now->net, sizeof(now->net)) == 0 &&
               memcmp(was->tau, now->tau, sizeof(now->tau)) == 0;

    job->last->net = now->net;
    memcpy(job->last->tau, now->tau, sizeof(now->tau));
    job->last_coarse = job->coarse;
    return same;
}

/* Replay all cells; sets job->x, job->lack. -1: out of memory. */
static int play_all(struct model_job *job)
{
    double sum = 0;
    size_t n = 0;

    if (same_as_last(job))
        return 0;
    job->ncol = chorale_model_columns(job->model);
    if (job->ncol > CHORALE_FIT_MAX)
        return -1;
    for (size_t i = 0; i < job->nrow; i++) {
        struct model_cell *cell = &job->cell[i];

        cell->use = 0;
        if ((job->coarse && !cell->coarse) || chorale_model_held_out(job, cell))
            continue;
        cell->played = chorale_model_cell_replay(job, cell, NULL,
                                                 job->x + i * CHORALE_FIT_MAX);
        cell->wild = chorale_model_ill_cond(job, job->x + i * CHORALE_FIT_MAX,
                                            cell->played);
        cell->use = cell->played > 0 &&
                    (cell->tau < 0 || job->model->tau[cell->tau].known);
        if (cell->use && !cell->memory) {
            sum += fmin(0.5, fabs(log(cell->seconds / cell->played)));
            n++;
        } else if (!cell->memory && cell->played <= 0) {
            sum += 0.5; /* all of its parameters are 0 */
            n++;
        }
    }
    job->lack = n > 0 ? sum / (double)n : HUGE_VAL;
    return 0;
}

enum chorale_err chorale_model_replay(struct model_job *job,
                                      struct chorale_errmsg *msg)
{
    if (play_all(job) != 0)
        return chorale_fail_memory(msg, "fit");
    return CHORALE_OK;
}

/* --- fitting ----------------------------------------------------------- */

/* Rows of a fit in job->rx, without the dropped columns. */
static struct chorale_fit_data rows(struct model_job *job,
                                    const unsigned char *use, int ordinal,
                                    const unsigned char *drop)
{
    struct chorale_fit_data data = { .x = job->rx, .seconds = job->rs };

    for (size_t j = 0; j < job->ncol; j++)
        data.ncol += drop == NULL || !drop[j];
    for (size_t i = 0; i < job->nrow; i++) {
        const struct model_cell *cell = &job->cell[i];
        const double *x = job->x + i * CHORALE_FIT_MAX;
        double seconds = ordinal < 0 ? cell->seconds
                                     : chorale_model_cell_seconds(job, cell,
                                                                  ordinal);
        double *to = job->rx + data.nrow * data.ncol;

        if (!cell->use || cell->wild || (use != NULL && !use[i]) ||
            !(seconds > 0))
            continue;
        for (size_t j = 0; j < job->ncol; j++)
            if (drop == NULL || !drop[j])
                *to++ = x[j];
        job->rs[data.nrow] = seconds;
        job->row[data.nrow++] = i;
    }
    return data;
}

enum chorale_err chorale_model_fit_rows(struct model_job *job,
                                        const unsigned char *use, int ordinal,
                                        double *value,
                                        struct chorale_fit_result *fit,
                                        struct chorale_errmsg *msg)
{
    struct chorale_fit_data data = rows(job, use, ordinal, job->drop);
    struct chorale_fit_result got;
    double start[CHORALE_FIT_MAX];
    enum chorale_err err;
    size_t k = 0;

    for (size_t j = 0; j < job->ncol; j++)
        if (!job->drop[j])
            start[k++] = value[j];
    data.start = job->cold ? NULL : start;
    data.wide = job->wide;
    err = chorale_least_squares_fit(&data, &got, msg);
    if (err != CHORALE_OK)
        return err;
    if (fit != NULL)
        *fit = got;
    k = 0;
    for (size_t j = 0; j < job->ncol; j++) {
        value[j] = job->drop[j] ? 0 : got.value[k];
        if (fit != NULL) {
            fit->value[j] = value[j];
            fit->lo[j] = job->drop[j] ? NAN : got.lo[k];
            fit->hi[j] = job->drop[j] ? NAN : got.hi[k];
        }
        k += !job->drop[j];
    }
    return CHORALE_OK;
}

/* Drop the columns that depend linearly on others. A tau that is not separable
 * from beta is dropped together with its cells. */
static enum chorale_err separate(struct model_job *job,
                                 struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    enum chorale_err err;
    int again;

    do {
        struct chorale_fit_data data = rows(job, NULL, -1, NULL);

        again = 0;
        memset(job->drop, 0, CHORALE_FIT_MAX);
        err = chorale_fit_separate(&data, job->drop, msg);
        if (err != CHORALE_OK)
            return err;
        for (size_t t = 0; t < model->ntau; t++) {
            size_t at = chorale_model_column_tau(model, t);

            if (!job->drop[at] || !model->tau[t].known)
                continue;
            model->tau[t].known = 0;
            for (size_t i = 0; i < job->ncell; i++)
                if (job->cell[i].tau == (int)t && job->cell[i].use) {
                    job->cell[i].use = 0;
                    again = 1;
                }
        }
    } while (again);
    return CHORALE_OK;
}

/* Report why alpha and beta are not identifiable, and what to measure. */
static enum chorale_err missing(const struct model_job *job,
                                struct chorale_errmsg *msg)
{
    const struct chorale_run_point *row = job->points->row;
    size_t reducing = 0;
    int sizes = 1;

    if (job->ncell == 0)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: no successful measurement of Chorale's "
                            "variants on 2 or more ranks with a processor "
                            "each; `chorale plan` and `chorale run` first",
                            job->system);
    for (size_t i = 0; i < job->ncell; i++) {
        const struct chorale_run_point *r = &row[job->cell[i].first];

        reducing += job->cell[i].tau >= 0;
        sizes |= r->msg_size != row[job->cell[0].first].msg_size ? 2 : 0;
    }
    if (sizes == 1)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: one message size only (m = %zu bytes),"
                            " alpha and beta are not separable; plan"
                            " several sizes, for example -m 8:1M",
                            job->system, row[job->cell[0].first].msg_size);
    if (reducing == job->ncell)
        return chorale_fail(msg, CHORALE_DATA,
                            "system %s: the measured reductions do not"
                            " separate beta and tau; measure bcast or"
                            " allgather too", job->system);
    return chorale_fail(msg, CHORALE_DATA,
                        "system %s: %zu measured cell%s not separate alpha"
                        " and beta; plan more sizes, process counts or"
                        " variants", job->system, job->ncell,
                        job->ncell == 1 ? " does" : "s do");
}

static int any_use(const struct model_job *job)
{
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].use)
            return 1;
    return 0;
}

/* The largest relative change of any nonzero value. */
static double change(const struct model_job *job, const double *a,
                     const double *b)
{
    double most = 0;

    for (size_t j = 0; j < job->ncol; j++)
        if (b[j] > 0 || a[j] > 0)
            most = fmax(most, fabs(a[j] - b[j]) / fmax(a[j], b[j]));
    return most;
}

/* Limit overheads and gap to LATENCY of alpha: a larger step would remove alpha
 * from the critical paths. */
static void limit_parts(struct model_job *job, double *value)
{
    const struct chorale_net *net = &job->model->net;
    size_t parts = chorale_model_column_parts(job->model);
    double least = HUGE_VAL, sum = 0;

    for (int l = 0; l < net->nlevel; l++)
        for (int k = 0; k < net->level[l].regime.n; k++) {
            double alpha = value[chorale_net_column(net, l, k)];

            if (alpha > 0)
                least = fmin(least, alpha);
        }
    for (size_t i = 0; i < CHORALE_NET_DELAYS; i++)
        sum += value[parts + i];
    for (size_t i = 0; i < CHORALE_NET_DELAYS && sum > LATENCY * least; i++)
        value[parts + i] *= LATENCY * least / sum;
}

/* One more fit with the coefficients of the last replay; *moved_p: the relative
 * change of the values. */
static enum chorale_err step(struct model_job *job, const double *value,
                             double *moved_p, struct chorale_errmsg *msg)
{
    double next[CHORALE_FIT_MAX];
    enum chorale_err err = separate(job, msg);

    if (err != CHORALE_OK)
        return err;
    if (!any_use(job) || job->drop[0] || job->drop[1])
        return missing(job, msg);
    memcpy(next, value, sizeof(next));
    err = chorale_model_fit_rows(job, NULL, -1, next, &job->model->fit, msg);
    if (err == CHORALE_DATA)
        return missing(job, msg);
    if (err != CHORALE_OK)
        return err;
    limit_parts(job, next);
    *moved_p = change(job, next, value);
    chorale_model_values_set(job->model, next);
    return CHORALE_OK;
}

enum chorale_err chorale_model_converge(struct model_job *job, int rounds,
                                        struct chorale_errmsg *msg)
{
    double value[CHORALE_FIT_MAX] = { 0 }, best[CHORALE_FIT_MAX] = { 0 };
    double least = HUGE_VAL, moved = 1;
    enum chorale_err err = CHORALE_OK;

    if (job->ncell < 2) /* times of copies in memory are no model of one cell */
        return missing(job, msg);
    job->wide = rounds > 1;
    for (int round = 0; err == CHORALE_OK; round++) {
        err = chorale_model_asked(job, msg);
        if (err != CHORALE_OK)
            break;
        if (play_all(job) != 0)
            return chorale_fail_memory(msg, "fit");
        chorale_model_values_get(job->model, value);
        if (round == 0 || job->lack < least) {
            least = round == 0 ? HUGE_VAL : job->lack;
            memcpy(best, value, sizeof(best));
        }
        if (job->wide && (moved < NEAR || 2 * round > rounds)) {
            job->wide = 0;
            moved = 1;
        }
        if (round == rounds || moved < STILL)
            break;
        err = step(job, value, &moved, msg);
    }
    job->wide = 0;
    if (err != CHORALE_OK)
        return err;
    /* The paths may oscillate: take the values that fitted best. */
    chorale_model_values_set(job->model, best);
    if (play_all(job) != 0)
        return chorale_fail_memory(msg, "fit");
    err = separate(job, msg);
    if (err == CHORALE_OK)
        err = chorale_model_fit_rows(job, NULL, -1, best, &job->model->fit,
                                     msg);
    return err;
}

void chorale_model_save(const struct model_job *job, struct model_state *state)
{
    state->net = job->model->net;
    memcpy(state->tau, job->model->tau, sizeof(state->tau));
    state->lack = job->lack;
}

enum chorale_err chorale_model_restore(struct model_job *job,
                                       const struct model_state *state,
                                       struct chorale_errmsg *msg)
{
    job->model->net = state->net;
    memcpy(job->model->tau, state->tau, sizeof(state->tau));
    return chorale_model_converge(job, 1, msg);
}
