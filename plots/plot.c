/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.c - the stage `plot`: makes each figure with its data file, or shows it
 * in the terminal. */
#include "plots/stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "plots/figures.h"
#include "tuner/base/suggest.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"
#include "tuner/assess/validate.h"

/* State of one call. */
struct plot {
    const struct chorale_plot_opts *opts;
    char dir[PATH_MAX];
    char kind[32];
    long *procs;
    struct chorale_figures figures;
};

static const struct {
    const char *name;
    enum chorale_figure_kind kind;
} kinds[] = {
    { "times", CHORALE_FIGURE_TIMES },
    { "map", CHORALE_FIGURE_MAP },
    { "speedup", CHORALE_FIGURE_SPEEDUP },
};

/* Check that every word of --collectives is a collective. */
static enum chorale_err check_collectives(const char *list,
                                          struct chorale_errmsg *msg)
{
    char word[32], text[CHORALE_SUGGEST_SIZE];
    int got = 0;

    for (size_t k = 0;
         list != NULL &&
         (got = chorale_spec_word(list, k, word, sizeof(word))) == 1;
         k++)
        if (chorale_coll_find(word) < 0)
            return chorale_fail(msg, CHORALE_USAGE,
                                "--collectives: '%s' is no collective; %s",
                                word, chorale_suggest_coll(
                                    word, "see `chorale list`", text));
    if (got < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--collectives: a word of "
                            "'%s' is too long; see `chorale list`", list);
    return CHORALE_OK;
}

/* Print the name of a figure, or of its data without gnuplot. */
static enum chorale_err say(void *arg, const struct chorale_figure *figure,
                            struct chorale_errmsg *msg)
{
    const struct plot *plot = arg;
    char said[128];

    (void)msg;
    if (plot->opts->quiet)
        return CHORALE_OK;
    printf("%s\n", figure->picture != NULL ? figure->picture : figure->data);
    if (figure->picture != NULL && figure->drawn < figure->nseries)
        printf("  (%zu of %zu variants%s; the data file has all)\n",
               figure->drawn, figure->nseries,
               plot->opts->all_variants ? "" : "; --all-variants draws more");
    if (figure->box != NULL && figure->box->instead[0] != '\0')
        printf("  (%s)\n",
               chorale_served_kind_note(figure->box->instead, said));
    return CHORALE_OK;
}

/* Print gnuplot's terminal output, for --terminal. */
static enum chorale_err print(void *arg, const struct chorale_figure *figure,
                              struct chorale_errmsg *msg)
{
    FILE *in = figure->picture != NULL ? fopen(figure->picture, "r") : NULL;
    int c, blank = 1;

    (void)arg;
    if (figure->picture == NULL)
        return CHORALE_OK;
    if (in == NULL)
        return chorale_fail_read(msg, figure->picture, errno);
    while ((c = getc(in)) != EOF) {
        if (c == '\f') /* form feed between pages */
            continue;
        blank = blank && c == '\n';
        if (!blank)
            putchar(c >= ' ' && c < 127 ? c : c == '\n' ? c : '?');
    }
    putchar('\n');
    fclose(in);
    return CHORALE_OK;
}

/* Make the folder: as given, or the database's name with -plots for .db. */
static enum chorale_err make_dir(struct plot *plot, const char *db_path,
                                 struct chorale_errmsg *msg)
{
    char base[PATH_MAX];
    int need;

    chorale_output_prefix(db_path, base, sizeof(base));
    need = plot->opts->dir != NULL
               ? snprintf(plot->dir, sizeof(plot->dir), "%s", plot->opts->dir)
               : snprintf(plot->dir, sizeof(plot->dir), "%s-plots", base);
    if (need <= 0 || (size_t)need >= sizeof(plot->dir))
        return chorale_fail(msg, CHORALE_USAGE, "-o: the folder's name is "
                            "empty or too long; name another");
    if (mkdir(plot->dir, 0777) != 0 && errno != EEXIST)
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: %s; name another folder with -o",
                            plot->dir, strerror(errno));
    return CHORALE_OK;
}

static enum chorale_err plot_system(struct plot *plot,
                                    const struct chorale_system_row *system,
                                    struct chorale_errmsg *msg)
{
    struct chorale_figures *figures = &plot->figures;
    struct chorale_proofs proofs = { .row = NULL };
    int validated;
    enum chorale_err err = CHORALE_OK;

    if (figures->kinds & CHORALE_FIGURE_SPEEDUP && figures->procs == NULL)
        err = chorale_figures_speedups(figures->store, system, &proofs,
                                       &validated, msg);
    figures->proofs = &proofs;
    if (err == CHORALE_OK)
        err = chorale_figures_make(figures, system, msg);
    chorale_proofs_release(&proofs);
    return err;
}

static enum chorale_err plot_systems(struct plot *plot, const char *db_path,
                                     struct chorale_errmsg *msg)
{
    struct chorale_figures *figures = &plot->figures;
    struct chorale_system_row *system = NULL;
    char script[PATH_MAX];
    size_t nsystem = 0;
    enum chorale_err err;

