/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.c - the rounds of an adaptive plan. */
#include "tuner/adaptive/adaptive.h"
#include "tuner/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_PROCS 3    /* calibration: process counts, */
#define PROBE_SIZES 3    /* sizes, */
#define PROBE_MOVING 2   /* collectives that only move data, */
#define PROBE_REDUCING 1 /* collectives that reduce */
#define CALIBRATION 0.25 /* share of the budget that it may take; else round 1
                          * measures the smallest process count only */
#define COARSE 0.5       /* share of the rest of the budget for round 2, */
#define MOST 0.8         /* or if this is too little */
#define LEAST_GAIN 0.01  /* least gain of a candidate in the calibration */
#define RESERVE 0.88     /* share of the rest that is planned: costs are
                          * underestimated */
#define FINE 0.6         /* share for round 3; later rounds use all */

/* Grids of round 2, from large to small: numbers of process counts and sizes,
 * spread evenly. A start costs more than its cells, so sizes are reduced
 * last. */
static const struct {
    size_t nproc, nsize;
} coarse[] = { { 6, 8 }, { 5, 8 }, { 4, 8 }, { 4, 6 }, { 3, 8 }, { 3, 6 },
               { 3, 5 }, { 2, 8 }, { 2, 6 }, { 2, 5 }, { 2, 3 } };
#define NCOARSE (sizeof(coarse) / sizeof(coarse[0]))

/* The limits for which they are tried: shares of the rest of the budget, of the
 * grid and of each of its points (0: none). */
static const struct {
    double all, point;
} limit[] = { { COARSE, 0 }, { MOST, 0 }, { MOST, 0.02 }, { MOST, 0.01 },
             { MOST, 0.005 } };
#define NLIMIT (sizeof(limit) / sizeof(limit[0]))

#define SIM_PROCS 4      /* process counts of round 2, simulated by the clock */

static int same_group(const struct chorale_adapt_cell *a,
                      const struct chorale_adapt_cell *b)
{
    return a->coll == b->coll && a->dtype == b->dtype && a->op == b->op;
}

static int same_point(const struct chorale_adapt_cell *a,
                      const struct chorale_adapt_cell *b)
{
    return same_group(a, b) && a->comm_size == b->comm_size &&
           a->msg_size == b->msg_size;
}

/* Find the points and groups of the grid. -1: out of memory. */
static int find_points(struct chorale_adapt *a)
{
    const struct chorale_adapt_grid *grid = a->grid;

    a->point = calloc(grid->ncell + 1, sizeof(*a->point));
    a->length = calloc(grid->ncell + 1, sizeof(*a->length));
    if (a->point == NULL || a->length == NULL)
        return -1;
    for (size_t i = 0; i < grid->ncell; i++) {
        const struct chorale_adapt_cell *cell = &grid->cell[i];
        struct chorale_adapt_point *pt;

        if (i == 0 || !same_point(cell - 1, cell))
            a->point[a->npoint++] = (struct chorale_adapt_point){
                .first = i, .group = SIZE_MAX,
            };
        pt = &a->point[a->npoint - 1];
        pt->ncell++;
        pt->measured |= cell->known;
        for (size_t p = 0; p + 1 < a->npoint && pt->group == SIZE_MAX; p++)
            if (same_group(&grid->cell[a->point[p].first], cell))
                pt->group = a->point[p].group;
        if (pt->group == SIZE_MAX)
            pt->group = a->ngroup++;
    }
    return 0;
}

static const struct chorale_adapt_cell *cell_of(const struct chorale_adapt *a,
                                                size_t point)
{
    return &a->grid->cell[a->point[point].first];
}

/* Store the grid's process counts from 2 on in proc[], ascending; *nknown_p:
 * how many of them have measurements. */
static size_t find_procs(const struct chorale_adapt *a, int *proc,
                         size_t *nknown_p)
{
    size_t n = 0;
    int last = 1;

    *nknown_p = 0;
    for (;;) {
        int next = 0, known = 0;

        for (size_t i = 0; i < a->npoint; i++) {
            int p = cell_of(a, i)->comm_size;

            if (p > last && (next == 0 || p < next))
                next = p;
        }
        if (next == 0)
            return n;
        for (size_t i = 0; i < a->npoint; i++)
            known |= cell_of(a, i)->comm_size == next &&
                     a->point[i].measured;
        *nknown_p += (size_t)known;
        last = proc[n++] = next;
    }
}

int chorale_adapt_spread(size_t i, size_t n, size_t k)
{
    if (n <= k)
        return 1;
    for (size_t j = 0; j < k; j++)
        if (i == (k > 1 ? (j * (n - 1) + (k - 1) / 2) / (k - 1) : n - 1))
            return 1;
    return 0;
}

