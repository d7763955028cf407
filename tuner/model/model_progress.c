/* SPDX-License-Identifier: BSD-3-Clause */
/* model_progress.c - progress of a fit, and requests to stop it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/model/model_internal.h"

size_t chorale_model_cutoffs(const double *value, size_t k, double apart,
                             double *cut)
{
    double last = 0;
    size_t n = 0;

    for (size_t i = 0; i + 1 < k; i++) {
        if (last > 0 && value[i] < apart * last)
            continue;
        last = value[i];
        cut[n++] = last;
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sort and remove duplicates. */
static size_t distinct(double *value, size_t n)
{
    size_t k = 0;

    qsort(value, n, sizeof(*value), compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || value[i] > value[k - 1])
            value[k++] = value[i];
    return k;
}

/* Number of fits that chorale_model_crossval() makes for cross-validation. */
static long folds(const struct model_job *job, double *value, double *cut)
{
    size_t n = 0, k, all = 0;

    for (size_t i = 0; i < job->ncell; i++)
        if (!chorale_model_held_out(job, &job->cell[i]))
            value[n++] = job->cell[i].pt.comm_size;
    k = distinct(value, n);
    all += (k > 1 ? k : 0) + chorale_model_cutoffs(value, k, MODEL_RANKS_APART,
                                                   cut);
    n = 0;
    for (size_t i = 0; i < job->ncell; i++)
        if (!chorale_model_held_out(job, &job->cell[i]))
            value[n++] = (double)job->cell[i].pt.msg_size;
    k = distinct(value, n);
    all += chorale_model_cutoffs(value, k, MODEL_SIZES_APART, cut);
    if (!job->opts.exact && k > 2)
        all += (k - 3) / ((k - 3) / MODEL_SIZES_OUT + 1) + 1;
    return (long)all;
}

int chorale_model_progress_begin(const struct model_job *job)
{
    struct chorale_progress *bar = job->opts.bar;
    double *value, *cut;

    if (bar == NULL)
        return 0;
    value = malloc((job->ncell + 1) * sizeof(*value));
    cut = malloc((job->ncell + 1) * sizeof(*cut));
    if (value != NULL && cut != NULL)
        bar->total = MODEL_SEARCH +
                     (job->opts.no_check ? 0 : folds(job, value, cut));
    free(value);
    free(cut);
    return value != NULL && cut != NULL ? 0 : -1;
}

void chorale_model_progress(const struct model_job *job, long done,
                            const char *format, ...)
{
    char what[96];
    va_list args;

    if (job->opts.bar == NULL)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    chorale_progress_step(job->opts.bar, done, what);
}

enum chorale_err chorale_model_asked(const struct model_job *job,
                                     struct chorale_errmsg *msg)
{
    if (job->opts.asked == NULL || !job->opts.asked())
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_STOPPED, "fit: stopped, the model of "
                        "system %s is unchanged; repeat the command",
                        job->system);
}
