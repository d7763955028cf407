/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_ratios.c - the candidates of one measured size as log ratios to the
 * library in the same launch, which cancel variation between launches. */
#include "tuner/decide/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct chorale_run_point chorale_library_run = {
    .provider = "library", .variant = "default", .params = "",
};

static int is_library(const struct chorale_run_point *row)
{
    return strcmp(row->provider, "library") == 0;
}

static size_t find_launch(const struct chorale_measured *spot,
                          const char *launch)
{
    size_t i = 0;

    while (i < spot->nlaunch && spot->launch[i] != launch)
        i++;
    return i;
}

const char *chorale_decide_other(const struct chorale_run_point *run,
                                 const struct chorale_decide_opts *opts)
{
    if (strcmp(run->provider, opts->rules ? "native" : "chorale") == 0)
        return NULL;
    if (strcmp(run->provider, "foreign") == 0)
        return "an imported algorithm of another library cannot be called";
    return opts->rules ? "rule files name the library's own algorithms only"
                       : "a dispatch table cannot call the library's own "
                         "algorithms";
}

/* Simplicity, -1 if the table must not contain it; then *barred_p gives the
 * reason. */
static int place(const struct chorale_run_point *row,
                 const struct chorale_decide_opts *opts,
                 const char **barred_p)
{
    const struct chorale_alg *alg = row->config.alg;
    struct chorale_point pt;

    *barred_p = chorale_decide_other(row, opts);
    if (*barred_p != NULL)
        return -1;
    if (opts->rules)
        return 0;
    *barred_p = "unknown to this build";
    if (alg == NULL)
        return -1;
    pt = chorale_decide_point(row, row->config.value, row->n, row->comm_size);
    *barred_p = row->slower ? "slower than the library when validated"
                            : chorale_decide_excluded(alg, &pt, opts);
    return *barred_p == NULL ? chorale_alg_config_place(&row->config) : -1;
}

void chorale_measured_release(struct chorale_measured *spot)
{
    for (size_t c = 0; spot->cand != NULL && c < spot->ncand; c++)
        free(spot->cand[c].ratio);
    free(spot->cand);
    free(spot->launch);
    free(spot->fold);
    free(spot->library);
}

int chorale_measured_has_library(const struct chorale_run_point *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_library(&row[i]))
            return 1;
    return 0;
}

/* Allocate for runs [0, n) of one size. */
static int spot_alloc(struct chorale_measured *spot,
                      const struct chorale_run_point *row, size_t n)
{
    memset(spot, 0, sizeof(*spot));
    spot->point = row;
    spot->launch = calloc(n, sizeof(*spot->launch));
    spot->fold = calloc(n, sizeof(*spot->fold));
    spot->library = calloc(n, sizeof(*spot->library));
    spot->cand = calloc(n + 1, sizeof(*spot->cand));
    return spot->launch != NULL && spot->fold != NULL &&
           spot->library != NULL && spot->cand != NULL ? 0 : -1;
}

/* Find the launches in which the library ran at this size. */
static void find_launches(struct chorale_measured *spot,
                          const struct chorale_run_point *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_library(&row[i]) && row[i].ok &&
            find_launch(spot, row[i].launch) == spot->nlaunch)
            spot->launch[spot->nlaunch++] = row[i].launch;
}

/* Seconds of the library in the same launch and conditions, 0: not run. */
static double partner(const struct chorale_run_point *row, size_t n,
                      const struct chorale_run_point *mine)
{
    for (size_t i = 0; i < n; i++)
        if (is_library(&row[i]) && row[i].ok &&
            row[i].launch == mine->launch &&
            row[i].conditions == mine->conditions)
            return row[i].seconds;
    return 0;
}

/* Mean log seconds of the library in each launch. */
static void library_times(struct chorale_measured *spot,
                          const struct chorale_run_point *row, size_t n)
{
    for (size_t l = 0; l < spot->nlaunch; l++) {
        double sum = 0;
        int k = 0;

        for (size_t i = 0; i < n; i++) {
            if (!is_library(&row[i]) || !row[i].ok ||
                row[i].launch != spot->launch[l])
                continue;
            sum += log(row[i].seconds);
            k++;
        }
        spot->library[l] = sum / k;
    }
}

