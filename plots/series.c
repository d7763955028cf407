/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c - divides a picture into its series, and selects those to draw. */
#include "plots/plots.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A contender comes this close to the best time at some n. Decisions on real
 * systems ignore gains below 3 % too (THRESHOLD_REAL, tuner/decide/policy.c).
 */
#define NEAR 1.03

/* Divide the picture. Series 0 is the library's and may be empty. Returns their
 * number, at most picture->count + 1. */
static size_t divide(const struct chorale_plots_picture *picture,
                     struct chorale_plots_series *series)
{
    size_t n = 1;

    series[0] = (struct chorale_plots_series){ picture->row, 0, 0, NULL };
    for (size_t i = 0; i < picture->count; i++) {
        struct chorale_plots_row *row = &picture->row[i];

        if (strcmp(row->provider, "library") == 0 &&
            (series[0].count == 0 ||
             chorale_plots_same_series(row, series[0].row))) {
            series[0].count++;
            continue;
        }
        if (n == 1 || !chorale_plots_same_series(row, series[n - 1].row))
            series[n++] =
                (struct chorale_plots_series){ row, 0, INFINITY, NULL };
        series[n - 1].count++;
    }
    return n;
}

/* Returns 1 if two times are equal or both unknown. Simulated times that are
 * equal by construction differ in their last digits. */
static int same_time(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-12;
}

/* Returns 1 if two series have the same times at the same n. */
static int same_times(const struct chorale_plots_series *a,
                      const struct chorale_plots_series *b)
{
    int same = a->count == b->count;

    for (size_t i = 0; i < a->count && same; i++) {
        const struct chorale_plots_row *x = &a->row[i], *y = &b->row[i];

        same = x->n == y->n && same_time(x->seconds, y->seconds) &&
               same_time(x->lo, y->lo) && same_time(x->hi, y->hi);
    }
    return same;
}

/* Number of parameters, and number of letters of the label. */
static void measure_name(const struct chorale_plots_row *row, size_t size[2])
{
    char label[CHORALE_PLOTS_LABEL];

    size[0] = row->params[0] != '\0';
    for (const char *p = row->params; *p != '\0'; p++)
        size[0] += *p == ',';
    chorale_plots_choice_label(label, sizeof(label), row->provider,
                               row->variant, row->params);
    size[1] = strlen(label);
}

static int any_named(const struct chorale_plots_series *series)
{
    int any = 0;

    for (size_t i = 0; i < series->count; i++)
        any |= series->row[i].named;
    return any;
}

/* Returns 1 if a rather than b stands for both: the table names it or, if it
 * names neither, it has fewer parameters, or as many and a shorter name. */
static int preferred(const struct chorale_plots_series *a,
                     const struct chorale_plots_series *b)
{
    size_t of_a[2], of_b[2];

    if (any_named(a) != any_named(b))
        return any_named(a);
    measure_name(a->row, of_a);
    measure_name(b->row, of_b);
    return of_a[0] != of_b[0] ? of_a[0] < of_b[0] : of_a[1] < of_b[1];
}

/* Let one of the series with the same times stand for all, the library's if it
 * is among them. Those that the table names stay apart. */
static void join_equal(struct chorale_plots_series *series, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        size_t best = s;

        if (series[s].like != NULL)
            continue;
        for (size_t k = s + 1; k < n; k++)
            if (same_times(&series[s], &series[k]) &&
                !(any_named(&series[best]) && any_named(&series[k]))) {
                series[k].like = series[s].row;
                if (s > 0 && preferred(&series[k], &series[best]))
                    best = k;
            }
        for (size_t k = s; k < n; k++)
            if (k == s || series[k].like == series[s].row)
                series[k].like = series[best].row;
    }
}

/* Mark a point as decided if its series stands for the decided one. */
static void join_decided(struct chorale_plots_series *series, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; k != s && i < series[s].count &&
                               series[k].like == series[s].row; i++)
                series[s].row[i].decided |= series[k].row[i].decided;
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

/* Returns 1 if a rather than b is drawn where both have the same time. */
static int goes_first(const struct chorale_plots_series *a,
                      const struct chorale_plots_series *b)
{
    if (any_named(a) != any_named(b))
        return any_named(a);
    return a->count != b->count ? a->count > b->count : a->row < b->row;
}

/* Returns 1 if at a row's n another series has its time and is drawn there. */
static int is_hidden(const struct chorale_plots_picture *picture,
                     const struct chorale_plots_series *own,
                     const struct chorale_plots_row *row)
{
    for (size_t s = 0; s < picture->nseries; s++) {
        const struct chorale_plots_series *other = &picture->series[s];

        for (size_t i = 0; i < other->count && other != own &&
                           other->like == other->row; i++)
            if (other->row[i].n == row->n &&
                same_time(other->row[i].seconds, row->seconds) &&
                goes_first(other, own))
                return 1;
    }
    return 0;
}

/* Set the merit of all series but the library's. A series with the time of
 * another one is no contender there. */
static void judge(const struct chorale_plots_picture *picture)
{
    for (size_t s = 1; s < picture->nseries; s++) {
        struct chorale_plots_series *series = &picture->series[s];

        for (size_t i = 0; i < series->count && series->like == series->row;
             i++) {
            const struct chorale_plots_row *row = &series->row[i];
            double merit =
                row->decided ? 0 : row->seconds / best_at(picture, row->n);

            if (merit > 0 && merit <= NEAR && is_hidden(picture, series, row))
                merit = 2 * NEAR;
            if (merit < series->merit)
                series->merit = merit;
        }
    }
}

static int by_merit(const void *a, const void *b)
{
    const struct chorale_plots_series *x = a, *y = b;

    if (x->merit != y->merit)
        return x->merit < y->merit ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_decided(const void *a, const void *b)
{
    const struct chorale_plots_series *x = a, *y = b;

    if ((x->merit == 0) != (y->merit == 0))
        return x->merit == 0 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

enum chorale_err
chorale_plots_find_series(struct chorale_plots_picture *picture, int all,
                          struct chorale_errmsg *msg)
{
    double limit = all ? DBL_MAX : NEAR;
    struct chorale_plots_series *series =
        calloc(picture->count + 1, sizeof(*series));

    if (series == NULL)
        return chorale_fail_memory(msg, NULL);
    picture->series = series;
    picture->nseries = divide(picture, series);
    join_equal(series, picture->nseries);
    join_decided(series, picture->nseries);
    judge(picture);
    qsort(series + 1, picture->nseries - 1, sizeof(*series), by_merit);
    picture->drawn = 1;
    while (picture->drawn < picture->nseries &&
           picture->drawn < CHORALE_PLOTS_MAX_DRAWN &&
           series[picture->drawn].merit <= limit)
        picture->drawn++;
    qsort(series + 1, picture->drawn - 1, sizeof(*series), by_decided);
    return CHORALE_OK;
}