static int is_power(int p)
{
    return (p & (p - 1)) == 0;
}

/* Whether the i-th process count is one of k spread evenly in their logarithm,
 * both ends included. Every second one in between is not a power of two, where
 * many variants behave differently. */
static int spread_proc(const int *proc, size_t nproc, size_t i, size_t k)
{
    for (size_t j = 0; j < k && k > 1; j++) {
        double at = log(proc[0]) + (double)j / (double)(k - 1) *
                                       log((double)proc[nproc - 1] / proc[0]);
        size_t best = j == 0 ? 0 : nproc - 1;
        double least = INFINITY;

        for (size_t q = 1; q + 1 < nproc && j > 0 && j + 1 < k; q++) {
            double far = fabs(log(proc[q]) - at) +
                         (j % 2 != 0 && is_power(proc[q]) ? 1 : 0);

            if (far < least) {
                least = far;
                best = q;
            }
        }
        if (best == i)
            return 1;
    }
    return nproc <= k || (k == 1 && i == 0);
}

static const struct chorale_coll_info *info_of(const struct chorale_adapt *a,
                                               size_t group)
{
    size_t p = 0;

    while (a->point[p].group != group)
        p++;
    return chorale_coll_info(cell_of(a, p)->coll);
}

/* 1 if a group calibrates the model: the first ones that only move data, and
 * the first one that reduces; without them the first group. */
static int calibrates(const struct chorale_adapt *a, size_t group)
{
    const struct chorale_coll_info *own = info_of(a, group);
    size_t before = 0, any = 0;

    for (size_t g = 0; g < a->ngroup; g++) {
        const struct chorale_coll_info *info = info_of(a, g);

        any += !info->dataless;
        before += g < group && !info->dataless &&
                  info->reduces == own->reduces;
    }
    if (own->dataless)
        return any == 0 && group == 0;
    return before < (own->reduces ? PROBE_REDUCING : PROBE_MOVING);
}

/* 1 if a point of the group has that many ranks and costs at most a->most. */
static int in_line(struct chorale_adapt *a, size_t point, size_t group,
                   int proc)
{
    const struct chorale_adapt_cell *at = cell_of(a, point);

    return a->point[point].group == group && at->comm_size == proc &&
           (!(a->most > 0) ||
            chorale_adapt_cost(a->opts, proc, at->ppn,
                               chorale_adapt_take(a, point, 0)) -
                    chorale_adapt_cost(a->opts, proc, at->ppn, 0) <= a->most);
}

/* Seconds of a launch of that many ranks with nsize sizes of each group, or of
 * those that calibrate the model. */
static double line(struct chorale_adapt *a, int proc, size_t nsize, int choose)
{
    double seconds = 0;

    for (size_t g = 0; g < a->ngroup; g++) {
        size_t n = 0, i = 0;

        if (a->calibrating && !calibrates(a, g))
            continue;
        for (size_t p = 0; p < a->npoint; p++)
            n += (size_t)in_line(a, p, g, proc);
        for (size_t p = 0; p < a->npoint; p++)
            if (in_line(a, p, g, proc) && chorale_adapt_spread(i++, n, nsize))
                seconds += chorale_adapt_take(a, p, choose);
    }
    return seconds;
}

static int ppn_of(const struct chorale_adapt *a, int proc)
{
    for (size_t p = 0; p < a->npoint; p++)
        if (cell_of(a, p)->comm_size == proc)
            return cell_of(a, p)->ppn;
    return 1;
}

/* Cost of all chosen cells: one launch for each process count. */
static double chosen_cost(const struct chorale_adapt *a)
{
    double cost = 0;

    for (size_t p = 0; p < a->npoint; p++) {
        const struct chorale_adapt_cell *at = cell_of(a, p);
        double seconds = 0;
        int first = 1;

        for (size_t q = 0; q < p; q++)
            first &= cell_of(a, q)->comm_size != at->comm_size;
        for (size_t c = 0; first && c < a->grid->ncell; c++) {
            const struct chorale_adapt_cell *cell = &a->grid->cell[c];

            if (cell->chosen && cell->comm_size == at->comm_size &&
                isfinite(cell->log_seconds))
                seconds += chorale_adapt_planned_seconds(
                    a->opts, cell, exp(cell->log_seconds));
        }
        if (seconds > 0)
            cost += chorale_adapt_cost(a->opts, at->comm_size, at->ppn,
                                       seconds);
    }
    return cost;
}

