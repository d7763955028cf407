/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_compare.c - `chorale compare`: did a collective become slower? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/comparison.h"
#include "tuner/output.h"
#include "tuner/verb.h"

struct opts {
    const char *system, *baseline, *label, *fail_on, *format, *output;
    const char *recheck, *base_command;
    double threshold;
    long min_launches, again;
    int all, unpaired, run, guidelines;
};

#define DEFAULTS                                                             \
    {                                                                        \
        .fail_on = "slower,gone", .format = "table", .threshold = -1,        \
        .min_launches = 5, .again = CHORALE_COMPARE_AGAIN                    \
    }

typedef int show_fn(const struct chorale_comparison *cmp, FILE *out, int all,
                    int fail_on);

static const struct {
    const char *name;
    show_fn *show;
} formats[] = {
    { "table", chorale_show_table },   { "markdown", chorale_show_markdown },
    { "tap", chorale_show_tap },       { "junit", chorale_show_junit },
    { "json", chorale_show_json },
};

static show_fn *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].show;
    return NULL;
}

static enum chorale_err check(const struct opts *opts, int nword,
                              struct chorale_errmsg *msg)
{
    if (find_format(opts->format) == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--format %s: unknown; table, "
                            "markdown, tap, junit, json", opts->format);
    if (chorale_fail_on_parse(opts->fail_on) < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--fail-on %s: unknown; of "
                            "slower, gone, suspect, decision-changed, "
                            "guideline-broken, too-few, or none",
                            opts->fail_on);
    if (opts->recheck != NULL && strcmp(opts->recheck, "both") != 0 &&
        strcmp(opts->recheck, "head") != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--recheck %s: both, or head",
                            opts->recheck);
    if (nword == 1 && opts->baseline == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "compare: one database and no "
                            "--baseline NAME; name what to compare with");
    if (nword == 1 && opts->recheck != NULL &&
        strcmp(opts->recheck, "both") == 0)
        return chorale_fail(msg, CHORALE_USAGE, "--recheck both: base and head "
                            "are one database; keep them in two, or --recheck "
                            "head");
    if ((opts->run || opts->base_command != NULL) && opts->recheck == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--run and --base-command go "
                            "with --recheck");
    return CHORALE_OK;
}

static enum chorale_err load(struct chorale_comparison *cmp,
                             const struct opts *opts, char **word, int nword,
                             struct chorale_errmsg *msg)
{
    enum chorale_err err;

    memset(cmp, 0, sizeof(*cmp));
    cmp->opts = (struct chorale_compare_opts)CHORALE_COMPARE_DEFAULTS;
    cmp->opts.min_launches = (size_t)opts->min_launches;
    cmp->opts.unpaired = opts->unpaired;
    cmp->base.path = word[0];
    cmp->base.baseline = opts->baseline;
    cmp->head.path = word[nword - 1];
    cmp->head.label = opts->label;
    if (nword == 1) {
        cmp->head.baseline = opts->baseline;
        cmp->head.not_baseline = 1;
        cmp->base.shared = cmp->head.shared = 1;
    }
    err = chorale_comparison_load(cmp, opts->system, msg);
    if (err != CHORALE_OK)
        return err;
    if (opts->threshold >= 0)
        cmp->opts.threshold = opts->threshold;
    else if (cmp->opts.exact)
        cmp->opts.threshold = 0;
    err = chorale_comparison_cells(cmp, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_choices(cmp, msg);
    if (err == CHORALE_OK && opts->guidelines)
        err = chorale_comparison_guidelines(cmp, msg);
    return err;
}

/* Cells that look slower and were not measured again. */
static size_t to_recheck(const struct chorale_comparison *cmp)
{
    size_t n = 0;

    for (size_t i = 0; i < cmp->count; i++)
        n += cmp->judged[i].looks_slower && !cmp->judged[i].again;
    return n;
}

/* Plan them, and run them if asked for. CHORALE_STOPPED: they are to be run. */
static enum chorale_err recheck(const struct chorale_comparison *cmp,
                                const struct opts *opts, const char *command,
                                struct chorale_errmsg *msg)
{
    const char *base = strcmp(opts->recheck, "both") == 0 ? cmp->base.path
                                                          : NULL;
    size_t count = 0, nbase = 0;
    enum chorale_err err = CHORALE_OK;

