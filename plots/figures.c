/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.c - makes the figures of a system. */
#include "plots/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/remarks.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"
#include "tuner/assess/validate.h"

/* State of one call. */
struct making {
    struct chorale_figures *figures;
    const struct chorale_system_row *system;
    int exploratory;         /* 1: so is the system's table */
};

/* The keys in which pictures of one collective and number of ranks differ. */
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

/* Make the title, "bcast, P = 4, ppn2 block ...", of `what` and a suffix like
 * "_ppn2_block", and the file name of `stem` and the suffix. The file name
 * includes the system if there are several. */
static void name_figure(const struct making *m, const char *stem,
                        const char *what, const char *more,
                        const char *suffix, const char *says, char title[256],
                        char name[256])
{
    char raw[512], part[96] = "", safe[64], words[256];

    snprintf(words, sizeof(words), "%s", more);
    for (char *p = words; *p != '\0'; p++)
        if (*p == '_')
            *p = ' ';
    chorale_gnuplot_file_name(safe, sizeof(safe), m->system->name);
    if (m->figures->several_systems)
        snprintf(part, sizeof(part), "%s-%lld_", safe,
                 (long long)m->system->id);
    snprintf(raw, sizeof(raw), "%s%.64s%.192s%s", part, stem, more, suffix);
    chorale_gnuplot_file_name(name, 256 - 16, raw);
    snprintf(raw, sizeof(raw), "%.64s%s%.192s%s on %s (%s%s)", what,
             more[0] != '\0' ? "," : "", words, says, m->system->name,
             m->system->simulated ? "simulated"
             : m->system->imported ? "imported" : "measured",
             m->exploratory ? ", exploratory" : "");
    chorale_gnuplot_label(title, 256, raw);
}

/* Run gnuplot to make name.SUFFIX from name.dat in the folder. It writes under
 * another name first, so that a picture is complete or absent. */
static enum chorale_err draw(struct chorale_figures *f, const char *script_name,
                             const struct chorale_figure *figure,
                             const char *to, struct chorale_errmsg *msg)
{
    char script[PATH_MAX], dat[300], tmp[300], count[24], kind[32], title[256];
    char from[PATH_MAX + 300];
    char dash_d[] = "-d", dash_c[] = "-c";
    char *argv[] = { NULL, dash_d, dash_c, script, dat,
                     tmp,  kind,   title,  count,  NULL };
    enum chorale_err err = chorale_gnuplot_script(script_name, script,
                                                  sizeof(script), msg);

    snprintf(dat, sizeof(dat), "./%s.dat", figure->name);
    snprintf(tmp, sizeof(tmp), "./%s.%s.tmp", figure->name, f->suffix);
    snprintf(kind, sizeof(kind), "%s", f->kind);
    snprintf(title, sizeof(title), "%s", figure->title);
    snprintf(count, sizeof(count), "%zu", figure->drawn);
    snprintf(from, sizeof(from), "%s/%s.%s.tmp", f->dir, figure->name,
             f->suffix);
    if (err == CHORALE_OK)
        err = chorale_gnuplot_run(f->dir, argv, &f->no_gnuplot, msg);
    if (err == CHORALE_OK && rename(from, to) != 0)
        err = chorale_fail_written(msg, to, errno);
    if (err != CHORALE_OK)
        unlink(from);
    return err;
}

/* Draw figure->data and pass the figure on; without gnuplot only the data. */
static enum chorale_err show(const struct making *m, const char *script,
                             struct chorale_figure *figure,
                             struct chorale_errmsg *msg)
{
    struct chorale_figures *f = m->figures;
    char to[PATH_MAX + 300];
    enum chorale_err err;

    f->count++;
    if (chorale_stop_requested())
        return chorale_fail(msg, CHORALE_STOPPED, "stopped; repeat the command "
                            "to start again");
    snprintf(to, sizeof(to), "%s/%s.%s", f->dir, figure->name, f->suffix);
    if (!f->no_gnuplot) {
        err = draw(f, script, figure, to, msg);
        if (f->no_gnuplot)
            f->why = *msg;
        else if (err != CHORALE_OK)
            return err;
    }
    figure->picture = f->no_gnuplot ? NULL : to;
    return f->each(f->arg, figure, msg);
}

static enum chorale_err make_times(const struct making *m,
                                   const struct chorale_plots_rows *all,
                                   struct chorale_plots_picture *picture,
                                   struct chorale_errmsg *msg)
{
    const struct chorale_plots_row *row = picture->row;
    struct differs d = find_differs(all, row);
    char title[256], name[256], path[PATH_MAX + 300], more[256] = "";
    char what[64], stem[64], says[112] = "";
    struct chorale_figure figure = {
        .kind = CHORALE_FIGURE_TIMES, .name = name, .title = title,
        .coll = row->coll, .comm_size = row->comm_size, .data = path,
    };
    size_t used = 0;
    enum chorale_err err;

