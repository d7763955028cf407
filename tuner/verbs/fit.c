/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - `chorale fit`: the network of each system and tau, stored as
 * rows of model and shown in units people and programs use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/for_each_system.h"
#include "tuner/model/link_fit.h"
#include "tuner/model/show_model.h"
#include "tuner/model/model.h"
#include "tuner/base/process.h"
#include "tuner/base/run_verb.h"
#include "tuner/base/verb.h"

struct opts {
    struct chorale_each_opts each;
    int crossval, verbose, no_bar;
    long max_procs;
};

/* The model, and what links tell of its assumptions. */
static enum chorale_err show(struct chorale_store *store,
                             const struct chorale_system_row *system,
                             const struct opts *opts,
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
        /* Without a document neither can be added. */
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

/* Fit, store and show one system. */
static enum chorale_err fit_system(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   const void *arg, json_t *list,
                                   struct chorale_errmsg *msg)
{
    const struct opts *opts = arg;
    struct chorale_points points = { .row = NULL };
    struct chorale_model model = { .variant = NULL };
    struct chorale_model_opts how = { .max_procs = (int)opts->max_procs,
                                      .exact = system->simulated,
                                      .asked = chorale_stop_requested };
    struct chorale_progress bar;
    enum chorale_err err;

    err = chorale_points_load(store, system->id, &points, msg);
    chorale_progress_start(&bar, opts->no_bar, opts->verbose, 0, 1);
    how.bar = &bar;
    if (err == CHORALE_OK)
        err = chorale_model_fit(&points, system->name, &how, &model, msg);
    chorale_progress_clear(&bar);
    if (err == CHORALE_OK && opts->max_procs == 0)
        err = chorale_model_store(store, system->id, &model, msg);
    if (err == CHORALE_OK)
        err = show(store, system, opts, &model, list, msg);
    chorale_model_release(&model);
    chorale_points_release(&points);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { { NULL, 0, 0 }, 0, 0, 0, 0 };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.no_bar = opts.each.quiet;
    chorale_stop_catch();
    return chorale_each_system(argv[1], &opts.each, fit_system, &opts, msg);
}

enum chorale_err chorale_step_fit(const char *path, const char *system,
                                  int quiet, struct chorale_errmsg *msg)
{
    struct opts opts = { .each = { .system = system, .quiet = 1 },
                         .no_bar = quiet };

    chorale_stop_catch();
    return chorale_each_system(path, &opts.each, fit_system, &opts, msg);
}

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, each.system), "NAME",
      "fit this system only (default: all)", 0, 0 },
    { "crossval", 0, CHORALE_OPT_FLAG, offsetof(struct opts, crossval), NULL,
      "print how well each variant is foretold at each number of ranks by fits"
      " that did not know it", 0, 0 },
    { "up-to-procs", 0, CHORALE_OPT_INT, offsetof(struct opts, max_procs), "P",
      "fit to at most so many ranks, say how far off larger numbers are"
      " foretold, and store nothing", 2, 1 << 24 },
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, each.json), NULL,
      "print JSON", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, each.quiet), NULL,
      "store the model and print nothing", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG, offsetof(struct opts, verbose), NULL,
      "instead of a progress bar a line for each part of the work, on a "
      "terminal or not", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_fit = {
    .name = "fit",
    .args = "results.db",
    .summary = "fit alpha, beta and tau with their intervals",
    .detail =
        "Plays the schedule of each measured variant of Chorale's own on a"
        " network with parameters, and fits them to the measured times: alpha"
        " is the time of a message, beta that of a byte, for messages inside a"
        " node and between nodes where both were measured, and for messages up"
        " to a size and above it where the data shows a break; tau is the time"
        " of a reduced byte, one for each type and operation. Two port models"
        " are fitted, and the one that misses less is kept: one_port, where a"
        " message starts when both ends are there and holds its sender until"
        " it has arrived, and overlapped, where a sender goes on at once and"
        " its messages share its port. send_overhead, recv_overhead and gap"
        " are the parts of alpha that keep processors and ports busy, where"
        " variants with several messages under way were measured; kappa is in"
        " how many ways the ranks of a node share its port.\n"
        "The fit is by relative error, robust against outliers, and never"
        " negative. With two launches or more each value has a 95 % interval"
        " over fits of each launch, by bootstrap from five launches on; else"
        " one of the fit's own.\n"
        "Then each number of ranks is left out in turn and foretold by a fit to"
        " the others, and larger ones by fits to smaller ones (--crossval shows"
        " all of it). Where that is off by more than 10 % a prediction is not"
        " relied on. (Beyond what was measured the library decides; between"
        " measured points the model corrected by what each variant took around"
        " them, as `chorale decide --help` says.) Of each variant are shown the"
        " median and the worst error of the fit at its points; foretold, the"
        " error that nine in ten points stay below when their number of ranks"
        " is left out; and reach, how many times as many ranks as a fit had"
        " were foretold within 10 %. lack is the p-value of a test"
        " whether the model misses a variant by more than its launches differ"
        " (simulated times are exact). Below 0.01, and with a worst error above"
        " 10 % (marked !), the variant is not predicted outside of what was"
        " measured.\n"
        "The model assumes that alpha is the same between any two ranks, and"
        " that a word takes far less to reduce than to send, and a message far"
        " more than its word. Both are tested, with what messages take by"
        " distance where launches of three ranks or more that had a processor"
        " each measured it, and kappa, in how many ways links are shared when"
        " all ranks send that far: in a shift, in pairs (r and r xor distance),"
        " and mirrored.\n"
        "Of at least four nodes the links are found that explain these kappas: a"
        " line, a ring, a grid, a torus, or switches of so many nodes. Then"
        " schedules are played over them, here and wherever the model is asked,"
        " so that what shares links is foretold to; and the time of a hop is"
        " told, of switches that of a level. If links share nothing but alpha"
        " differs, it is that of the geometry that explains alpha alone. Where"
        " nothing explains them, or they were not looked for, as among more than"
        " 2048 nodes or where ranks do not lie in blocks, that is said, and a"
        " flat network assumed.\n"
        "Of a large database a sample is fitted, spread over variants, numbers"
        " of ranks and sizes; the first line says how many cells.\n"
        "The tables model, model_variant and model_ranks of the database are"
        " replaced for each fitted system.",
    .example = "chorale fit results.db",
    .opt = rows,
    .run = run,
};
