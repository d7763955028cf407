/* SPDX-License-Identifier: BSD-3-Clause */
/* between_procs.c - times and losses at a process count between two measured
 * ones, predicted by the calibrated model where its error is known. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <string.h>

#define DOUBT 0.5     /* share of its error added to a variant's time */
#define LIBRARY_MARGIN 0.25 /* share of its error subtracted from the library's
                             * time */

/* Mark the choices of a line's spots. */
static void mark_choices(const struct chorale_family *fam, size_t line,
                         unsigned char *near)
{
    const struct chorale_line *ln = &fam->line[line];

    for (size_t i = 0; i < ln->nspot; i++)
        near[chorale_family_member(
            fam, ln->spot[i].cand[ln->spot[i].pick].run)] = 1;
}

void chorale_grid_near(const struct chorale_grid *grid, size_t line,
                       size_t stop, unsigned char *near)
{
    near[0] = 1;
    for (size_t j = line; j < line + 2; j++)
        if (grid->blind)
            mark_choices(grid->fam, j, near);
        else
            chorale_family_near(grid->fam, j, grid->n[stop], near);
}

/* 1 if a choice is confirmed at a line's nearest measured size below or above
 * n. */
static int confirmed_beside(const struct chorale_line *line, size_t n)
{
    size_t i = 0;

    while (i + 1 < line->nspot && line->spot[i + 1].point->n <= n)
        i++;
    return line->spot[i].why == CHORALE_WHY_GAIN ||
           (line->spot[i].point->n < n && i + 1 < line->nspot &&
            line->spot[i + 1].why == CHORALE_WHY_GAIN);
}

int chorale_grid_may_replace(const struct chorale_grid *grid, size_t line,
                             size_t n)
{
    const struct chorale_family *fam = grid->fam;

    return fam->opts->simulated || confirmed_beside(&fam->line[line], n) ||
           confirmed_beside(&fam->line[line + 1], n);
}

/* Correction of log time for prediction errors: a variant's time is increased,
 * the library's decreased. */
static double doubt(size_t cand, double error)
{
    double most = error > 0 ? log1p(error) : 0;

    return cand == 0 ? -LIBRARY_MARGIN * most : DOUBT * most;
}

/* 1 if a member must not be chosen at some process count of a layer. */
static int barred(const struct chorale_family *fam,
                  const struct chorale_layer *l, size_t m, size_t n)
{
    for (int p = l->first; p <= l->last; p++)
        if (chorale_family_excluded(fam, m, n, p) != NULL)
            return 1;
    return 0;
}

/* Predict times and losses at one stop. */
static void guess(struct chorale_grid *grid, size_t layer, size_t stop)
{
    const struct chorale_family *fam = grid->fam;
    const struct chorale_layer *l = &grid->layer[layer];
    size_t n = grid->n[stop], at = chorale_grid_at(grid, layer, stop), best;
    int inside = grid->inside[layer * grid->nstop + stop], leave;
    double *seconds = grid->seconds + at, *score = grid->score + at, error;

    if (inside && n < l->lo)
        n = l->lo;
    leave = chorale_grid_may_replace(grid, l->line, n);
    memset(grid->near, 0, fam->ncand);
    chorale_grid_near(grid, l->line, stop, grid->near);
    for (size_t c = 0; c < grid->ncand; c++) {
        size_t m = grid->member[c];

        seconds[c] = score[c] = NAN;
        grid->wrong[c] = 0;
        grid->may[c] = 0;
        if (!grid->near[m] || (c > 0 && barred(fam, l, m, n)))
            continue;
        seconds[c] = chorale_family_between(fam, l->line, m, n, l->comm_size,
                                            &error);
        grid->wrong[c] = error;
        grid->may[c] = leave && error <= CHORALE_DECIDE_ERROR;
        score[c] = seconds[c] + doubt(c, error);
        if (c > 0 && !grid->may[c] && grid->blind)
            score[c] = NAN;
    }
    if (!inside) { /* all losses are 0 */
        memset(grid->loss + at, 0, grid->ncand * sizeof(*grid->loss));
        return;
    }
    best = chorale_family_losses(fam, grid->ncand, score, grid->may,
                                 grid->loss + at);
    if (best > 0)
        grid->error[layer * grid->nstop + stop] = grid->wrong[best];
}

void chorale_grid_choose_one(struct chorale_grid *grid, size_t layer)
{
    const struct chorale_family *fam = grid->fam;
    const struct chorale_layer *l = &grid->layer[layer];
    const double threshold = log1p(fam->opts->threshold);
    const int smooth = fam->opts->smooth == CHORALE_SMOOTH_ALL;
    double most = 0;
    size_t best = 0;

    for (size_t c = 1; c < grid->ncand; c++) {
        double gain = 0, least = INFINITY, count = 0;

        for (size_t s = 0; s < grid->nstop; s++) {
            const double *score = grid->score +
                                  chorale_grid_at(grid, layer, s);
            double faster = score[0] - score[c];

            if (!grid->inside[layer * grid->nstop + s])
                continue;
            least = isfinite(faster) ? fmin(least, faster) : -INFINITY;
            gain += faster;
            count++;
        }
        if (gain > most && (smooth ? chorale_smooth_serves_all(gain / count,
                                                              least, threshold)
                                   : least > threshold)) {
            most = gain;
            best = c;
        }
    }
    for (size_t s = 0; s < grid->nstop; s++) {
        double *error = &grid->error[layer * grid->nstop + s];
        size_t at = chorale_grid_at(grid, layer, s);

        *error = 0;
        for (size_t c = 0; c < grid->ncand; c++)
            grid->loss[at + c] = c == best ? 0 : INFINITY;
        if (best > 0 && fam->smooth == NULL)
            chorale_family_between(fam, l->line, grid->member[best],
                                   grid->n[s], l->comm_size, error);
    }
}

void chorale_grid_fill_between(struct chorale_grid *grid, size_t layer)
{
    for (size_t stop = 0; stop < grid->nstop; stop++)
        guess(grid, layer, stop);
    if (grid->blind)
        chorale_grid_choose_one(grid, layer);
}
