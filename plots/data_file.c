/* SPDX-License-Identifier: BSD-3-Clause */
/* data_file.c - writes the data file of one picture: plain columns under an
 * explanatory heading, usable with the scripts here and with other tools. */
#include "plots/plots.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AXIS_MARGIN 1.6 /* as in time_vs_n.gp */

static const char heading[] =
    "# Blocks are separated by two blank lines; NaN: unknown.\n"
    "#\n"
    "# Block 0, the frame\n"
    "#   1, 2  least and greatest x drawn    3, 4  least and greatest time, s\n"
    "#   5     where n = 0 is drawn (0: not drawn)\n"
    "#   6     number of series\n"
    "#   7, 8  1 if anything is decided, if there is a model\n"
    "#   9     letters of the longest label\n"
    "#   10    arrival patterns of the times: 0 sync; 1 as traced, from the\n"
    "#         last arrival; 2 robust: best in sync plus the largest loss\n"
    "#   11    seconds of dispatch in the times of variants\n"
    "#   12,13 1 if times are 95 % quantiles, if choices use smoothed times\n"
    "#   14    number of drawn times that do not decide\n"
    "# Block 1, the decided ranges that apply to this picture\n"
    "#   1, 2  left and right end on the axis, within the frame\n"
    "#   3, 4  the range of n, bytes\n"
    "#   5     number of the chosen series (0: not drawn here)\n"
    "#   6     the choice: provider, variant, parameters\n"
    "# Blocks 2 ..., one series each; the first line is its label. Series 1\n"
    "# is the library's default. The drawn series are first. A remark names\n"
    "# the series that is drawn instead of one with the same times.\n"
    "#   1     n, bytes of the operation\n"
    "#   2     where it is drawn: n, or left of all others where n is 0\n"
    "#   3     bytes of one rank's block\n"
    "#   4     measured seconds, by which the table is decided\n"
    "#   5, 6  their 95 % interval\n"
    "#   7     seconds of the model\n"
    "#   8     measured seconds where the decision table chooses this series\n"
    "#   9     1 if the time decides; 0: it is excluded, or decided as a mean\n"
    "#         over several root or buffer policies\n";

struct frame {
    double x_min, x_max, t_min, t_max, zero;
    int decided, modelled;
    size_t label; /* characters of the longest label */
    size_t aside; /* drawn times that do not decide */
};

static void widen(double *min, double *max, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    if (*min == 0 || value < *min)
        *min = value;
    if (*max == 0 || value > *max)
        *max = value;
}

static void label_of(const struct chorale_plots_series *series, int is_library,
                     char label[CHORALE_PLOTS_LABEL])
{
    if (is_library)
        snprintf(label, CHORALE_PLOTS_LABEL, "library%s",
                 series->count > 0 ? "" : " (not measured)");
    else
        chorale_plots_choice_label(label, CHORALE_PLOTS_LABEL,
                                   series->row->provider,
                                   series->row->variant, series->row->params);
}

/* Find the range that the drawn series cover. Zero bytes have no place on a
 * logarithmic axis; they are drawn two doublings left of the smallest n. */
static void find_frame(const struct chorale_plots_picture *picture,
                       struct frame *frame)
{
    const struct chorale_plots_series *series = picture->series;
    int zero = 0;

    memset(frame, 0, sizeof(*frame));
    for (size_t s = 0; s < picture->drawn; s++) {
        char label[CHORALE_PLOTS_LABEL];

        label_of(&series[s], s == 0, label);
        if (strlen(label) > frame->label)
            frame->label = strlen(label);
        for (size_t i = 0; i < series[s].count; i++) {
            const struct chorale_plots_row *row = &series[s].row[i];

            widen(&frame->x_min, &frame->x_max, row->n);
            widen(&frame->t_min, &frame->t_max, row->seconds);
            widen(&frame->t_min, &frame->t_max, row->lo);
            widen(&frame->t_min, &frame->t_max, row->hi);
            widen(&frame->t_min, &frame->t_max, row->model);
            zero |= !(row->n > 0);
            frame->modelled |= isfinite(row->model);
            frame->decided |= row->decided;
            frame->aside += !row->decides;
        }
    }
    if (frame->x_min == 0)
        frame->x_min = frame->x_max = 4;
    if (zero) {
        frame->zero = frame->x_min / 4;
        frame->x_min = frame->zero;
    }
}

void chorale_plots_choice_label(char *out, size_t size, const char *provider,
                                const char *variant, const char *params)
{
    char text[256];

    if (strcmp(provider, "library") == 0)
        snprintf(text, sizeof(text), "library");
    else
        snprintf(text, sizeof(text), "%s%s%s%s%s",
                 strcmp(provider, "chorale") == 0 ? "" : provider,
                 strcmp(provider, "chorale") == 0 ? "" : " ", variant,
                 params[0] != '\0' ? " " : "", params);
    chorale_gnuplot_label(out, size, text);
}

static void put(FILE *out, double value, const char *after)
{
    if (isfinite(value))
        fprintf(out, "%.15g%s", value, after);
    else
        fprintf(out, "NaN%s", after);
}

/* The index of the drawn series that is, or stands for, series s; 0 for the
 * library's, picture->drawn if it is not drawn. */
static size_t drawn_for(const struct chorale_plots_picture *picture, size_t s)
{
    size_t d = 0;

    while (s > 0 && d < picture->drawn &&
           (picture->series[d].count == 0 ||
            picture->series[d].row != picture->series[s].like))
        d++;
    return d;
}

