/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_run.c - loads, measures again, and prints a comparison. */
#include "tuner/compare/compare_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/suggest.h"
#include "tuner/base/output.h"
#include "tuner/compare/ab_interleave.h"
#include "tuner/base/units.h"

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

enum chorale_err chorale_comparing_check(const struct chorale_comparing *opts,
                                         struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_word_check("--format", opts->format,
                                              "table,markdown,tap,junit,json",
                                              msg);

    return err == CHORALE_OK
               ? chorale_words_check("--fail-on", opts->fail_on,
                                     "slower,gone,suspect,decision-changed,"
                                     "guideline-broken,too-few,undecided,none",
                                     msg)
               : err;
}

static enum chorale_err load(struct chorale_comparison *cmp,
                             const struct chorale_comparing *opts,
                             struct chorale_errmsg *msg)
{
    enum chorale_err err;

    memset(cmp, 0, sizeof(*cmp));
    cmp->opts = (struct chorale_compare_opts)CHORALE_COMPARE_DEFAULTS;
    cmp->opts.min_launches = (size_t)opts->min_launches;
    cmp->opts.unpaired = opts->unpaired;
    cmp->unlike = opts->unlike;
    cmp->base.path = opts->base_path;
    cmp->base.baseline = opts->baseline;
    cmp->head.path = opts->head_path;
    cmp->head.label = opts->label;
    if (opts->base_path == opts->head_path) {
        cmp->head.baseline = opts->baseline;
        cmp->head.not_baseline = 1;
        cmp->base.shared = cmp->head.shared = 1;
    }
    err = chorale_comparison_load(cmp, opts->system, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_can_recheck(cmp, opts->recheck, msg);
    if (err != CHORALE_OK)
        return err;
    if (chorale_comparison_imported(cmp)) {
        cmp->opts.unpaired = 1;
        chorale_comparison_note(cmp, "imported runs cannot be measured again, "
                                "so the unpaired test decides; it assumes that "
                                "the machine did not change");
    }
    if (opts->threshold >= 0)
        cmp->opts.threshold = opts->threshold;
    else if (cmp->opts.exact)
        cmp->opts.threshold = 0;
    err = chorale_comparison_cells(cmp, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_choices(cmp, msg);
    if (err == CHORALE_OK &&
        (opts->guidelines ||
         chorale_fail_on_parse(opts->fail_on) & CHORALE_FAIL_GUIDELINE))
        err = chorale_comparison_guidelines(cmp, msg);
    return err;
}

/* The number of cells that look slower and were not measured again. */
static size_t to_recheck(const struct chorale_comparison *cmp)
{
    size_t n = 0;

    for (size_t i = 0; i < cmp->count; i++)
        n += cmp->judged[i].looks_slower && !cmp->judged[i].again;
    return n;
}

/* Base's path, or NULL if only head is measured again. */
static const char *base_again(const struct chorale_comparison *cmp,
                              const struct chorale_comparing *opts)
{
    return strcmp(opts->recheck, "both") == 0 ? cmp->base.path : NULL;
}

/* Run the planned launches. CHORALE_STOPPED: the user has to run them. */
static enum chorale_err measure(const struct chorale_comparison *cmp,
                                const struct chorale_comparing *opts,
                                const char *what, struct chorale_errmsg *msg)
{
    const char *base = base_again(cmp, opts);
    const struct chorale_interleave turns = {
        .path = { base, cmp->head.path },
        .how = { opts->base_how, opts->head_how },
        .system = opts->system, .launcher_cmd = opts->launcher_cmd,
        .no_bind = opts->no_bind,
        .again = 1,
    };

    if (opts->run)
        return chorale_interleave_run(&turns, msg);
    return chorale_fail(msg, CHORALE_STOPPED, "%s; repeat `chorale run "
                        "--max-launches 1` on %s%s%s in turn until both are "
                        "done, then this command", what,
                        base != NULL ? base : "", base != NULL ? " and " : "",
                        cmp->head.path);
}

/* Plan the second measurement, and run it if requested. CHORALE_STOPPED: the
 * user has to run it. */
static enum chorale_err recheck(const struct chorale_comparison *cmp,
                                const struct chorale_comparing *opts,
                                const char *command,
                                struct chorale_errmsg *msg)
{
    const char *base = base_again(cmp, opts);
    size_t count = 0, nbase = 0;
    char what[80];
    enum chorale_err err = CHORALE_OK;

    if (base != NULL)
        err = chorale_comparison_again(cmp, base, opts->system, opts->again,
                                       command, &nbase, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_again(cmp, cmp->head.path, opts->system,
                                       opts->again, command, &count, msg);
    if (err != CHORALE_OK)
        return err;
    fprintf(stderr, "chorale: %zu cell%s slower; %ld launch%s of each are "
            "planned in %s%s%s\n", count, count == 1 ? " looks" : "s look",
            opts->again, opts->again == 1 ? "" : "es",
            base != NULL ? base : "", base != NULL ? " and " : "",
            cmp->head.path);
    snprintf(what, sizeof(what), "%zu cell%s to be measured again", count,
             count == 1 ? " is" : "s are");
    return measure(cmp, opts, what, msg);
}

/* The missing runs of an unfinished second measurement. */
static enum chorale_err unfinished(const struct chorale_comparison *cmp,
                                   const struct chorale_comparing *opts,
                                   sqlite3_int64 *left_p,
                                   struct chorale_errmsg *msg)
{
    sqlite3_int64 base = 0;
    enum chorale_err err = CHORALE_OK;

    if (!cmp->base.shared)
        err = chorale_comparison_left(&cmp->base, opts->system, &base, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_left(&cmp->head, opts->system, left_p, msg);
    *left_p += base;
    return err;
}

/* Close the databases, so that they can be written. */
static void close_databases(struct chorale_comparison *cmp)
{
    chorale_shard_close(cmp->base.shard);
    chorale_shard_close(cmp->head.shard);
    cmp->base.shard = cmp->head.shard = NULL;
}

/* Finish the second measurement, or warn that it is incomplete. */
static enum chorale_err finish(struct chorale_comparison *cmp,
                               const struct chorale_comparing *opts,
                               struct chorale_errmsg *msg)
{
    sqlite3_int64 left = 0;
    char what[100];
    enum chorale_err err = CHORALE_OK;

    if (!chorale_comparison_imported(cmp))
        err = unfinished(cmp, opts, &left, msg);
    if (err != CHORALE_OK || left == 0)
        return err;
    snprintf(what, sizeof(what), "%lld run%s of the second measurement %s "
             "still missing", (long long)left, chorale_plural(left),
             left == 1 ? "is" : "are");
    if (opts->recheck == NULL) {
        fprintf(stderr, "chorale: %s, and verdicts use those done; "
                "--recheck %s --run continues\n", what,
                chorale_comparison_recheck(cmp));
        return CHORALE_OK;
    }
    close_databases(cmp);
    if (opts->run)
        fprintf(stderr, "chorale: %s\n", what);
    err = measure(cmp, opts, what, msg);
    chorale_comparison_release(cmp);
    return err == CHORALE_OK ? load(cmp, opts, msg) : err;
}

/* 1 if more launches may give a first verdict and can be measured here. A
 * baseline cannot get more launches. */
static int lacks_launches(const struct chorale_comparison *cmp,
                          const struct chorale_comparing *opts)
{
    return opts->more && opts->run && opts->baseline == NULL &&
           !cmp->base.shared && chorale_fail_on_parse(opts->fail_on) != 0 &&
           chorale_comparison_decided(cmp) == 0 &&
           chorale_comparison_unjudged(cmp)->launches;
}

/* Double the launches of the first measurement, run them in turn, and load
 * them. */
static enum chorale_err measure_more(struct chorale_comparison *cmp,
                                     const struct chorale_comparing *opts,
                                     struct chorale_errmsg *msg)
{
    const struct chorale_interleave turns = {
        .path = { opts->base_path, opts->head_path },
        .how = { opts->base_how, opts->head_how },
        .system = opts->system, .launcher_cmd = opts->launcher_cmd,
        .no_bind = opts->no_bind,
    };
    enum chorale_err err;

    fprintf(stderr, "chorale: no cell has a verdict yet: as many launches "
                    "again are measured in turn\n");
    close_databases(cmp);
    err = chorale_comparison_more(opts->base_path, opts->system, msg);
    if (err == CHORALE_OK)
        err = chorale_comparison_more(opts->head_path, opts->system, msg);
    if (err == CHORALE_OK)
        err = chorale_interleave_run(&turns, msg);
    chorale_comparison_release(cmp);
    return err == CHORALE_OK ? load(cmp, opts, msg) : err;
}

/* What gives a comparison a verdict. */
static const char *verdict_remedy(const struct chorale_comparison *cmp,
                                  const struct chorale_comparing *opts,
                                  const struct chorale_unjudged *why)
{
    if (why->launches && opts->run && opts->baseline == NULL)
        return "repeat the command to measure more launches";
    if (!chorale_comparison_imported(cmp))
        return why->remedy;
    return why->launches ? "import or measure more on each side"
           : why->verdict == CHORALE_NEW || why->verdict == CHORALE_GONE
               ? "import or measure the same cells" : why->remedy;
}

/* The error of a comparison without a verdict. */
static enum chorale_err no_verdict(const struct chorale_comparison *cmp,
                                   const struct chorale_comparing *opts,
                                   struct chorale_errmsg *msg)
{
    const struct chorale_unjudged *why = chorale_comparison_unjudged(cmp);
    const int red = chorale_fail_on_parse(opts->fail_on) &
                    CHORALE_FAIL_UNDECIDED;
    char left[200] = "";
    enum chorale_err err = CHORALE_OK;

    if (why->launches)
        err = chorale_comparison_left_out(cmp, left, sizeof(left), msg);
    if (err != CHORALE_OK)
        return err;
    return chorale_fail(msg, red ? CHORALE_NO : CHORALE_STOPPED,
                        "no verdict: %s%s%s; %s", why->reason,
                        left[0] != '\0' ? ", " : "", left,
                        verdict_remedy(cmp, opts, why));
}

static enum chorale_err show(const struct chorale_comparison *cmp,
                             const struct chorale_comparing *opts,
                             struct chorale_errmsg *msg)
{
    int fail_on = chorale_fail_on_parse(opts->fail_on);
    show_fn *print = find_format(opts->format);
    struct chorale_output file = { NULL, NULL, NULL };
    FILE *out = stdout;
    size_t red = chorale_comparison_failures(cmp, fail_on);
    enum chorale_err err = CHORALE_OK;

    if (opts->output != NULL) {
        err = chorale_output_open(&file, opts->output, "", msg);
        out = file.stream;
    }
    if (err == CHORALE_OK && print(cmp, out, opts->all, fail_on) != 0)
        err = ferror(out) ? chorale_fail_output(msg, "compare")
                          : chorale_fail_memory(msg, "compare");
    if (err == CHORALE_OK && opts->output != NULL)
        err = chorale_output_close(&file, msg);
    if (err == CHORALE_OK && opts->output != NULL)
        err = chorale_output_commit(&file, msg);
    chorale_output_release(&file);
    if (err == CHORALE_OK && red > 0)
        err = chorale_fail(msg, CHORALE_NO, "%zu %s of --fail-on %s; repair "
                           "what the lines name, or use --fail-on none", red,
                           red == 1 ? "finding" : "findings", opts->fail_on);
    if (err == CHORALE_OK && fail_on != 0 &&
        chorale_comparison_decided(cmp) == 0)
        err = no_verdict(cmp, opts, msg);
    return err;
}

enum chorale_err chorale_comparing(const struct chorale_comparing *opts,
                                   const char *command,
                                   struct chorale_errmsg *msg)
{
    struct chorale_comparison *cmp = calloc(1, sizeof(*cmp));
    enum chorale_err err;

    if (cmp == NULL)
        return chorale_fail_memory(msg, "compare");
    err = opts->output != NULL ? chorale_output_check(opts->output, msg)
                               : CHORALE_OK;
    if (err == CHORALE_OK)
        err = load(cmp, opts, msg);
    if (err == CHORALE_OK)
        err = finish(cmp, opts, msg);
    if (err == CHORALE_OK && lacks_launches(cmp, opts))
        err = measure_more(cmp, opts, msg);
    if (err == CHORALE_OK && opts->recheck != NULL && to_recheck(cmp) > 0) {
        close_databases(cmp);
        err = recheck(cmp, opts, command, msg);
        chorale_comparison_release(cmp);
        if (err == CHORALE_OK)
            err = load(cmp, opts, msg);
    }
    if (err == CHORALE_OK)
        err = show(cmp, opts, msg);
    chorale_comparison_release(cmp);
    free(cmp);
    return err;
}