    if (d.ppn)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_ppn%d",
                                 row->ppn);
    if (d.shape)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_%s",
                                 row->shape);
    if (d.type)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_%s%s%s",
                                 row->dtype, row->op[0] != '\0' ? "_" : "",
                                 row->op);
    if (d.root)
        used += (size_t)snprintf(more + used, sizeof(more) - used, "_root-%s",
                                 row->root);
    if (d.buffers)
        snprintf(more + used, sizeof(more) - used, "_%s", row->buffers);
    snprintf(what, sizeof(what), "%s, P = %d", row->coll, row->comm_size);
    snprintf(stem, sizeof(stem), "%s_P%d", row->coll, row->comm_size);
    if (strcmp(row->instead, "library") == 0)
        snprintf(says, sizeof(says), ": the table leaves these to the library");
    else if (row->instead[0] != '\0')
        snprintf(says, sizeof(says), ": the table takes the row of %s",
                 row->instead);
    name_figure(m, stem, what, more, "", says, title, name);
    picture->title = title;
    snprintf(path, sizeof(path), "%s/%s.dat", m->figures->dir, name);
    err = chorale_plots_find_series(picture, m->figures->all_variants, msg);
    if (err == CHORALE_OK)
        err = chorale_plots_write_dat(m->figures->store, m->system->id,
                                      picture, path, msg);
    figure.series = picture->series;
    figure.drawn = picture->drawn;
    figure.nseries = picture->nseries;
    if (err == CHORALE_OK)
        err = show(m, "time_vs_n.gp", &figure, msg);
    free(picture->series);
    return err;
}

static int procs_wanted(const struct chorale_figures *f, int comm_size)
{
    int fits = f->procs == NULL;

    for (size_t i = 0; i < f->nprocs; i++)
        fits |= f->procs[i] == comm_size;
    return fits;
}

static enum chorale_err all_times(const struct making *m,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_figures *f = m->figures;
    struct chorale_plots_rows all = { .row = NULL };
    enum chorale_err err;

    err = chorale_plots_load(f->store, m->system->id, &all, msg);
    for (size_t i = 0, end; i < all.count && err == CHORALE_OK; i = end) {
        struct chorale_plots_picture picture = { .row = &all.row[i],
                                                 .of = all.of };

        for (end = i + 1; end < all.count && chorale_plots_same_picture(
                                                 &all.row[i], &all.row[end]);)
            end++;
        picture.count = end - i;
        if (procs_wanted(f, all.row[i].comm_size) &&
            chorale_spec_listed(f->collectives, all.row[i].coll))
            err = make_times(m, &all, &picture, msg);
    }
    free(all.row);
    return err;
}

/* Make the map of box[0, count); several: the collective has other maps. */
static enum chorale_err make_map(const struct making *m,
                                 const struct chorale_plots_box *box,
                                 size_t count, int several,
                                 struct chorale_errmsg *msg)
{
    char title[256], name[256], path[PATH_MAX + 300], more[192] = "";
    char ppn[24] = "", says[132], not_served[128];
    struct chorale_figure figure = {
        .kind = CHORALE_FIGURE_MAP, .name = name, .title = title,
        .coll = box->coll, .data = path, .box = box, .count = count,
    };
    enum chorale_err err;

    if (box->ppn > 0)
        snprintf(ppn, sizeof(ppn), "_ppn%d", box->ppn);
    if (several)
        snprintf(more, sizeof(more), "_%s%s_%s%s%s%s%s", box->shape, ppn,
                 box->dtype, box->op[0] != '\0' ? "_" : "", box->op,
                 box->op_class[0] != '\0' ? "_" : "", box->op_class);
    chorale_served_kind_note(box->instead, not_served);
    snprintf(says, sizeof(says), ": %s%s",
             not_served[0] != '\0' ? not_served : "the choices of the table",
             not_served[0] != '\0' ? "," : "");
    name_figure(m, box->coll, box->coll, more, "_map", says, title, name);
    snprintf(path, sizeof(path), "%s/%s.dat", m->figures->dir, name);
    err = chorale_plots_write_map(m->figures->store, m->system->id, box, count,
                                  title, path, msg);
    return err == CHORALE_OK ? show(m, "decision_map.gp", &figure, msg) : err;
}

/* Make a map for each decided collective, placement and type. Skipped if
 * process counts are restricted. */
static enum chorale_err all_maps(const struct making *m,
                                 struct chorale_errmsg *msg)
{
    const struct chorale_figures *f = m->figures;
    struct chorale_plots_boxes all = { NULL, 0 };
    enum chorale_err err;

