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
    "# Block 1, the decided ranges that apply to this picture\n"
    "#   1, 2  left and right end on the axis, within the frame\n"
    "#   3, 4  the range of n, bytes\n"
    "#   5     number of the chosen series (0: not measured here)\n"
    "#   6     the choice: provider, variant, parameters\n"
    "# Blocks 2 ..., one series each; the first line is its label. Series 1\n"
    "# is the library's default.\n"
    "#   1     n, bytes of the operation\n"
    "#   2     where it is drawn: n, or left of all others where n is 0\n"
    "#   3     bytes of one rank's block\n"
    "#   4     measured seconds    5, 6  their 95 % interval\n"
    "#   7     seconds of the model\n"
    "#   8     measured seconds where the decision table chooses this series\n";

/* A series: consecutive rows of one picture. */
struct series {
    const struct chorale_plots_row *row;
    size_t count;
    double merit; /* least ratio to the best at its n; 0: decided */
};

struct frame {
    double x_min, x_max, t_min, t_max, zero;
    int decided, modelled;
    size_t label; /* characters of the longest label */
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

static void label_of(const struct series *series, int is_library,
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
static void find_frame(const struct series *series, size_t drawn,
                       struct frame *frame)
{
    int zero = 0;

    memset(frame, 0, sizeof(*frame));
    for (size_t s = 0; s < drawn; s++) {
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
        }
    }
    if (frame->x_min == 0)
        frame->x_min = frame->x_max = 4;
    if (zero) {
        frame->zero = frame->x_min / 4;
        frame->x_min = frame->zero;
    }
}

/* Divide the picture into its series. Series 0 is the library's and may be
 * empty. Returns their number, at most picture->count + 1. */
static size_t find_series(const struct chorale_plots_picture *picture,
                          struct series *series)
{
    size_t n = 1;

