/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.c - the verb `plot`: one picture for each collective and number of
 * ranks, and a map of its decisions, each with its data file beside it. */
#include "plots/plots.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "db/systems.h"
#include "tuner/spec.h"
#include "tuner/verb.h"

struct opts {
    const char *dir, *format, *system, *collectives, *procs;
    int quiet;
};

/* What one call of the verb works on. */
struct plot {
    const struct opts *opts;
    struct chorale_store *store;
    char dir[PATH_MAX];
    char script[PATH_MAX], map_script[PATH_MAX];
    long *procs;
    size_t nprocs;
    int several_systems;
    int no_gnuplot; /* 1: only data files from here on */
    struct chorale_errmsg why;
    size_t npictures;
};

static const struct chorale_opt rows[] = {
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct opts, dir), "DIR",
      "folder of the pictures and their data (default: the database's name "
      "with -plots for .db)",
      0, 0 },
    { "format", 0, CHORALE_OPT_TEXT, offsetof(struct opts, format), "KIND",
      "kind of picture: png or svg (default: png)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "plot this system only (default: all)", 0, 0 },
    { "collectives", 'c', CHORALE_OPT_TEXT, offsetof(struct opts, collectives),
      "LIST", "plot these only: bcast,allreduce (default: all)", 0, 0 },
    { "comm-size", 'P', CHORALE_OPT_TEXT, offsetof(struct opts, procs), "LIST",
      "plot these numbers of processes only: 4,8 or 2:64 (default: "
      "all)",
      0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "do not print the pictures' names", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

/* Every word of --collectives is a collective. */
static enum chorale_err check_collectives(const char *list,
                                          struct chorale_errmsg *msg)
{
    char word[32];
    int got = 0;

    for (size_t k = 0;
         list != NULL &&
         (got = chorale_spec_word(list, k, word, sizeof(word))) == 1;
         k++)
        if (chorale_coll_find(word) < 0)
            return chorale_fail(msg, CHORALE_USAGE,
                                "--collectives: '%s' is no collective; see "
                                "`chorale list`",
                                word);
    if (got < 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--collectives: a word of '%s' is too long", list);
    return CHORALE_OK;
}

static int coll_wanted(const char *list, const char *coll)
{
    char word[32];

    if (list == NULL)
        return 1;
    for (size_t k = 0; chorale_spec_word(list, k, word, sizeof(word)) == 1; k++)
        if (strcmp(word, coll) == 0)
            return 1;
    return 0;
}

static int wanted(const struct plot *plot, const struct chorale_plots_row *row)
{
    int fits = plot->procs == NULL;

    for (size_t i = 0; i < plot->nprocs; i++)
        fits |= plot->procs[i] == row->comm_size;
    return fits && coll_wanted(plot->opts->collectives, row->coll);
}

/* Which of a picture's keys tell it from others of the same collective and
 * number of ranks. */
struct differs {
    int ppn, shape, type, root, buffers;
};

static struct differs find_differs(const struct chorale_plots_rows *all,
                                   const struct chorale_plots_row *key)
{
    struct differs d = { 0 };

    for (size_t i = 0; i < all->count; i++) {
        const struct chorale_plots_row *row = &all->row[i];

        if (strcmp(row->coll, key->coll) != 0 ||
            row->comm_size != key->comm_size)
            continue;
        d.ppn |= row->ppn != key->ppn;
        d.shape |= strcmp(row->shape, key->shape) != 0;
        d.type |= strcmp(row->dtype, key->dtype) != 0 ||
                  strcmp(row->op, key->op) != 0;
        d.root |= strcmp(row->root, key->root) != 0;
        d.buffers |= strcmp(row->buffers, key->buffers) != 0;
    }
    return d;
}

/* Title and name of a picture: the second is safe as a file's name. */
static void name_picture(const struct plot *plot,
                         const struct chorale_system_row *system,
                         const struct chorale_plots_row *row,
                         const struct differs *d, char *title, size_t tsize,
                         char *name, size_t nsize)
{
    char more[256] = "", raw[512], system_part[80] = "", safe[64];
    size_t used = 0;

    if (d->ppn)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_ppn%d",
                                 row->ppn);
    if (d->shape)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_%s",
                                 row->shape);
    if (d->type)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_%s%s%s",
                                 row->dtype, row->op[0] != '\0' ? "_" : "",
                                 row->op);
    if (d->root)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_root-%s",
                                 row->root);
    if (d->buffers)
        snprintf(more + used, sizeof(more) - used, "_%s", row->buffers);

    chorale_plots_safe_name(safe, sizeof(safe), system->name);
    if (plot->several_systems)
        snprintf(system_part, sizeof(system_part), "%s-%lld_", safe,
                 (long long)system->id);
    snprintf(raw, sizeof(raw), "%s%s_P%d%s", system_part, row->coll,
             row->comm_size, more);
    chorale_plots_safe_name(name, nsize, raw);

    for (char *p = more; *p != '\0'; p++) /* "_ppn2_block": ", ppn2, block" */
        if (*p == '_')
            *p = ' ';
    snprintf(raw, sizeof(raw), "%s, P = %d%s%s on %s (%s)", row->coll,
             row->comm_size, more[0] != '\0' ? "," : "", more, system->name,
             system->simulated ? "simulated" : "measured");
    chorale_plots_safe_text(title, tsize, raw);
}