    err = chorale_plots_load_boxes(f->store, m->system->id, &all, msg);
    for (size_t i = 0, end; i < all.count && err == CHORALE_OK; i = end) {
        const struct chorale_plots_box *box = &all.box[i];
        int several = 0;

        for (end = i; end < all.count &&
                      chorale_plots_same_map(box, &all.box[end]);)
            end++;
        for (size_t k = 0; k < all.count; k++)
            several |= strcmp(all.box[k].coll, box->coll) == 0 &&
                       !chorale_plots_same_map(box, &all.box[k]);
        if (chorale_spec_listed(f->collectives, box->coll))
            err = make_map(m, box, end - i, several, msg);
    }
    free(all.box);
    return err;
}

static enum chorale_err make_gains(const struct making *m,
                                   const struct chorale_plots_gain *gain,
                                   size_t count, int several,
                                   struct chorale_errmsg *msg)
{
    char title[256], name[256], path[PATH_MAX + 300], more[192] = "";
    char ppn[24] = "", says[132];
    struct chorale_figure figure = {
        .kind = CHORALE_FIGURE_SPEEDUP, .name = name, .title = title,
        .coll = gain->coll, .data = path, .gain = gain, .count = count,
    };
    enum chorale_err err;

    if (gain->ppn > 0)
        snprintf(ppn, sizeof(ppn), "_ppn%d", gain->ppn);
    if (several)
        snprintf(more, sizeof(more), "_%s%s_%s%s%s%s%s", gain->shape, ppn,
                 gain->dtype, gain->op[0] != '\0' ? "_" : "", gain->op,
                 gain->root[0] != '\0' ? "_root-" : "", gain->root);
    snprintf(says, sizeof(says), ": speed-up over the library%s%s",
             gain->rows_of[0] != '\0' ? " by rows of " : "", gain->rows_of);
    name_figure(m, gain->coll, gain->coll, more, "_speedup", says, title,
                name);
    snprintf(path, sizeof(path), "%s/%s.dat", m->figures->dir, name);
    err = chorale_plots_write_gains(gain, count, title, path, msg);
    return err == CHORALE_OK ? show(m, "speedup_map.gp", &figure, msg) : err;
}

/* Make a map for each collective, placement and type with speed-ups. */
static enum chorale_err all_gains(const struct making *m,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_figures *f = m->figures;
    struct chorale_plots_gains all = { NULL, 0 };
    enum chorale_err err = CHORALE_OK;

    if (f->proofs != NULL)
        err = chorale_plots_load_gains(f->proofs, &all, msg);
    for (size_t i = 0, end; i < all.count && err == CHORALE_OK; i = end) {
        const struct chorale_plots_gain *gain = &all.gain[i];
        int several = 0;

        for (end = i; end < all.count &&
                      chorale_plots_same_gains(gain, &all.gain[end]);)
            end++;
        for (size_t k = 0; k < all.count; k++)
            several |= strcmp(all.gain[k].coll, gain->coll) == 0 &&
                       !chorale_plots_same_gains(gain, &all.gain[k]);
        if (chorale_spec_listed(f->collectives, gain->coll))
            err = make_gains(m, gain, end - i, several, msg);
    }
    free(all.gain);
    return err;
}

enum chorale_err chorale_figures_make(struct chorale_figures *figures,
                                      const struct chorale_system_row *system,
                                      struct chorale_errmsg *msg)
{
    struct making m = { figures, system, 0 };
    char mark[CHORALE_EXPLORATORY_TEXT];
    enum chorale_err err = chorale_exploratory(figures->store, system->id, mark,
                                               msg);

    m.exploratory = mark[0] != '\0';
    if (err == CHORALE_OK && figures->kinds & CHORALE_FIGURE_TIMES)
        err = all_times(&m, msg);
    if (err == CHORALE_OK && figures->kinds & CHORALE_FIGURE_MAP &&
        figures->procs == NULL)
        err = all_maps(&m, msg);
    if (err == CHORALE_OK && figures->kinds & CHORALE_FIGURE_SPEEDUP &&
        figures->procs == NULL)
        err = all_gains(&m, msg);
    return err;
}

enum chorale_err chorale_figures_speedups(
    struct chorale_store *store, const struct chorale_system_row *system,
    struct chorale_proofs *proofs, int *validated_p,
    struct chorale_errmsg *msg)
{
    sqlite3_int64 ndecision = 0;
    enum chorale_err err;

    *validated_p = 0;
    err = chorale_proofs_current(store, system->id, system->simulated, proofs,
                                 msg);
    for (size_t i = 0; i < proofs->count; i++)
        *validated_p |= proofs->row[i].nlaunch > 0;
    if (err != CHORALE_OK || *validated_p)
        return err;
    chorale_proofs_release(proofs);
    err = chorale_store_find(
        store, "SELECT count(*) FROM v_decision WHERE system_id = ?1",
        CHORALE_FIELDS(system->id), 0, &ndecision, msg);
    if (err == CHORALE_OK && ndecision > 0)
        err = chorale_proofs_campaign(store, system->id, system->simulated,
                                      proofs, msg);
    return err;
}