static double line_cost(struct chorale_adapt *a, int proc, size_t nsize,
                        int choose)
{
    double seconds = line(a, proc, nsize, choose);

    return seconds > 0 ? chorale_adapt_cost(a->opts, proc, ppn_of(a, proc),
                                            seconds)
                       : 0;
}

/* Cost of a calibration: few sizes and process counts of few collectives. */
static double calibrate(struct chorale_adapt *a, const int *proc, size_t nproc,
                        int choose)
{
    double cost = 0;

    a->calibrating = 1;
    a->least_gain = LEAST_GAIN;
    for (size_t i = 0; i < nproc; i++)
        if (spread_proc(proc, nproc, i, PROBE_PROCS))
            cost += line_cost(a, proc[i], PROBE_SIZES, choose);
    a->calibrating = 0;
    a->least_gain = 0;
    return cost;
}

/* Round 1 if a calibration costs too much: the smallest process count. */
static enum chorale_err probe(struct chorale_adapt *a, int proc, double most,
                              double *cost_p, struct chorale_errmsg *msg)
{
    size_t n = CHORALE_ADAPT_SIZES;
    double cost = line_cost(a, proc, n, 0);

    while (n > 2 && cost > most)
        cost = line_cost(a, proc, --n, 0);
    if (cost > most)
        return chorale_fail(msg, CHORALE_USAGE, "--budget: too small: round 1, "
                            "%zu size%s at P = %d, takes about %.3g %sseconds, "
                            "but %.3g may be planned; raise it, or shorten -c "
                            "or -m",
                            n, chorale_plural((long long)n), proc, cost,
                            a->opts->nodes ? "node-" : "",
                            most > 0 ? most : 0);
    *cost_p = line_cost(a, proc, n, 1);
    return CHORALE_OK;
}

/* Cost of the w-th grid, in seconds or node-seconds. */
static double way_cost(struct chorale_adapt *a, const int *proc, size_t nproc,
                       size_t w, int choose)
{
    double cost = 0;

    for (size_t i = 0; i < nproc; i++)
        if (spread_proc(proc, nproc, i, coarse[w].nproc))
            cost += line_cost(a, proc[i], coarse[w].nsize, choose);
    return cost;
}

/* Round 2: the largest grid that its share of the budget, or else the whole
 * rest, pays for, if need be without the sizes that take the largest part of
 * it. Simulated by the clock, large counts may take that part: so a grid with
 * SIM_PROCS counts comes before one with all sizes. Most of these points
 * measure the library and one candidate: how well the model predicts larger
 * counts is not known yet. */
static double begin(struct chorale_adapt *a, const int *proc, size_t nproc,
                    double left)
{
    double cost = 0;
    size_t least = a->opts->by_clock ? SIM_PROCS : 0;

    a->least_gain = INFINITY;
    for (int pass = 0; pass < 2 && cost == 0; pass++, least = 0)
        for (size_t i = 0; i < NLIMIT && cost == 0; i++)
            for (size_t w = 0; w < NCOARSE && cost == 0; w++) {
                a->most = limit[i].point * left;
                if (coarse[w].nproc >= least &&
                    way_cost(a, proc, nproc, w, 0) <= limit[i].all * left)
                    cost = way_cost(a, proc, nproc, w, 1);
            }
    a->least_gain = a->most = 0;
    return cost;
}

static double regret_of(const struct chorale_adapt *a)
{
    double sum = 0, n = 0;

    for (size_t p = 0; p < a->npoint; p++)
        if (cell_of(a, p)->comm_size > 1) {
            sum += a->point[p].loss;
            n++;
        }
    return n > 0 ? expm1(sum / n) : 0;
}

/* Later rounds: the largest expected gain per cost. */
static enum chorale_err refine(struct chorale_adapt *a,
                               struct chorale_adapt_round *round, double left,
                               struct chorale_errmsg *msg)
{
    if (round->regret <= a->opts->goal) {
        snprintf(round->why, sizeof(round->why), "the expected regret is "
                 "%.2f %%, the goal %.2f %%", 100 * round->regret,
                 100 * a->opts->goal);
        return CHORALE_OK;
    }
    if (left > 0 && round->round <= 3)
        round->foreseen = chorale_adapt_pick(a, FINE * left);
    if (left > 0 && round->foreseen == 0)
        round->foreseen = chorale_adapt_pick(a, left);
    return round->foreseen < 0 ? chorale_fail_memory(msg, NULL)
                               : CHORALE_OK;
}

/* Choose the c-th cell of a point, unless it is known or must not be chosen. */
static void choose_cell(struct chorale_adapt *a, size_t p, size_t c)
{
    struct chorale_adapt_cell *cell =
        &a->grid->cell[a->point[p].first + c];

    cell->chosen = !cell->known && (c == 0 || isfinite(cell->log_seconds));
    a->point[p].taken |= cell->chosen;
}