/* Have gnuplot make name.FORMAT of name.dat in the folder: first under
 * another name, so that a picture is there in full or not at all. */
static enum chorale_err draw(struct plot *plot, char *script, const char *name,
                             const char *label, size_t drawn,
                             struct chorale_errmsg *msg)
{
    char dat[300], tmp[300], count[24], from[PATH_MAX + 300];
    char to[PATH_MAX + 300], format[8], title[256];
    char *argv[] = { NULL, "-d",   "-c",  script, dat,
                     tmp,  format, title, count,  NULL };
    enum chorale_err err;

    snprintf(dat, sizeof(dat), "./%s.dat", name);
    snprintf(tmp, sizeof(tmp), "./%s.%s.tmp", name, plot->opts->format);
    snprintf(format, sizeof(format), "%s", plot->opts->format);
    snprintf(title, sizeof(title), "%s", label);
    snprintf(count, sizeof(count), "%zu", drawn);
    snprintf(from, sizeof(from), "%s/%s.%s.tmp", plot->dir, name,
             plot->opts->format);
    snprintf(to, sizeof(to), "%s/%s.%s", plot->dir, name, plot->opts->format);
    err = chorale_plots_gnuplot(plot->dir, argv, &plot->no_gnuplot, msg);
    if (err == CHORALE_OK && rename(from, to) != 0)
        err = chorale_fail(msg, CHORALE_ENV, "%s: %s", to, strerror(errno));
    if (err != CHORALE_OK)
        unlink(from);
    else if (!plot->opts->quiet)
        printf("%s\n", to);
    return err;
}

/* Draw what lies in path, or name that where there is no gnuplot. */
static enum chorale_err show(struct plot *plot, char *script, const char *name,
                             const char *path, const char *title, size_t drawn,
                             struct chorale_errmsg *msg)
{
    plot->npictures++;
    if (!plot->no_gnuplot) {
        enum chorale_err err = draw(plot, script, name, title, drawn, msg);

        if (plot->no_gnuplot)
            plot->why = *msg;
        else if (err != CHORALE_OK)
            return err;
    }
    if (plot->no_gnuplot && !plot->opts->quiet)
        printf("%s\n", path);
    return CHORALE_OK;
}

static enum chorale_err make_picture(struct plot *plot,
                                     const struct chorale_system_row *system,
                                     const struct chorale_plots_rows *all,
                                     struct chorale_plots_picture *picture,
                                     struct chorale_errmsg *msg)
{
    struct differs d = find_differs(all, picture->row);
    char title[256], name[256], path[PATH_MAX + 300];
    enum chorale_err err;

    name_picture(plot, system, picture->row, &d, title, sizeof(title), name,
                 sizeof(name) - 16);
    picture->title = title;
    snprintf(path, sizeof(path), "%s/%s.dat", plot->dir, name);
    err = chorale_plots_write_dat(plot->store, system->id, picture, path, msg);
    if (err != CHORALE_OK)
        return err;
    err = show(plot, plot->script, name, path, title, picture->drawn, msg);
    if (err == CHORALE_OK && !plot->no_gnuplot && !plot->opts->quiet &&
        picture->drawn < picture->nseries)
        printf("  (%zu of %zu variants; the data file has all)\n",
               picture->drawn, picture->nseries);
    return err;
}

