/* SPDX-License-Identifier: BSD-3-Clause */
/* history_show.c - prints and draws when collectives became slower or
 * faster. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/gnuplot.h"
#include "tuner/base/output.h"
#include "tuner/base/suggest.h"
#include "tuner/base/units.h"
#include "tuner/compare/comparison.h"
#include "tuner/compare/history.h"

static int wanted(const struct chorale_history_view *opts,
                  const struct chorale_run_point *at)
{
    return opts->collectives == NULL ||
           chorale_spec_listed(opts->collectives,
                               chorale_coll_info(at->coll)->name);
}

static void print_change(const struct chorale_history *h,
                         const struct chorale_history_cell *c,
                         const struct chorale_change *change)
{
    const struct chorale_history_run *run =
        &h->run[c->value[change->first].run];
    char name[160], place[200], a[32], b[32];

    chorale_cell_name(&c->at, name, sizeof(name));
    chorale_cell_place(&c->at, place, sizeof(place));
    printf("%-20s %+8.2f %%  %10s -> %10s  %s  %s; %s", run->label,
           100 * expm1(change->after - change->before),
           chorale_human_seconds(exp(change->before), a),
           chorale_human_seconds(exp(change->after), b), run->started, name,
           place);
    if (!h->simulated)
        printf("; p = %.2g", change->p);
    putchar('\n');
}

static void print_points(const struct chorale_history *h,
                         const struct chorale_history_cell *c)
{
    char name[160], place[200], t[32];

    chorale_cell_name(&c->at, name, sizeof(name));
    chorale_cell_place(&c->at, place, sizeof(place));
    printf("%s; %s\n", name, place);
    for (size_t i = 0; i < c->nvalue; i++) {
        int changed = 0;

        for (size_t k = 0; k < c->nchange; k++)
            changed |= c->change[k].first == i;
        printf("  %c %-20s %s %10s  %zu %s\n", changed ? '*' : ' ',
               h->run[c->value[i].run].label, h->run[c->value[i].run].started,
               chorale_human_seconds(c->value[i].seconds, t),
               c->value[i].nlaunch,
               c->value[i].nlaunch == 1 ? "launch" : "launches");
    }
}

/* CHORALE_STOPPED: every wanted cell has too few runs for a verdict. */
static enum chorale_err judged(const struct chorale_history *h,
                               const struct chorale_history_view *opts,
                               struct chorale_errmsg *msg)
{
    size_t cells = 0, few = 0;

    for (size_t i = 0; i < h->ncell; i++) {
        if (!wanted(opts, &h->cell[i].at))
            continue;
        cells++;
        few += h->cell[i].few != 0;
    }
    if (cells == 0 || few < cells)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_STOPPED, "no verdict: %zu run%s "
                        "too few for p %g; measure more, or use a larger "
                        "--significance", h->nrun,
                        h->nrun == 1 ? " is" : "s are", opts->level);
}

static void print(const struct chorale_history *h,
                  const struct chorale_history_view *opts)
{
    size_t changed = 0, cells = 0, few = 0;

    for (size_t i = 0; i < h->ncell; i++) {
        if (!wanted(opts, &h->cell[i].at))
            continue;
        cells++;
        changed += h->cell[i].nchange > 0;
        few += h->cell[i].few != 0;
        if (opts->points)
            print_points(h, &h->cell[i]);
        for (size_t k = 0; !opts->points && k < h->cell[i].nchange; k++)
            print_change(h, &h->cell[i], &h->cell[i].change[k]);
    }
    printf("%zu of %zu cell%s changed over %zu %s", changed, cells,
           chorale_plural((long long)cells), h->nrun,
           h->nrun == 1 ? "run" : "runs");
    if (h->simulated)
        printf("; simulated times are exact\n");
    else
        printf("; by chance at most %.2g of them would (p %g each)\n",
               opts->level * (double)cells, opts->level);
    if (few > 0 && few < cells)
        printf("%zu cell%s too few runs for p %g; use a larger "
               "--significance\n", few, few == 1 ? " has" : "s have",
               opts->level);
}

