/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_between.c - variants that are fast only at process counts between the
 * planned ones. */
#include "tuner/plan/plan_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAIN 0.05       /* log units over the variants that were measured */
#define RESERVE 0.88    /* share of the rest of a budget that is planned: costs
                         * are underestimated */

/* The config at index i of the measurements, if it is of a variant, of the
 * collective and block size of `at`, and of one of two process counts; else
 * NULL. */
static const struct chorale_alg_config *
measured(const struct planner *p, size_t i, const struct chorale_adapt_cell *at,
         const long procs[2])
{
    const struct chorale_run_point *row = &p->points.row[i];

    if (row->config.alg == NULL || row->coll != at->coll ||
        strcmp(row->shape, at->shape) != 0 || !row->ok ||
        (row->comm_size != procs[0] && row->comm_size != procs[1]) ||
        row->n != chorale_coll_n(at->coll, (size_t)at->msg_size,
                                 row->comm_size) ||
        (i > 0 && chorale_adapt_same_cell(row - 1, row)))
        return NULL;
    return &row->config;
}

static int runs_at(const struct chorale_adapt_cell *cell)
{
    const struct chorale_run_point run = chorale_adapt_run(cell);
    const struct chorale_point pt = chorale_decide_point(
        &run, cell->config.value, cell->n, cell->comm_size);

    return chorale_alg_refuses(cell->config.alg, &pt) == NULL;
}

static void move(struct chorale_adapt_cell *cell, long procs)
{
    cell->comm_size = (int)procs;
    cell->n = chorale_coll_n(cell->coll, (size_t)cell->msg_size,
                             cell->comm_size);
}

/* Consider the process count below that of a cell of the library. procs: the
 * planned count before, and the cell's. */
static enum chorale_err look_below(struct planner *p, size_t at,
                                   const long procs[2])
{
    const size_t first = p->grid.ncell;
    enum chorale_err err = chorale_plan_gather_at(p, &p->grid.cell[at],
                                                  procs[1] - 1);
    struct chorale_adapt_cell best = p->grid.cell[at];
    double least = INFINITY, known = INFINITY;

    for (size_t c = first + 1; c < p->grid.ncell && err == CHORALE_OK; c++) {
        double seconds = chorale_adapt_expected(&p->evidence,
                                                &p->grid.cell[c]);

        if (seconds < least) {
            least = seconds;
            best = p->grid.cell[c];
        }
    }
    p->grid.ncell = first;
    if (err != CHORALE_OK || isinf(least))
        return err;
    for (size_t i = 0; i < p->points.count; i++) {
        const struct chorale_alg_config *config = measured(p, i, &best, procs);
        struct chorale_adapt_cell cell = best;

        if (config == NULL)
            continue;
        cell.config = *config;
        if (runs_at(&cell))
            known = fmin(known, chorale_adapt_expected(&p->evidence, &cell));
    }
    if (!(log(known / least) > GAIN))
        return CHORALE_OK;
    move(&best, procs[1]);
    if (!runs_at(&best))
        move(&best, procs[0]);
    if (!runs_at(&best))
        return CHORALE_OK;
    chorale_alg_params_format(best.config.alg, best.config.value, best.params,
                              sizeof(best.params));
    return chorale_plan_gather(p, &best);
}

/* Price the cells chosen from first on, one launch for each process count, and
 * leave out the counts that the rest of the budget does not pay for. */
static void price(struct planner *p, size_t first,
                  const struct chorale_adapt_opts *opts)
{
    double left = opts->every ? INFINITY : RESERVE * (p->budget - p->spent);

    p->round.foreseen = 0;
    p->round.ncell = 0;
    for (size_t i = 0; i < p->nproc; i++) {
        double seconds = 0, cost;
        int ppn = 1;

        for (size_t c = first; c < p->grid.ncell; c++) {
            const struct chorale_adapt_cell *cell = &p->grid.cell[c];

            if (cell->comm_size != p->proc[i])
                continue;
            ppn = cell->ppn;
            seconds += chorale_adapt_planned_seconds(
                opts, cell, chorale_adapt_expected(&p->evidence, cell));
        }
        cost = seconds > 0 ? chorale_adapt_cost(opts, (int)p->proc[i], ppn,
                                                seconds)
                           : 0;
        for (size_t c = first; c < p->grid.ncell; c++)
            if (p->grid.cell[c].comm_size == p->proc[i]) {
                p->grid.cell[c].chosen = cost <= left;
                p->round.ncell += cost <= left;
            }
        if (cost <= left) {
            left -= cost;
            p->round.foreseen += cost;
        }
    }
    p->round.npoint = p->round.ncell;
}

enum chorale_err chorale_plan_between(struct planner *p,
                                      const struct chorale_adapt_opts *opts)
{
    const size_t ncell = p->grid.ncell;
    enum chorale_err err = CHORALE_OK;

    for (size_t at = 0; at < ncell && err == CHORALE_OK; at++) {
        const struct chorale_adapt_cell *cell = &p->grid.cell[at];
        long procs[2] = { 0, cell->comm_size };

        if (cell->config.alg != NULL || chorale_decide_is_blind(cell->coll))
            continue;
        for (size_t i = 0; i < p->nproc; i++)
            if (p->proc[i] < procs[1])
                procs[0] = p->proc[i];
        if (procs[0] > 1 && procs[1] - procs[0] > 1 &&
            strcmp(chorale_planned_shape(p, procs[0]), cell->shape) == 0 &&
            strcmp(chorale_planned_shape(p, procs[1] - 1), cell->shape) == 0)
            err = look_below(p, at, procs);
    }
    if (err == CHORALE_OK && p->grid.ncell > ncell)
        price(p, ncell, opts);
    return err;
}