/* The map of box[0, count); several: of one collective there are others. */
static enum chorale_err make_map(struct plot *plot,
                                 const struct chorale_system_row *system,
                                 const struct chorale_plots_box *box,
                                 size_t count, int several,
                                 struct chorale_errmsg *msg)
{
    char more[192] = "", ppn[24] = "", raw[512], safe[64], part[96] = "";
    char title[256], name[256], path[PATH_MAX + 300];
    enum chorale_err err;

    if (box->ppn > 0)
        snprintf(ppn, sizeof(ppn), "_ppn%d", box->ppn);
    if (several)
        snprintf(more, sizeof(more), "_%s%s_%s%s%s%s%s", box->shape, ppn,
                 box->dtype, box->op[0] != '\0' ? "_" : "", box->op,
                 box->op_class[0] != '\0' ? "_" : "", box->op_class);
    chorale_plots_safe_name(safe, sizeof(safe), system->name);
    if (plot->several_systems)
        snprintf(part, sizeof(part), "%s-%lld_", safe, (long long)system->id);
    snprintf(raw, sizeof(raw), "%s%s%s_map", part, box->coll, more);
    chorale_plots_safe_name(name, sizeof(name) - 16, raw);
    for (char *p = more; *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
    snprintf(raw, sizeof(raw), "%s%s%s: the choices of the table on %s (%s)",
             box->coll, more[0] != '\0' ? "," : "", more, system->name,
             system->simulated ? "simulated" : "measured");
    chorale_plots_safe_text(title, sizeof(title), raw);
    snprintf(path, sizeof(path), "%s/%s.dat", plot->dir, name);
    err = chorale_plots_write_map(box, count, title, path, msg);
    if (err == CHORALE_OK)
        err = show(plot, plot->map_script, name, path, title,
                   CHORALE_PLOTS_MAX_DRAWN, msg);
    return err;
}

/* A map of each collective, placement and type decided for several process
 * counts; none if only some of those are asked for. */
static enum chorale_err plot_maps(struct plot *plot,
                                  const struct chorale_system_row *system,
                                  struct chorale_errmsg *msg)
{
    struct chorale_plots_boxes all = { NULL, 0 };
    enum chorale_err err = CHORALE_OK;

    if (plot->procs == NULL)
        err = chorale_plots_load_boxes(plot->store, system->id, &all, msg);
    for (size_t i = 0, end; i < all.count && err == CHORALE_OK; i = end) {
        const struct chorale_plots_box *box = &all.box[i];
        int several = 0, lines = 0;

        for (end = i; end < all.count &&
                      chorale_plots_same_map(box, &all.box[end]); end++)
            lines |= all.box[end].comm_size_hi != box->comm_size;
        for (size_t k = 0; k < all.count; k++)
            several |= strcmp(all.box[k].coll, box->coll) == 0 &&
                       !chorale_plots_same_map(box, &all.box[k]);
        if (lines && coll_wanted(plot->opts->collectives, box->coll))
            err = make_map(plot, system, box, end - i, several, msg);
    }
    free(all.box);
    return err;
}

static enum chorale_err plot_system(struct plot *plot,
                                    const struct chorale_system_row *system,
                                    struct chorale_errmsg *msg)
{
    struct chorale_plots_rows all = { NULL, 0 };
    enum chorale_err err;

    err = chorale_plots_load(plot->store, system->id, &all, msg);
    for (size_t i = 0, end; i < all.count && err == CHORALE_OK; i = end) {
        struct chorale_plots_picture picture = { .row = &all.row[i] };

        for (end = i + 1; end < all.count && chorale_plots_same_picture(
                                                 &all.row[i], &all.row[end]);)
            end++;
        picture.count = end - i;
        if (wanted(plot, &all.row[i]))
            err = make_picture(plot, system, &all, &picture, msg);
    }
    free(all.row);
    return err == CHORALE_OK ? plot_maps(plot, system, msg) : err;
}

/* The folder: as told, or the database's name with -plots for .db. */
static enum chorale_err make_dir(struct plot *plot, const char *db_path,
                                 struct chorale_errmsg *msg)
{
    size_t len = strlen(db_path);
    int need;