static json_t *cell_json(const struct chorale_history *h,
                         const struct chorale_history_cell *c)
{
    json_t *values = json_array(), *changes = json_array();
    char provider[32], variant[128], params[160], place[200];

    for (size_t i = 0; i < c->nvalue; i++)
        json_array_append_new(
            values, json_pack("{s:s, s:s, s:f, s:f, s:f, s:I}", "label",
                              h->run[c->value[i].run].label, "started",
                              h->run[c->value[i].run].started, "seconds",
                              c->value[i].seconds, "lo", c->value[i].lo, "hi",
                              c->value[i].hi, "launches",
                              (json_int_t)c->value[i].nlaunch));
    for (size_t k = 0; k < c->nchange; k++)
        json_array_append_new(
            changes,
            json_pack("{s:I, s:s, s:f, s:f, s:f}", "first",
                      (json_int_t)c->change[k].first, "label",
                      h->run[c->value[c->change[k].first].run].label, "ratio",
                      exp(c->change[k].after - c->change[k].before),
                      "seconds", exp(c->change[k].after), "p",
                      c->change[k].p));
    chorale_safe_text(variant, sizeof(variant), c->at.variant);
    chorale_safe_text(params, sizeof(params), c->at.params);
    chorale_cell_place(&c->at, place, sizeof(place));
    chorale_safe_text(provider, sizeof(provider), c->at.provider);
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:s, s:o, s:o}", "coll",
                     chorale_coll_info(c->at.coll)->name, "provider", provider,
                     "variant", variant, "params", params, "msg_size",
                     (json_int_t)c->at.msg_size, "comm_size", c->at.comm_size,
                     "place", place, "values", values, "changes", changes);
}

static int print_json(const struct chorale_history *h,
                      const struct chorale_history_view *opts)
{
    json_t *list = json_array();
    int bad = list == NULL;

    for (size_t i = 0; !bad && i < h->ncell; i++)
        if (wanted(opts, &h->cell[i].at))
            bad |= json_array_append_new(list, cell_json(h, &h->cell[i])) != 0;
    if (!bad && json_dumpf(list, stdout, JSON_INDENT(1)) != 0)
        bad = 1;
    putchar('\n');
    json_decref(list);
    return bad ? -1 : 0;
}

/* Write gnuplot data. Index 0: runs, seconds and labels; 1: levels between the
 * changes; 2: the changes; by number of the run. */
static void write_data(const struct chorale_history *h,
                       const struct chorale_history_cell *c, FILE *out)
{
    fprintf(out, "# run, seconds, least and most of its launches, label\n");
    for (size_t i = 0; i < c->nvalue; i++) {
        char label[40];

        chorale_gnuplot_label(label, sizeof(label),
                              h->run[c->value[i].run].label);
        fprintf(out, "%zu %.9g %.9g %.9g \"%.32s\"\n", i, c->value[i].seconds,
                c->value[i].lo, c->value[i].hi, label);
    }
    fprintf(out, "\n\n# from run, to run, level\n");
    for (size_t k = 0; k <= c->nchange && c->nchange > 0; k++)
        fprintf(out, "%g %g %.9g\n",
                k > 0 ? (double)c->change[k - 1].first - 0.5 : -0.5,
                k < c->nchange ? (double)c->change[k].first - 0.5
                               : (double)c->nvalue - 0.5,
                exp(k > 0 ? c->change[k - 1].after : c->change[0].before));
    fprintf(out, "\n\n# place, change in percent\n");
    for (size_t k = 0; k < c->nchange; k++)
        fprintf(out, "%g \"%+.1f %%\"\n", (double)c->change[k].first - 0.5,
                100 * expm1(c->change[k].after - c->change[k].before));
}

static enum chorale_err draw(const struct chorale_history *h, size_t i,
                             const struct chorale_history_view *opts,
                             const char *script,
                             struct chorale_errmsg *msg)
{
    const struct chorale_history_cell *c = &h->cell[i];
    struct chorale_output file = { NULL, NULL, NULL };
    char name[160], place[200], title[400], stem[300], path[PATH_MAX];
    char data[320], picture[320];
    int missing = 0;
    enum chorale_err err;

    chorale_cell_name(&c->at, name, sizeof(name));
    chorale_cell_place(&c->at, place, sizeof(place));
    snprintf(path, sizeof(path), "%s; %s", name, place);
    chorale_gnuplot_label(title, sizeof(title), path);
    snprintf(path, sizeof(path), "history_%zu_%s_%s_P%d_m%zu", i,
             chorale_coll_info(c->at.coll)->name, c->at.variant,
             c->at.comm_size, c->at.msg_size);
    chorale_gnuplot_file_name(stem, sizeof(stem), path);
    snprintf(data, sizeof(data), "%.300s.dat", stem);
    snprintf(picture, sizeof(picture), "%.300s.%s", stem, opts->format);
    if (snprintf(path, sizeof(path), "%s/%s", opts->plot, data) >=
        (int)sizeof(path))
        return chorale_fail(msg, CHORALE_USAGE, "--plot: its path is too "
                            "long; name a folder nearer to /");
    err = chorale_output_open(&file, path, "", msg);
    if (err == CHORALE_OK) {
        write_data(h, c, file.stream);
        err = chorale_output_close(&file, msg);
    }
    if (err == CHORALE_OK)
        err = chorale_output_commit(&file, msg);
    chorale_output_release(&file);
    if (err == CHORALE_OK) {
        char dash_c[] = "-c", dash_d[] = "-d", format[8], where[PATH_MAX];
        char *argv[] = { NULL, dash_d, dash_c, where, data, picture, format,
                         title, NULL };

        snprintf(where, sizeof(where), "%s", script);
        snprintf(format, sizeof(format), "%s", opts->format);
        err = chorale_gnuplot_run(opts->plot, argv, &missing, msg);
    }
    return err;
}

