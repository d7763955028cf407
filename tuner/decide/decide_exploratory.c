/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_exploratory.c - whether a system's table is exploratory, and its runs
 * prepared for smoothing. */
#include "tuner/decide/decide_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "tuner/decide/smooth.h"

/* 1 if times are another program's. */
static int is_imported(const struct chorale_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->row[i].imported && points->row[i].ok)
            return 1;
    return 0;
}

/* Let the rows of single nodes have one number of ranks a node, the largest, so
 * that the process counts of a node are one family. */
static void join_nodes(struct chorale_points *points)
{
    int most = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < points->count; i++) {
            struct chorale_run_point *r = &points->row[i];

            if (strcmp(r->shape, "single-node") != 0)
                continue;
            if (pass == 0 && r->ppn > most)
                most = r->ppn;
            else if (pass == 1)
                r->ppn = most;
        }
}

int chorale_points_by_catalogue(const struct chorale_points *points,
                                struct chorale_points *copy)
{
    struct chorale_run_point *row;

    for (size_t i = 0; i < points->count; i++)
        if (strcmp(points->row[i].provider, "chorale") == 0)
            return 0;
    row = malloc((points->count + 1) * sizeof(*row));
    if (row == NULL)
        return -1;
    *copy = *points;
    copy->row = row;
    for (size_t i = 0; i < points->count; i++) {
        struct chorale_run_point *r = &row[i];

        *r = points->row[i];
        if (strcmp(r->provider, "native") != 0 || *r->params != '\0' ||
            chorale_alg_find(r->coll, r->variant) == NULL)
            continue;
        r->provider = "chorale";
        r->config = chorale_alg_configure(r->coll, r->variant, "");
    }
    return 0;
}

static int compare_counts(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The median over the points of the number of launches that ran the library;
 * 0: none did, or out of memory. */
static int usual_launches(const struct chorale_points *points)
{
    int *count = calloc(points->count + 1, sizeof(*count)), median = 0;
    size_t n = 0, last = 0;

    for (size_t i = 0; count != NULL && i < points->count; i++) {
        const struct chorale_run_point *r = &points->row[i];

        if (strcmp(r->provider, "library") != 0 || !r->ok)
            continue;
        if (n == 0 || r->n != points->row[last].n ||
            !chorale_decide_same_line(r, &points->row[last]))
            count[n++] = 1;
        else if (r->launch != points->row[last].launch)
            count[n - 1]++;
        last = i;
    }
    if (n > 0) {
        qsort(count, n, sizeof(*count), compare_counts);
        median = count[n / 2];
    }
    free(count);
    return median;
}

/* Why the table of a real system is exploratory, or "". */
static void describe(const struct chorale_points *points,
                     const struct chorale_decide_opts *how, int launches,
                     char text[CHORALE_EXPLORATORY_TEXT])
{
    double noise;
    int learnt;

    text[0] = '\0';
    if (how->smooth == CHORALE_SMOOTH_ALL) {
        noise = chorale_smooth_noise(points->row, points->count, how->noise,
                                     &learnt);
        snprintf(text, CHORALE_EXPLORATORY_TEXT, "exploratory: imported timings"
                 " with %d launch%s a point, which differ by %.2g %% (%s)",
                 launches, launches == 1 ? "" : "es", 100 * noise,
                 learnt ? "pooled over all points but the noisiest 1 %"
                        : "--launch-noise");
    } else if (!how->simulated && how->smooth == CHORALE_SMOOTH_NONE &&
               launches > 0 &&
               launches < CHORALE_DECIDE_SURE)
        snprintf(text, CHORALE_EXPLORATORY_TEXT, "exploratory: half of the"
                 " points or more have fewer than %d launches",
                 CHORALE_DECIDE_SURE);
}

int chorale_decide_exploratory(struct chorale_points *points,
                               struct chorale_decide_opts *how,
                               struct chorale_points *catalogue,
                               char text[CHORALE_EXPLORATORY_TEXT])
{
    const int launches = usual_launches(points);

    how->smooth = how->simulated || !is_imported(points)
                      ? CHORALE_SMOOTH_NONE
                  : launches >= CHORALE_DECIDE_SURE ? CHORALE_SMOOTH_BETWEEN
                                                    : CHORALE_SMOOTH_ALL;
    describe(points, how, launches, text);
    if (how->smooth == CHORALE_SMOOTH_NONE)
        return 0;
    join_nodes(points);
    return chorale_points_by_catalogue(points, catalogue);
}