    if (len > 3 && strcmp(db_path + len - 3, ".db") == 0)
        len -= 3;
    need = plot->opts->dir != NULL
               ? snprintf(plot->dir, sizeof(plot->dir), "%s", plot->opts->dir)
               : snprintf(plot->dir, sizeof(plot->dir), "%.*s-plots", (int)len,
                          db_path);
    if (need <= 0 || (size_t)need >= sizeof(plot->dir))
        return chorale_fail(msg, CHORALE_USAGE,
                            "-o: the folder's name is empty or too long");
    if (mkdir(plot->dir, 0777) != 0 && errno != EEXIST)
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: %s; name a folder that can be made with -o",
                            plot->dir, strerror(errno));
    return CHORALE_OK;
}

static enum chorale_err plot_all(struct plot *plot, const char *db_path,
                                 struct chorale_errmsg *msg)
{
    struct chorale_system_row *system = NULL;
    size_t nsystem = 0;
    enum chorale_err err;

    err = chorale_store_open(db_path, CHORALE_STORE_READ, &plot->store, msg);
    if (err == CHORALE_OK)
        err = chorale_systems_load(plot->store, plot->opts->system, &system,
                                   &nsystem, msg);
    if (err == CHORALE_OK)
        err = chorale_plots_find_script("time_vs_n.gp", plot->script,
                                        sizeof(plot->script), msg);
    if (err == CHORALE_OK)
        err = chorale_plots_find_script("decision_map.gp", plot->map_script,
                                        sizeof(plot->map_script), msg);
    if (err == CHORALE_OK)
        err = make_dir(plot, db_path, msg);
    plot->several_systems = nsystem > 1;
    for (size_t i = 0; i < nsystem && err == CHORALE_OK; i++)
        err = plot_system(plot, &system[i], msg);
    if (err == CHORALE_OK && plot->npictures == 0)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: nothing measured that fits; `chorale status "
                           "%s` shows what there is",
                           db_path, db_path);
    if (err == CHORALE_OK && plot->no_gnuplot) {
        *msg = plot->why;
        err = CHORALE_ENV;
    }
    chorale_systems_free(system, nsystem);
    chorale_store_close(plot->store);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .format = "png" };
    struct plot plot = { .opts = &opts };
    int nword;
    enum chorale_err err;

    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    if (strcmp(opts.format, "png") != 0 && strcmp(opts.format, "svg") != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--format: '%s' is neither png nor svg",
                            opts.format);
    err = check_collectives(opts.collectives, msg);
    if (err == CHORALE_OK && opts.procs != NULL)
        err = chorale_spec_list("-P", opts.procs, 1, &plot.procs, &plot.nprocs,
                                msg);
    if (err == CHORALE_OK)
        err = plot_all(&plot, argv[1], msg);
    free(plot.procs);
    return err;
}

const struct chorale_verb chorale_verb_plot = {
    .name = "plot",
    .args = "results.db",
    .summary = "draw time against size, and the table's choices",
    .detail =
        "Makes one picture for each collective and number of processes (and "
        "system, type, placement where there are several): the time of every "
        "variant against n, the bytes of the operation, with its 95 % "
        "interval over the launches; the library's default in black; what "
        "the model predicts in dashes; a ring on the decided choice at each "
        "measured n, and a band below in the colour of the choice. Then a "
        "map of each collective that is decided for several process counts: "
        "the table's choice over n and P (not with -P).\n"
        "The pictures' names are printed. Beside each lies its data (.dat, "
        "columns explained in its heading), from which gnuplot can be called "
        "by hand with the scripts in the package's data folder.\n"
        "The program gnuplot is taken from GNUPLOT if that is set, else found "
        "in PATH; without it the data files are still written. "
        "CHORALE_DATADIR names another folder of scripts.",
    .example = "chorale plot results.db\n"
               "chorale plot results.db -o pictures --format svg "
               "--collectives bcast -P 4,8",
    .opt = rows,
    .run = run,
};