    err = chorale_systems_load(figures->store, plot->opts->system, &system,
                               &nsystem, msg);
    if (err == CHORALE_OK)
        err = chorale_gnuplot_script("terminal.gp", script, sizeof(script),
                                     msg);
    if (err == CHORALE_OK)
        err = plot->opts->terminal != NULL
                  ? chorale_folder_make(plot->dir, msg)
                  : make_dir(plot, db_path, msg);
    figures->dir = plot->dir;
    figures->several_systems = nsystem > 1;
    for (size_t i = 0; i < nsystem && err == CHORALE_OK; i++)
        err = plot_system(plot, &system[i], msg);
    if (plot->opts->terminal != NULL && plot->dir[0] != '\0')
        chorale_folder_remove(plot->dir);
    chorale_systems_free(system, nsystem);
    return err;
}

static enum chorale_err plot_all(struct plot *plot, const char *db_path,
                                 struct chorale_errmsg *msg)
{
    struct chorale_figures *figures = &plot->figures;
    enum chorale_err err;

    err = chorale_store_open(db_path, CHORALE_STORE_READ, &figures->store,
                             msg);
    if (err == CHORALE_OK)
        err = plot_systems(plot, db_path, msg);
    if (err == CHORALE_OK && figures->count == 0 &&
        (figures->kinds & CHORALE_FIGURE_TIMES) == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: these points are not "
                           "decided; measure them and run `chorale decide %s`",
                           db_path, db_path);
    else if (err == CHORALE_OK && figures->count == 0)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: no measurement matches; see `chorale status "
                           "%s`",
                           db_path, db_path);
    if (err == CHORALE_OK && figures->no_gnuplot) {
        *msg = figures->why;
        err = CHORALE_ENV;
    }
    chorale_store_close(figures->store);
    return err;
}

/* Use the terminal's width, and its height less one line for the prompt. */
static void fit_terminal(char *kind, size_t size)
{
    struct winsize win = { .ws_col = 0 };
    int columns = 79, lines = 32;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &win) == 0 && win.ws_col >= 40) {
        columns = win.ws_col - 1;
        lines = win.ws_row > 16 ? win.ws_row - 1 : 16;
    }
    snprintf(kind, size, "dumb,%d,%d", columns, lines);
}

static enum chorale_err check_figures(struct plot *plot,
                                      struct chorale_errmsg *msg)
{
    char word[32];
    int got = 0;
    enum chorale_err err;

    if (plot->opts->figures == NULL) {
        plot->figures.kinds = CHORALE_FIGURE_ALL;
        return CHORALE_OK;
    }
    err = chorale_words_check("--figures", plot->opts->figures,
                              "times,map,speedup", msg);
    if (err != CHORALE_OK)
        return err;
    for (size_t k = 0; (got = chorale_spec_word(plot->opts->figures, k, word,
                                                sizeof(word))) == 1; k++) {
        unsigned before = plot->figures.kinds;

        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
            if (strcmp(kinds[i].name, word) == 0)
                plot->figures.kinds |= kinds[i].kind;
        if (plot->figures.kinds == before)
            got = -1;
        if (got < 0)
            break;
    }
    if (got < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--figures %s: a word twice; "
                            "give each once", plot->opts->figures);
    if (plot->opts->procs != NULL &&
        (plot->figures.kinds & CHORALE_FIGURE_TIMES) == 0)
        return chorale_fail(msg, CHORALE_USAGE, "--figures %s: these show all "
                            "process counts; leave out -P",
                            plot->opts->figures);
    return CHORALE_OK;
}

static enum chorale_err check_kind(struct plot *plot,
                                   struct chorale_errmsg *msg)
{
    const char *format = plot->opts->format, *terminal = plot->opts->terminal;

    enum chorale_err err = CHORALE_OK;

    if (terminal != NULL)
        err = chorale_word_check("--terminal", terminal, "dumb", msg);
    if (err != CHORALE_OK)
        return err;
    if (terminal != NULL && (format != NULL || plot->opts->dir != NULL))
        return chorale_fail(msg, CHORALE_USAGE, "--terminal: it writes no "
                            "files; leave out -o and --format");
    if (format == NULL)
        format = "png";
    err = chorale_word_check("--format", format, "png,svg,pdf", msg);
    if (err != CHORALE_OK)
        return err;
    snprintf(plot->kind, sizeof(plot->kind), "%s", format);
    if (terminal != NULL)
        fit_terminal(plot->kind, sizeof(plot->kind));
    plot->figures.kind = plot->kind;
    plot->figures.suffix = terminal != NULL ? "txt" : format;
    return CHORALE_OK;
}

enum chorale_err chorale_plots_make(const char *path,
                                    const struct chorale_plot_opts *opts,
                                    struct chorale_errmsg *msg)
{
    struct plot plot = { .opts = opts, .figures = { .each = say } };
    enum chorale_err err = check_kind(&plot, msg);

    if (err == CHORALE_OK)
        err = check_figures(&plot, msg);
    if (err == CHORALE_OK)
        err = check_collectives(opts->collectives, msg);
    if (err == CHORALE_OK && opts->procs != NULL)
        err = chorale_spec_list("-P", opts->procs, 1, &plot.procs,
                                &plot.figures.nprocs, msg);
    plot.figures.procs = plot.procs;
    plot.figures.collectives = opts->collectives;
    plot.figures.all_variants = opts->all_variants;
    plot.figures.arg = &plot;
    if (opts->terminal != NULL)
        plot.figures.each = print;
    if (err == CHORALE_OK) {
        chorale_stop_catch();
        err = plot_all(&plot, path, msg);
    }
    free(plot.procs);
    return err;
}