    if (base != NULL)
        err = chorale_comparison_again(cmp, base, opts->system, opts->again,
                                       command, &nbase, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_again(cmp, cmp->head.path, opts->system,
                                       opts->again, command, &count, msg);
    if (err != CHORALE_OK)
        return err;
    fprintf(stderr, "chorale: %zu cells look slower; %ld launches of each are "
            "planned in %s%s%s\n", count, opts->again,
            base != NULL ? base : "", base != NULL ? " and " : "",
            cmp->head.path);
    if (opts->run)
        return chorale_comparison_run(base, cmp->head.path, opts->system,
                                      opts->base_command, msg);
    return chorale_fail(msg, CHORALE_STOPPED, "%zu cells are to be measured "
                        "again: `chorale run --max-launches 1` on %s%s%s in "
                        "turn, until both are done, then this command", count,
                        base != NULL ? base : "", base != NULL ? " and " : "",
                        cmp->head.path);
}

static enum chorale_err show(const struct chorale_comparison *cmp,
                             const struct opts *opts,
                             struct chorale_errmsg *msg)
{
    int fail_on = chorale_fail_on_parse(opts->fail_on);
    show_fn *print = find_format(opts->format);
    struct chorale_output file = { NULL, NULL, NULL };
    FILE *out = stdout;
    size_t red = chorale_comparison_red(cmp, fail_on);
    enum chorale_err err = CHORALE_OK;