/* Every point until no unmeasured candidate is expected to win: first the
 * calibration, then the candidates that may be the best. Without a model these
 * are all. */
static enum chorale_err choose_every(struct chorale_adapt *a, const int *proc,
                                     size_t nproc,
                                     struct chorale_adapt_round *round,
                                     struct chorale_errmsg *msg)
{
    int calibrated = 0;

    for (size_t p = 0; p < a->npoint && nproc > 0; p++)
        calibrated |= a->point[p].measured &&
                      cell_of(a, p)->comm_size == proc[nproc - 1];
    if (!calibrated)
        calibrate(a, proc, nproc, 1);
    for (size_t p = 0; p < a->npoint; p++) {
        const struct chorale_adapt_point *pt = &a->point[p];

        if (cell_of(a, p)->comm_size < 2 || calibrated)
            choose_cell(a, p, 0);
        if (cell_of(a, p)->comm_size < 2 || !calibrated)
            continue;
        for (size_t c = 1; a->evidence->model == NULL && c < pt->ncell; c++)
            choose_cell(a, p, c);
        if (a->evidence->model != NULL &&
            chorale_adapt_settle(a, p, a->opts->goal) != 0)
            return chorale_fail_memory(msg, NULL);
    }
    round->foreseen = chosen_cost(a);
    snprintf(round->why, sizeof(round->why), "no candidate without a "
             "measurement is expected to win by more than %.2f %%",
             100 * a->opts->goal);
    return CHORALE_OK;
}

static enum chorale_err choose(struct chorale_adapt *a,
                               struct chorale_adapt_round *round,
                               struct chorale_errmsg *msg)
{
    double left = RESERVE * (a->opts->budget - a->opts->spent);
    int *proc = malloc((a->npoint + 1) * sizeof(*proc));
    size_t nknown = 0, nproc = 0;
    enum chorale_err err = CHORALE_OK;

    if (proc == NULL)
        return chorale_fail_memory(msg, NULL);
    nproc = find_procs(a, proc, &nknown);
    round->regret = nknown > 0 ? regret_of(a) : NAN;
    if (a->opts->every)
        err = choose_every(a, proc, nproc, round, msg);
    else if (nproc == 0)
        snprintf(round->why, sizeof(round->why), "with one rank there is "
                 "nothing to choose");
    else if (nknown == 0 && nproc > 1 &&
             calibrate(a, proc, nproc, 0) <= CALIBRATION * left)
        round->foreseen = calibrate(a, proc, nproc, 1);
    else if (nknown == 0)
        err = probe(a, proc[0], left, &round->foreseen, msg);
    else if (nknown > 1 || nproc == 1 ||
             (round->foreseen = begin(a, proc, nproc, left)) <= 0)
        err = refine(a, round, left, msg);
    free(proc);
    return err;
}

enum chorale_err chorale_adapt_choose(struct chorale_adapt_grid *grid,
                                      const struct chorale_points *points,
                                      const struct chorale_adapt_evidence *e,
                                      const struct chorale_adapt_opts *opts,
                                      struct chorale_adapt_round *round,
                                      struct chorale_errmsg *msg)
{
    struct chorale_adapt a = { .grid = grid, .evidence = e, .opts = opts };
    struct chorale_decide_opts decide = opts->decide;
    struct chorale_decision *row = NULL;
    size_t nrow = 0;
    enum chorale_err err = CHORALE_OK;

    round->why[0] = '\0';
    round->foreseen = 0;
    decide.model = e->model;
    if (points->count > 0 && !opts->every)
        err = chorale_decide(opts->decided != NULL ? opts->decided : points,
                             &decide, &row, &nrow, msg);
    if (err == CHORALE_OK &&
        (find_points(&a) != 0 ||
         chorale_adapt_guess(&a, points, row, nrow) != 0))
        err = chorale_fail_memory(msg, NULL);
    if (err == CHORALE_OK)
        err = choose(&a, round, msg);
    round->npoint = round->ncell = 0;
    for (size_t p = 0; p < a.npoint; p++)
        round->npoint += (size_t)a.point[p].taken;
    for (size_t c = 0; c < grid->ncell; c++)
        round->ncell += (size_t)grid->cell[c].chosen;
    if (round->ncell == 0 && round->why[0] == '\0')
        snprintf(round->why, sizeof(round->why), "what is left of the budget "
                 "pays for nothing that is worth it; the expected regret is "
                 "%.2f %%", 100 * round->regret);
    free(a.point);
    free(a.length);
    free(row);
    return err;
}
