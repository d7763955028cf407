/* SPDX-License-Identifier: BSD-3-Clause */
/* model_refit.c - fit a separate network to a subset of the cells and predict
 * the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/model_internal.h"

/* A large subset is sampled, spread over all its cells: at least CELLS cells
 * and about NOTES events. The first COARSE cells choose the kind of network. */
#define CELLS 60
#define NOTES 2000
#define COARSE 30
#define GOLDEN 0.6180339887498949

static size_t notes_of(const struct model_cell *cell)
{
    size_t notes = 0;

    for (int k = 0; k < 3; k++)
        if (cell->score[k] != NULL)
            notes += 1 + chorale_recording_events(cell->score[k]);
    return notes;
}

/* Sum the events of the used cells with at most `most` each; *n: their
 * number. */
static double sum_notes(const struct model_job *job, const unsigned char *use,
                        double most, double *n)
{
    double sum = 0;

    *n = 0;
    for (size_t i = 0; i < job->ncell; i++) {
        double notes = (double)notes_of(&job->cell[i]);

        if (!use[i] || notes > most)
            continue;
        sum += notes;
        ++*n;
    }
    return sum;
}

/* Copy the cells in use. If there are too many, take a share of those with at
 * most the mean number of events, evenly over variants, ranks and sizes. */
static void take_cells(struct model_job *fold, const struct model_job *job,
                       const unsigned char *use)
{
    double n, notes = sum_notes(job, use, HUGE_VAL, &n), most = HUGE_VAL;
    double share, coarse, at = 0;
    int inner = 0; /* 1: a cell has several ranks on a node */

    if (notes > NOTES && n > CELLS) {
        most = notes / n;
        notes = sum_notes(job, use, most, &n);
    }
    share = fmin(1, fmax(NOTES / notes, CELLS / n));
    coarse = fmin(1, COARSE / (share * n)) * share;
    for (size_t i = 0; i < job->ncell; i++) {
        if (!use[i] || (double)notes_of(&job->cell[i]) > most)
            continue;
        at = fmod(at + GOLDEN, 1);
        if (at >= share)
            continue;
        fold->cell[fold->ncell] = job->cell[i];
        fold->cell[fold->ncell++].coarse = at < coarse;
    }
    fold->nrow = fold->ncell;
    for (size_t i = 0; i < fold->ncell; i++)
        inner |= fold->cell[i].ppn > 1;
    for (size_t i = job->ncell; inner && i < job->nrow; i++)
        fold->cell[fold->nrow++] = job->cell[i];
}

/* The levels a cell uses: 1 inside nodes, 2 between nodes. */
static int levels(const struct model_cell *cell)
{
    return (cell->ppn > 1 ? 1 : 0) | (cell->nodes > 1 ? 2 : 0);
}

/* Predict a cell outside the fold. NAN: it needs a parameter that the fold
 * lacks; MODEL_WILD: ill-conditioned. */
static double ask(const struct model_job *fold, const struct model_cell *cell,
                  int told)
{
    const struct chorale_model *model = fold->model;
    double x[CHORALE_FIT_MAX], seconds;
    size_t parts = chorale_model_column_parts(model);

    if ((levels(cell) & ~told) != 0 ||
        (cell->tau >= 0 && !model->tau[cell->tau].known))
        return NAN;
    seconds = chorale_model_cell_replay(fold, cell, NULL, x);
    for (size_t j = 0; j < parts; j++)
        if (fold->drop[j] && fabs(x[j]) > 0)
            return NAN;
    return seconds > 0 && chorale_model_ill_cond(fold, x, seconds) ? MODEL_WILD
                                                          : seconds;
}

enum chorale_err chorale_model_predict(const struct model_job *job,
                                       const unsigned char *use,
                                       double *seconds,
                                       struct chorale_errmsg *msg)
{
    struct chorale_model model = { .ntau = job->model->ntau };
    struct model_job fold = { .points = job->points, .system = job->system,
                              .opts = job->opts, .model = &model };
    enum chorale_err err = CHORALE_ENV;
    int told = 0;

    fold.opts.bar = NULL; /* the whole fold is one step of job's bar */
    memcpy(model.tau, job->model->tau, sizeof(model.tau));
    fold.cell = malloc((job->nrow + 1) * sizeof(*fold.cell));
    if (fold.cell != NULL) {
        take_cells(&fold, job, use);
        err = chorale_model_job_alloc(&fold) == 0
                  ? chorale_model_search(&fold, NULL)
                  : CHORALE_ENV;
    }
    for (size_t i = 0; i < fold.ncell; i++)
        told |= levels(&fold.cell[i]);
    for (size_t i = 0; i < job->ncell && err != CHORALE_ENV; i++)
        seconds[i] = err == CHORALE_OK && !use[i]
                         ? ask(&fold, &job->cell[i], told) : NAN;
    chorale_model_job_free(&fold);
    if (err == CHORALE_ENV)
        return chorale_fail_memory(msg, "fit");
    return chorale_model_asked(job, msg);
}
