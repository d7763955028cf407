/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_cells.c - collect the points of imported algorithms, with the
 * features of their schedules and the means of their launches. */
#include "tuner/fit/schedule_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "tuner/base/kriging.h"
#include "tuner/fit/known_schedules.h"

#define USUAL_NOISE 0.05 /* of one launch, if no point has two */

static int same_cell(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->n == b->n && a->conditions == b->conditions &&
           chorale_run_same_candidate(a, b);
}

/* The row of an algorithm, added if new. Returns its index. */
static size_t find_row(struct chorale_schedule_cells *cells,
                       const struct chorale_run_point *run)
{
    struct chorale_schedule_row *row = cells->row;

    for (size_t i = 0; i < cells->nrow; i++)
        if (row[i].coll == run->coll && row[i].provider == run->provider &&
            row[i].variant == run->variant && row[i].params == run->params)
            return i;
    row[cells->nrow] = (struct chorale_schedule_row){
        .coll = run->coll, .provider = run->provider,
        .variant = run->variant, .params = run->params,
    };
    return cells->nrow++;
}

/* Ranks on each node; 0: not in blocks. */
static int ranks_per_node(const struct chorale_run_point *run)
{
    if (strcmp(run->shape, "single-node") == 0)
        return run->comm_size;
    if (strcmp(run->shape, "one-per-node") == 0)
        return 1;
    return strcmp(run->shape, "cyclic") == 0 ? 0 : run->ppn;
}

/* Set the schedule's features of a cell; -1: not known. */
static int describe(struct chorale_feature_cache *cache,
                    struct chorale_schedule_cell *cell,
                    struct chorale_schedule_row *row)
{
    const struct chorale_run_point *run = cell->run;
    const int ppn = ranks_per_node(run);
    struct chorale_known_schedule known;
    struct chorale_point pt = {
        .comm_size = run->comm_size, .msg_size = run->msg_size,
        .type_size = chorale_run_type_size(run),
        .commutative = strcmp(run->op_class, "noncommutative") != 0,
    };

    if (ppn < 1 || run->comm_size < 2 ||
        chorale_known_schedule(run, &known) != 0)
        return -1;
    pt.ppn = ppn < run->comm_size ? ppn : 0;
    pt.n = chorale_coll_n(known.alg->coll, pt.msg_size, pt.comm_size);
    memcpy(pt.param, known.param, sizeof(pt.param));
    if (chorale_features_of(cache, known.alg, &pt, ppn, &cell->f) != 0)
        return -1;
    cell->alg = known.alg;
    /* The name at the largest size, where a library replaces nothing. */
    row->schedule = known.alg->name;
    return 0;
}

/* Set the times of a cell from the runs run[0, n). */
static void average(struct chorale_schedule_cell *cell, size_t n)
{
    double squares = 0;

    cell->nlaunch = cell->log_seconds = 0;
    for (size_t i = 0; i < n; i++) {
        double l, d;

        if (!cell->run[i].ok)
            continue;
        l = log(cell->run[i].seconds);
        d = l - cell->log_seconds;
        cell->nlaunch++;
        cell->log_seconds += d / cell->nlaunch;
        squares += d * (l - cell->log_seconds);
    }
    cell->variance = cell->nlaunch > 1 ? squares / (cell->nlaunch - 1) : 0;
}

enum chorale_err chorale_schedule_collect(const struct chorale_points *points,
                                          struct chorale_schedule_cells *cells,
                                          struct chorale_errmsg *msg)
{
    const struct chorale_run_point *run = points->row;
    const size_t n = points->count;
    struct chorale_feature_cache *cache = chorale_feature_cache_new();

    *cells = (struct chorale_schedule_cells){ .cell = NULL };
    cells->cell = malloc((n + 1) * sizeof(*cells->cell));
    cells->row = calloc(n + 1, sizeof(*cells->row));
    if (cache == NULL || cells->cell == NULL || cells->row == NULL) {
        chorale_feature_cache_free(cache);
        return chorale_fail_memory(msg, "fit");
    }
    for (size_t i = 0, end; i < n; i = end) {
        struct chorale_schedule_cell *cell = &cells->cell[cells->count];

        for (end = i + 1; end < n && same_cell(&run[i], &run[end]); end++)
            continue;
        if (run[i].not_duration)
            cells->nmean += end - i;
        if (!run[i].imported || run[i].not_duration ||
            (strcmp(run[i].provider, "native") != 0 &&
             strcmp(run[i].provider, "foreign") != 0))
            continue;
        *cell = (struct chorale_schedule_cell){
            .run = &run[i], .row = find_row(cells, &run[i])
        };
        average(cell, end - i);
        cells->count += cell->nlaunch > 0 &&
                        describe(cache, cell, &cells->row[cell->row]) == 0;
    }
    chorale_feature_cache_free(cache);
    return CHORALE_OK;
}

double chorale_schedule_noise(const struct chorale_schedule_cell *cell,
                              size_t count)
{
    double *v = malloc((count + 1) * sizeof(*v)), median = 0;
    size_t n = 0;

    for (size_t i = 0; v != NULL && i < count; i++)
        if (cell[i].nlaunch > 1)
            v[n++] = chorale_krige_variance(cell[i].variance, cell[i].nlaunch);
    if (n > 0) {
        chorale_sort(v, n);
        median = chorale_quantile(v, n, 0.5);
    }
    free(v);
    return median > 0 ? sqrt(median) : USUAL_NOISE;
}
