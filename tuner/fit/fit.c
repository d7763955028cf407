/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - the stage `fit`: fit, store and print the model of each system. */
#include "tuner/fit/fit.h"

#include <stdlib.h>

#include "tuner/base/process.h"
#include "tuner/base/rows.h"
#include "tuner/model/link_fit.h"
#include "tuner/model/model.h"
#include "tuner/model/model_show.h"
#include "tuner/fit/schedule_fit.h"

/* Print the model, and how the links test its assumptions. */
static enum chorale_err show(struct chorale_store *store,
                             const struct chorale_system_row *system,
                             const struct chorale_fit_opts *opts,
                             const struct chorale_model *model, json_t *list,
                             struct chorale_errmsg *msg)
{
    struct chorale_links *links = NULL;
    size_t nlinks = 0;
    json_t *one = NULL;
    enum chorale_err err =
        chorale_links_load(store, system->id, 0, &links, &nlinks, msg);

    if (err == CHORALE_OK && list == NULL && !opts->each.quiet) {
        chorale_fit_print(system, model, opts->crossval);
        chorale_links_print(links, nlinks, model);
    } else if (err == CHORALE_OK && list != NULL) {
        one = chorale_fit_json(system, model);
        /* If one is NULL, both calls fail harmlessly. */
        json_object_set_new(one, "assumptions",
                            chorale_links_json(links, nlinks, model));
        if (json_array_append_new(list, one) != 0)
            err = chorale_fail(msg, CHORALE_DATA, "%s: names in it are not "
                               "UTF-8; use the table instead of --json",
                               chorale_store_path(store));
    }
    free(links);
    return err;
}

/* Fit and print imported times of known schedules. *found_p: 1 if there are
 * enough. */
static enum chorale_err fit_imported(struct chorale_store *store,
                                     const struct chorale_system_row *system,
                                     const struct chorale_points *points,
                                     int quiet, int *found_p, json_t *list,
                                     struct chorale_errmsg *msg)
{
    struct chorale_schedule_fit fit = { .row = NULL };
    enum chorale_err err = chorale_schedule_fit(points, chorale_stop_requested,
                                                &fit, found_p, msg);

    if (err == CHORALE_OK && *found_p && list != NULL) {
        if (json_array_append_new(
                list, chorale_schedule_fit_json(system->name, &fit)) != 0)
            err = chorale_fail_utf8(msg, chorale_store_path(store));
    } else if (err == CHORALE_OK && *found_p && !quiet) {
        chorale_schedule_fit_print(system->name, &fit);
    }
    chorale_schedule_fit_release(&fit);
    return err;
}

/* 1 if a run is of a variant of the catalogue. */
static int has_variants(const struct chorale_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->row[i].config.alg != NULL)
            return 1;
    return 0;
}

/* Fit, store and print one system. */
static enum chorale_err fit_system(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   const void *arg, json_t *list,
                                   struct chorale_errmsg *msg)
{
    const struct chorale_fit_opts *opts = arg;
    struct chorale_points points = { .row = NULL };
    struct chorale_model model = { .variant = NULL };
    struct chorale_model_opts how = { .max_procs = (int)opts->max_procs,
                                      .exact = system->simulated,
                                      .asked = chorale_stop_requested };
    struct chorale_progress bar;
    int imported = 0;
    enum chorale_err err;

    err = chorale_points_load(store, system->id, &points, msg);
    if (err == CHORALE_OK && opts->max_procs == 0)
        err = fit_imported(store, system, &points, opts->each.quiet, &imported,
                           list, msg);
    if (err != CHORALE_OK || (imported && !has_variants(&points))) {
        chorale_points_release(&points);
        return err;
    }
    chorale_progress_start(&bar, opts->no_bar, opts->verbose, 0, 1);
    how.bar = &bar;
    err = chorale_model_fit(&points, system->name, &how, &model, msg);
    chorale_progress_clear(&bar);
    if (err == CHORALE_OK && !opts->dry_run && opts->max_procs == 0)
        err = chorale_model_store(store, system->id, &model, msg);
    if (err == CHORALE_OK)
        err = show(store, system, opts, &model, list, msg);
    chorale_model_release(&model);
    chorale_points_release(&points);
    return err;
}

enum chorale_err chorale_models_fit(const char *path,
                                    const struct chorale_fit_opts *opts,
                                    struct chorale_errmsg *msg)
{
    struct chorale_each_opts each = opts->each;

    each.reads = opts->dry_run || opts->max_procs > 0;
    chorale_stop_catch();
    return chorale_each_system(path, &each, fit_system, opts, msg);
}