    series[0] = (struct series){ picture->row, 0, 0 };
    for (size_t i = 0; i < picture->count; i++) {
        const struct chorale_plots_row *row = &picture->row[i];

        if (strcmp(row->provider, "library") == 0 &&
            (series[0].count == 0 ||
             chorale_plots_same_series(row, series[0].row))) {
            series[0].count++;
            continue;
        }
        if (n == 1 || !chorale_plots_same_series(row, series[n - 1].row))
            series[n++] = (struct series){ row, 0, INFINITY };
        series[n - 1].count++;
    }
    return n;
}

/* The best time of the picture at n. */
static double best_at(const struct chorale_plots_picture *picture, double n)
{
    double best = INFINITY;

    for (size_t i = 0; i < picture->count; i++)
        if (picture->row[i].n == n && picture->row[i].seconds < best)
            best = picture->row[i].seconds;
    return best;
}

static int by_merit(const void *a, const void *b)
{
    const struct series *x = a, *y = b;

    if (x->merit != y->merit)
        return x->merit < y->merit ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_decided(const void *a, const void *b)
{
    const struct series *x = a, *y = b;

    if ((x->merit == 0) != (y->merit == 0))
        return x->merit == 0 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Sort decided series first, so that their colours differ; then those that come
 * closest to the best anywhere, as only some may be drawn. */
static void sort_series(const struct chorale_plots_picture *picture,
                        struct series *series, size_t n)
{
    size_t drawn = n;

    for (size_t s = 1; s < n; s++)
        for (size_t i = 0; i < series[s].count; i++) {
            const struct chorale_plots_row *row = &series[s].row[i];
            double merit =
                row->decided ? 0 : row->seconds / best_at(picture, row->n);

            if (merit < series[s].merit)
                series[s].merit = merit;
        }
    if (n > CHORALE_PLOTS_MAX_DRAWN) {
        qsort(series + 1, n - 1, sizeof(*series), by_merit);
        drawn = CHORALE_PLOTS_MAX_DRAWN;
    }
    qsort(series + 1, drawn - 1, sizeof(*series), by_decided);
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

static void write_series(FILE *out, const struct series *series,
                         const struct frame *frame, int is_library)
{
    char label[CHORALE_PLOTS_LABEL];

    label_of(series, is_library, label);
    fprintf(out, "\n\n\"%s\"\n", label);
    for (size_t i = 0; i < series->count; i++) {
        const struct chorale_plots_row *row = &series->row[i];

        put(out, row->n, " ");
        put(out, row->n > 0 ? row->n : frame->zero, " ");
        put(out, row->msg_size, " ");
        put(out, row->seconds, " ");
        put(out, row->lo, " ");
        put(out, row->hi, " ");
        put(out, row->model, " ");
        put(out, row->decided ? row->seconds : NAN, "\n");
    }
    if (series->count == 0)
        fprintf(out, "NaN NaN NaN NaN NaN NaN NaN NaN\n");
}

/* The number of the series that a decision chooses, from 1; 0 if not
 * measured. */
static size_t chosen_series(const struct series *series, size_t n,
                            const char *provider, const char *variant,
                            const char *params)
{
    if (strcmp(provider, "library") == 0)
        return 1;
    for (size_t s = 1; s < n; s++)
        if (strcmp(series[s].row->provider, provider) == 0 &&
            strcmp(series[s].row->variant, variant) == 0 &&
            strcmp(series[s].row->params, params) == 0)
            return s + 1;
    return 0;
}

static void write_range(FILE *out, sqlite3_stmt *stmt,
                        const struct frame *frame, const struct series *series,
                        size_t nseries)
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
            chosen_series(series, nseries, text[0], text[1], text[2]), label);
}

static enum chorale_err write_ranges(FILE *out, struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_plots_row *key,
                                     const struct frame *frame,
                                     const struct series *series,
                                     size_t nseries, struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int any = 0;
    enum chorale_err err = chorale_store_query(
        store, "SELECT n_lo, n_hi, provider, variant, params FROM v_decision"
        " WHERE system_id = ?1 AND coll = ?2 AND comm_size = ?3 AND ppn = ?4"
        " AND shape = ?5 AND dtype = ?6 AND op = ?7"
        " ORDER BY n_lo",
        CHORALE_FIELDS(system_id, key->coll, key->comm_size, key->ppn,
                       key->shape, key->by_dtype, key->by_op), &stmt, msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg)) {
        write_range(out, stmt, frame, series, nseries);
        any = 1;
    }
    if (!any)
        fprintf(out, "NaN NaN 0 0 0 \"none\"\n");
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err write_all(FILE *out, struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  struct chorale_plots_picture *picture,
                                  struct series *series,
                                  struct chorale_errmsg *msg)
{
    size_t n = find_series(picture, series);
    struct frame frame;
    enum chorale_err err;

    picture->nseries = n;
    picture->drawn = n < CHORALE_PLOTS_MAX_DRAWN ? n : CHORALE_PLOTS_MAX_DRAWN;
    sort_series(picture, series, n);
    find_frame(series, picture->drawn, &frame);
    fprintf(out, "# %s\n%s%.15g %.15g %.15g %.15g %.15g %zu %d %d "
            "%zu\n\n\n",
            picture->title, heading, frame.x_min, frame.x_max, frame.t_min,
            frame.t_max, frame.zero, n, frame.decided, frame.modelled,
            frame.label);
    err = write_ranges(out, store, system_id, picture->row, &frame, series, n,
                       msg);
    for (size_t s = 0; s < n && err == CHORALE_OK; s++)
        write_series(out, &series[s], &frame, s == 0);
    return err;
}

enum chorale_err chorale_plots_write_dat(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_plots_picture *picture,
                                         const char *path,
                                         struct chorale_errmsg *msg)
{
    struct series *series = calloc(picture->count + 1, sizeof(*series));
    FILE *out = series != NULL ? fopen(path, "w") : NULL;
    enum chorale_err err;
    int bad;

    if (out == NULL) {
        err = series != NULL ? chorale_fail_written(msg, path, errno)
                             : chorale_fail_memory(msg, path);
        free(series);
        return err;
    }
    err = write_all(out, store, system_id, picture, series, msg);
    bad = ferror(out);
    bad |= fclose(out) != 0;
    if (err == CHORALE_OK && bad)
        err = chorale_fail(msg, CHORALE_ENV,
                           "%s: %s; free some space and "
                           "repeat the command",
                           path, strerror(errno));
    free(series);
    return err;
}