    if (opts->output != NULL) {
        err = chorale_output_open(&file, opts->output, "", msg);
        out = file.stream;
    }
    if (err == CHORALE_OK && print(cmp, out, opts->all, fail_on) != 0)
        err = chorale_fail(msg, CHORALE_ENV, "compare: out of memory");
    if (err == CHORALE_OK && opts->output != NULL)
        err = chorale_output_close(&file, msg);
    if (err == CHORALE_OK && opts->output != NULL)
        err = chorale_output_commit(&file, msg);
    chorale_output_release(&file);
    if (err == CHORALE_OK && red > 0)
        err = chorale_fail(msg, CHORALE_NO, "%zu %s of --fail-on %s", red,
                           red == 1 ? "finding" : "findings", opts->fail_on);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = DEFAULTS;
    struct chorale_comparison *cmp = calloc(1, sizeof(*cmp));
    char command[1024];
    int nword = 0;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    if (cmp == NULL)
        return chorale_fail(msg, CHORALE_ENV, "compare: out of memory");
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 2, &nword, msg);
    if (err == CHORALE_OK && nword > 0)
        err = check(&opts, nword, msg);
    if (err == CHORALE_OK && nword > 0)
        err = load(cmp, &opts, argv + 1, nword, msg);
    if (err == CHORALE_OK && nword > 0 && opts.recheck != NULL &&
        to_recheck(cmp) > 0) {
        /* The databases are let go, or they could not be written. */
        chorale_shard_close(cmp->base.shard);
        chorale_shard_close(cmp->head.shard);
        cmp->base.shard = cmp->head.shard = NULL;
        err = recheck(cmp, &opts, command, msg);
        chorale_comparison_release(cmp);
        if (err == CHORALE_OK)
            err = load(cmp, &opts, argv + 1, nword, msg);
    }
    if (err == CHORALE_OK && nword > 0)
        err = show(cmp, &opts, msg);
    chorale_comparison_release(cmp);
    free(cmp);
    return err;
}

static const struct chorale_opt rows[] = {
    { "baseline", 0, CHORALE_OPT_TEXT, offsetof(struct opts, baseline), "NAME",
      "base is these launches, which `chorale baseline set` has named, of the "
      "first database; of a single one head is all its others", 0, 0 },
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, label), "TEXT",
      "head is only what was planned with this --label", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "the system, where they have several in common", 0, 0 },
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(struct opts, threshold),
      "PERCENT", "changes up to this one do not count (default: 2%; in "
      "simulation 0)", 0, 0 },
    { "min-launches", 0, CHORALE_OPT_INT, offsetof(struct opts, min_launches),
      "N", "launches on each side without which there is no verdict (default: "
      "5)", 4, 1000 },
    { "fail-on", 0, CHORALE_OPT_TEXT, offsetof(struct opts, fail_on), "LIST",
      "what is red, exit code 1: slower, gone, suspect, decision-changed, "
      "guideline-broken, too-few; or none (default: slower,gone)", 0, 0 },
    { "recheck", 0, CHORALE_OPT_TEXT, offsetof(struct opts, recheck), "WHERE",
      "plan more launches of the cells that look slower, in both databases or "
      "in head; exit code 75: run them and repeat the command", 0, 0 },
    { "again", 0, CHORALE_OPT_INT, offsetof(struct opts, again), "N",
      "so many of each (default: 30)", 5, 1000 },
    { "run", 0, CHORALE_OPT_FLAG, offsetof(struct opts, run), NULL,
      "and run them, base and head in turn, launch by launch", 0, 0 },
    { "base-command", 0, CHORALE_OPT_TEXT,
      offsetof(struct opts, base_command), "FILE",
      "the chorale that measures base, of another build or for another MPI "
      "library (default: this one)", 0, 0 },
    { "unpaired", 0, CHORALE_OPT_FLAG, offsetof(struct opts, unpaired), NULL,
      "red also by launches that were not made in turn: believes that the "
      "machine has not changed meanwhile", 0, 0 },
    { "guidelines", 0, CHORALE_OPT_FLAG, offsetof(struct opts, guidelines),
      NULL, "hold head against performance guidelines too: the library's "
      "defaults, and the table that it decides", 0, 0 },
    { "format", 0, CHORALE_OPT_TEXT, offsetof(struct opts, format), "FORMAT",
      "table, markdown, tap, junit, json (default: table)", 0, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct opts, output), "FILE",
      "write it there", 0, 0 },
    { "all", 0, CHORALE_OPT_FLAG, offsetof(struct opts, all), NULL,
      "of a table or Markdown: also what is the same or undecided", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_compare = {
    .name = "compare",
    .args = "[base.db] head.db",
    .summary = "did a collective become slower? For CI",
    .detail =
        "Compares each cell (a variant at a size and number of ranks) of two "
        "databases, or of one with a baseline in it, by the medians of its "
        "launches. The change is the median over all pairs of launches of "
        "head / base, with the 95 % interval of Mann and Whitney's test.\n"
        "What looks slower (one-sided p of 0.15, above half the threshold) is "
        "suspect: that is not red. It is measured again, with --recheck, in "
        "launches of base and head in turn, and is slower if it is so in "
        "these alone: above the threshold, by Wilcoxon's signed ranks, with "
        "Holm's correction over all that were measured again at 0.5 % for the "
        "whole comparison. Faster is by Benjamini and Hochberg at 5 %; same, "
        "if the interval is within the threshold.\n"
        "machine: slower, but so are messages, or the library where it is the "
        "same on both sides; nothing is decided then. gone: not in head, or "
        "nowhere right there. suspect, machine, undecided, too few and new "
        "are never red unless --fail-on says so.\n"
        "decision changed: at two sizes or more of a number of ranks the two "
        "databases would choose differently, and what base would choose is "
        "slower in head than it was, against what head would.\n"
        "What a budget buys, where launches of a cell differ by 1.5 %: with 6 "
        "launches and 30 of what looks slower, +3 % is found in 95 of 100 "
        "cells, +4 % in 99, +5 % in all; with 20 instead of 30, +3 % in 68. Of "
        "2000 comparisons of 2000 cells in which nothing changed, on an "
        "invented machine that drifts, has slow phases and outliers, 2 were "
        "red; with --unpaired and no second measurement in turn 190.\n"
        "Cells that were timed in batches of different lengths on the two "
        "sides are left undecided: short calls of two databases that are to be "
        "compared are planned with the same --batch.\n"
        "In simulation times are exact: any difference above the threshold is "
        "a change, and one launch tells.",
    .example = "chorale compare base.db head.db --recheck both --run\n"
               "chorale compare perf.db --baseline v1.2 --format junit -o"
               " out.xml\n"
               "chorale compare base.db head.db --threshold 5% --fail-on"
               " slower,decision-changed",
    .opt = rows,
    .run = run,
};