/* Add the candidate of the runs own[0, m), among the size's row[0, n). */
static int add_cand(struct chorale_measured *spot,
                    const struct chorale_run_point *row, size_t n,
                    const struct chorale_run_point *own, size_t m,
                    const struct chorale_decide_opts *opts)
{
    struct chorale_cand *cand = &spot->cand[spot->ncand++];
    size_t *k = calloc(spot->nlaunch + 1, sizeof(*k));

    cand->run = own;
    cand->place = place(own, opts, &cand->barred);
    cand->ratio = calloc(spot->nlaunch + 1, sizeof(*cand->ratio));
    if (k == NULL || cand->ratio == NULL) {
        free(k);
        return -1;
    }
    for (size_t i = 0; i < m; i++) {
        size_t l = find_launch(spot, own[i].launch);
        double base = own[i].ok ? partner(row, n, &own[i]) : 0;

        cand->late = fmax(cand->late, own[i].late);
        if (own[i].patterns > cand->patterns)
            cand->patterns = own[i].patterns;
        if (!own[i].ok)
            cand->place = -1;
        if (!(base > 0) || l == spot->nlaunch)
            continue;
        cand->ratio[l] += log(base / own[i].seconds);
        k[l]++;
    }
    for (size_t l = 0; l < spot->nlaunch; l++)
        cand->ratio[l] = k[l] > 0 ? cand->ratio[l] / (double)k[l] : NAN;
    free(k);
    return 0;
}

int chorale_measured_init(struct chorale_measured *spot,
                          const struct chorale_run_point *row, size_t n,
                          const struct chorale_decide_opts *opts)
{
    size_t end;

    if (spot_alloc(spot, row, n) != 0)
        return -1;
    find_launches(spot, row, n);
    library_times(spot, row, n);
    spot->cand[0] = (struct chorale_cand){ .run = &chorale_library_run };
    spot->cand[0].ratio = calloc(spot->nlaunch + 1, sizeof(double));
    spot->ncand = 1;
    if (spot->cand[0].ratio == NULL)
        return -1;
    for (size_t i = 0; i < n; i = end) {
        for (end = i; end < n && chorale_run_same_candidate(&row[i], &row[end]);
             end++)
            continue;
        if (!is_library(&row[i]) &&
            add_cand(spot, row, n, &row[i], end - i, opts) != 0)
            return -1;
    }
    return 0;
}

size_t chorale_spot_find(const struct chorale_measured *spot,
                         const struct chorale_run_point *run)
{
    size_t c = 0;

    while (c < spot->ncand &&
           !chorale_run_same_candidate(spot->cand[c].run, run))
        c++;
    return c;
}

double chorale_spot_ratio(const struct chorale_measured *spot,
                          const struct chorale_run_point *run,
                          const char *launch)
{
    size_t l = find_launch(spot, launch), cand = chorale_spot_find(spot, run);

    return l < spot->nlaunch && cand < spot->ncand
               ? spot->cand[cand].ratio[l] : NAN;
}

double chorale_spot_gain(const struct chorale_measured *spot,
                         const char *launch)
{
    size_t l = find_launch(spot, launch), cand = spot->pick;

    if (l == spot->nlaunch)
        return NAN;
    if (cand == spot->challenger)
        cand = spot->fold[l];
    return spot->cand[cand].ratio[l];
}

void chorale_gains_add(struct chorale_sample *gains, double x)
{
    double d = x - gains->mean;

    if (isnan(x))
        return;
    gains->n++;
    gains->mean += d / gains->n;
    gains->squares += d * (x - gains->mean);
}

struct chorale_sample chorale_spot_sample(const struct chorale_measured *spot)
{
    struct chorale_sample sample = { 0, 0, 0 };

    for (size_t l = 0; spot->challenger > 0 && l < spot->nlaunch; l++)
        chorale_gains_add(&sample, spot->cand[spot->fold[l]].ratio[l]);
    return sample;
}

double chorale_cand_mean(const struct chorale_measured *spot, size_t cand,
                         const char *without, size_t *n_p)
{
    double sum = 0;
    size_t n = 0;

    for (size_t l = 0; l < spot->nlaunch; l++) {
        if (spot->launch[l] == without || isnan(spot->cand[cand].ratio[l]))
            continue;
        sum += spot->cand[cand].ratio[l];
        n++;
    }
    if (n_p != NULL)
        *n_p = n;
    return n > 0 ? sum / (double)n : NAN;
}

double chorale_cand_log_seconds(const struct chorale_measured *spot,
                                size_t cand)
{
    double library = 0;

    if (spot->nlaunch == 0)
        return NAN;
    for (size_t l = 0; l < spot->nlaunch; l++)
        library += spot->library[l] / (double)spot->nlaunch;
    return library - chorale_cand_mean(spot, cand, NULL, NULL);
}