static void write_series(FILE *out, const struct chorale_plots_picture *picture,
                         size_t s, const struct frame *frame)
{
    const struct chorale_plots_series *series = &picture->series[s];
    size_t drawn = drawn_for(picture, s);
    char label[CHORALE_PLOTS_LABEL];

    label_of(series, s == 0, label);
    fprintf(out, "\n\n\"%s\"\n", label);
    if (drawn < picture->drawn && drawn != s) {
        label_of(&picture->series[drawn], drawn == 0, label);
        fprintf(out, "# same times as %s\n", label);
    }
    for (size_t i = 0; i < series->count; i++) {
        const struct chorale_plots_row *row = &series->row[i];

        put(out, row->n, " ");
        put(out, row->n > 0 ? row->n : frame->zero, " ");
        put(out, row->msg_size, " ");
        put(out, row->seconds, " ");
        put(out, row->lo, " ");
        put(out, row->hi, " ");
        put(out, row->model, " ");
        put(out, row->decided ? row->seconds : NAN, " ");
        fprintf(out, "%d\n", row->decides);
    }
    if (series->count == 0)
        fprintf(out, "NaN NaN NaN NaN NaN NaN NaN NaN 0\n");
}

/* The number of the drawn series that a decision chooses, from 1; 0 if none
 * is drawn for it. */
static size_t chosen_series(const struct chorale_plots_picture *picture,
                            const char *provider, const char *variant,
                            const char *params)
{
    size_t s = 1;

    if (strcmp(provider, "library") == 0)
        return 1;
    while (s < picture->nseries &&
           (strcmp(picture->series[s].row->provider, provider) != 0 ||
            strcmp(picture->series[s].row->variant, variant) != 0 ||
            strcmp(picture->series[s].row->params, params) != 0))
        s++;
    if (s < picture->nseries)
        s = drawn_for(picture, s);
    return s < picture->drawn ? s + 1 : 0;
}

static void write_range(FILE *out, sqlite3_stmt *stmt,
                        const struct frame *frame,
                        const struct chorale_plots_picture *picture)
{
    double left = frame->x_min / AXIS_MARGIN;
    double right = frame->x_max * AXIS_MARGIN;
    double lo = sqlite3_column_double(stmt, 0);
    double hi = sqlite3_column_double(stmt, 1);
    const char *text[3];
    char label[CHORALE_PLOTS_LABEL];

    for (int i = 0; i < 3; i++) {
        text[i] = (const char *)sqlite3_column_text(stmt, 2 + i);
        if (text[i] == NULL)
            text[i] = "";
    }
    chorale_plots_choice_label(label, sizeof(label), text[0], text[1],
                               text[2]);
    if (lo > left)
        left = lo;
    if (hi < right) /* the range of zero bytes ends right of it */
        right = hi > 0 ? hi + 1 : frame->zero * AXIS_MARGIN;
    if (left < right)
        fprintf(out, "%.15g %.15g ", left, right);
    else
        fprintf(out, "NaN NaN ");
    fprintf(out, "%lld %lld %zu \"%s\"\n",
            (long long)sqlite3_column_int64(stmt, 0),
            (long long)sqlite3_column_int64(stmt, 1),
            chosen_series(picture, text[0], text[1], text[2]), label);
}

static enum chorale_err
write_ranges(FILE *out, struct chorale_store *store, sqlite3_int64 system_id,
             const struct frame *frame,
             const struct chorale_plots_picture *picture,
             struct chorale_errmsg *msg)
{
    const struct chorale_plots_row *key = picture->row;
    sqlite3_stmt *stmt = NULL;
    int any = 0;
    enum chorale_err err = chorale_store_query(
        store, "SELECT n_lo, n_hi, provider, variant, params FROM v_decision"
        " WHERE system_id = ?1 AND coll = ?2"
        " AND ?3 BETWEEN comm_size AND comm_size_hi AND ppn = ?4"
        " AND shape = ?5 AND dtype = ?6 AND op = ?7"
        " ORDER BY n_lo",
        CHORALE_FIELDS(system_id, key->coll, key->comm_size, key->ppn,
                       key->shape, key->by_dtype, key->by_op), &stmt, msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg)) {
        write_range(out, stmt, frame, picture);
        any = 1;
    }
    if (!any)
        fprintf(out, "NaN NaN 0 0 0 \"none\"\n");
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err write_all(FILE *out, struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  const struct chorale_plots_picture *picture,
                                  struct chorale_errmsg *msg)
{
    struct frame frame;
    enum chorale_err err;

    find_frame(picture, &frame);
    fprintf(out, "# %s\n%s%.15g %.15g %.15g %.15g %.15g %zu %d %d "
            "%zu %d %.15g %d %d %zu\n\n\n",
            picture->title, heading, frame.x_min, frame.x_max, frame.t_min,
            frame.t_max, frame.zero, picture->nseries, frame.decided,
            frame.modelled, frame.label, picture->of.arrivals,
            picture->of.dispatch, picture->of.p95, picture->of.smoothed,
            frame.aside);
    err = write_ranges(out, store, system_id, &frame, picture, msg);
    for (size_t s = 0; s < picture->nseries && err == CHORALE_OK; s++)
        write_series(out, picture, s, &frame);
    return err;
}

enum chorale_err
chorale_plots_write_dat(struct chorale_store *store, sqlite3_int64 system_id,
                        const struct chorale_plots_picture *picture,
                        const char *path, struct chorale_errmsg *msg)
{
    FILE *out = fopen(path, "w");
    enum chorale_err err;
    int bad;

    if (out == NULL)
        return chorale_fail_written(msg, path, errno);
    err = write_all(out, store, system_id, picture, msg);
    bad = ferror(out);
    bad |= fclose(out) != 0;
    return err == CHORALE_OK && bad ? chorale_fail_written(msg, path, errno)
                                    : err;
}