/* Draw the cells that changed most. */
static enum chorale_err draw_all(const struct chorale_history *h,
                                 const struct chorale_history_view *opts,
                                 struct chorale_errmsg *msg)
{
    char script[PATH_MAX];
    unsigned char *done = calloc(h->ncell + 1, 1);
    enum chorale_err err = chorale_gnuplot_script("history.gp", script,
                                                  sizeof(script), msg);
    long n = 0;

    if (done == NULL)
        return chorale_fail_memory(msg, "history");
    if (err == CHORALE_OK && mkdir(opts->plot, 0777) != 0 && errno != EEXIST)
        err = chorale_fail_written(msg, opts->plot, errno);
    while (err == CHORALE_OK && n < opts->pictures) {
        size_t best = h->ncell;
        double most = 0;

        for (size_t i = 0; i < h->ncell; i++)
            for (size_t k = 0; !done[i] && wanted(opts, &h->cell[i].at) &&
                               k < h->cell[i].nchange; k++) {
                const struct chorale_change *c = &h->cell[i].change[k];

                if (fabs(c->after - c->before) > most) {
                    most = fabs(c->after - c->before);
                    best = i;
                }
            }
        if (best == h->ncell)
            break;
        done[best] = 1;
        err = draw(h, best, opts, script, msg);
        n++;
    }
    free(done);
    if (err == CHORALE_OK && !opts->json)
        printf("%ld %s in %s\n", n, n == 1 ? "picture" : "pictures",
               opts->plot);
    return err;
}

static enum chorale_err check(const struct chorale_history_view *opts,
                              struct chorale_errmsg *msg)
{
    char text[CHORALE_SUGGEST_SIZE];
    char word[64];
    enum chorale_err err = CHORALE_OK;

    if (opts->format != NULL)
        err = chorale_word_check("--format", opts->format, "png,svg,pdf", msg);
    if (err != CHORALE_OK)
        return err;
    if (opts->level > 0.5 || !(opts->level >= 1e-4))
        return chorale_fail(msg, CHORALE_USAGE, "--significance: p out of "
                            "range; write 0.0001 to 0.5");
    for (size_t k = 0; opts->collectives != NULL; k++) {
        int more = chorale_spec_word(opts->collectives, k, word,
                                     sizeof(word));

        if (more == 0)
            break;
        if (more < 0 || chorale_coll_find(word) < 0)
            return chorale_fail(msg, CHORALE_USAGE, "-c %s: unknown; %s",
                                opts->collectives,
                                chorale_suggest_coll(
                                    word, "see `chorale list`", text));
    }
    return CHORALE_OK;
}

enum chorale_err chorale_history_show(char **path, size_t npath,
                                      const struct chorale_history_view *opts,
                                      struct chorale_errmsg *msg)
{
    struct chorale_history_opts load = { NULL, 0, 0, 9999 };
    struct chorale_history history;
    enum chorale_err err = check(opts, msg);

    if (err != CHORALE_OK)
        return err;
    load.system = opts->system;
    load.level = opts->level;
    load.threshold = opts->threshold >= 0 ? opts->threshold : 0.02;
    err = chorale_history_load(path, npath, &load, &history, msg);
    if (err == CHORALE_OK && history.other > 0)
        fprintf(stderr, "chorale: two systems: %s in %s, %s in %s; they "
                "may cause the differences\n",
                history.system[0], path[0], history.system[1],
                path[history.other]);
    if (err == CHORALE_OK && opts->json && print_json(&history, opts) != 0)
        err = ferror(stdout) ? chorale_fail_output(msg, "history")
                             : chorale_fail_memory(msg, "history");
    if (err == CHORALE_OK && !opts->json)
        print(&history, opts);
    if (err == CHORALE_OK && opts->plot != NULL)
        err = draw_all(&history, opts, msg);
    if (err == CHORALE_OK)
        err = judged(&history, opts, msg);
    chorale_history_release(&history);
    return err;
}
