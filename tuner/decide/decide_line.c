/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_line.c - times and losses at a measured process count: measured sizes,
 * and sizes predicted between them. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/inherit_runs.h"

static const struct chorale_line *line_of(const struct chorale_grid *grid,
                                          size_t layer)
{
    return &grid->fam->line[grid->layer[layer].line];
}

/* Fill the entries of a measured size. measured: log times by member. */
static void take(struct chorale_grid *grid, size_t layer, size_t stop,
                 const struct chorale_measured *spot, const double *measured)
{
    size_t at = chorale_grid_at(grid, layer, stop);

    for (size_t c = 0; c < grid->ncand; c++) {
        size_t m = grid->member[c];
        size_t k = chorale_spot_find(spot, grid->fam->cand[m].run);

        grid->seconds[at + c] = grid->score[at + c] = measured[m];
        grid->loss[at + c] = k < spot->ncand ? spot->cand[k].loss : INFINITY;
    }
}

/* 1 if the member is the choice of a spot, or may replace it. */
static int is_confirmed(const struct chorale_grid *grid,
                        const struct chorale_measured *s, size_t member)
{
    size_t c = chorale_spot_find(s, grid->fam->cand[member].run);

    return c > 0 && c < s->ncand && isfinite(s->cand[c].loss);
}

/* Give equal candidates (classes.h) one predicted time at a stop, the mean of
 * theirs. They may be unequal at the next measured size, and then have other
 * residuals between. In simulation predictions are too good to need it. If out
 * of memory, the times stay. */
static void share_times(struct chorale_grid *grid, size_t layer, size_t stop)
{
    const struct chorale_family *fam = grid->fam;
    struct chorale_run_point run = *fam->point;
    double *seconds = &grid->seconds[chorale_grid_at(grid, layer, stop)];
    struct chorale_alg_config *config = malloc(grid->ncand * sizeof(*config));
    size_t *index = malloc(2 * grid->ncand * sizeof(*index)), count = 0;
    size_t *first = index != NULL ? index + grid->ncand : NULL;
    struct chorale_class_point at;

    run.n = grid->n[stop];
    run.comm_size = grid->layer[layer].comm_size;
    run.msg_size = chorale_decide_point(fam->point, run.config.value, run.n,
                                        run.comm_size).msg_size;
    at = chorale_run_class_point(&run);
    for (size_t c = 1; c < grid->ncand && config != NULL && index != NULL; c++)
        if (grid->may[c] && isfinite(seconds[c])) {
            config[count] = fam->cand[grid->member[c]].run->config;
            index[count++] = c;
        }
    if (count > 1 && chorale_classes_find(&at, config, count, first) == 0)
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            size_t n = 0;

            if (first[i] != i)
                continue;
            for (size_t k = i; k < count; k++)
                if (first[k] == i) {
                    sum += seconds[index[k]];
                    n++;
                }
            for (size_t k = i; k < count; k++)
                if (first[k] == i)
                    seconds[index[k]] = sum / (double)n;
        }
    free(config);
    free(index);
}

/* Predict the entries of a size between the measured spot[0] and spot[1]. */
static void guess(struct chorale_grid *grid, size_t layer, size_t stop,
                  const struct chorale_measured *spot)
{
    const struct chorale_family *fam = grid->fam;
    size_t at = chorale_grid_at(grid, layer, stop), n = grid->n[stop];
    size_t line = grid->layer[layer].line;

    memset(grid->near, 0, fam->ncand);
    chorale_family_near(fam, line, n, grid->near);
    for (size_t c = 0; c < grid->ncand; c++) {
        size_t m = grid->member[c];
        double *seconds = &grid->seconds[at + c];

        grid->may[c] = spot[0].pick != 0 || spot[1].pick != 0;
        if (!fam->opts->simulated)
            grid->may[c] = is_confirmed(grid, &spot[0], m) ||
                           is_confirmed(grid, &spot[1], m);
        *seconds = NAN;
        grid->may[c] &= grid->near[m];
        if (c == 0 || (grid->may[c] &&
                       chorale_family_excluded(
                           fam, m, n, grid->layer[layer].comm_size) == NULL))
            *seconds = chorale_family_on(fam, line, m, n);
    }
    if (!fam->opts->simulated)
        share_times(grid, layer, stop);
    memcpy(&grid->score[at], &grid->seconds[at],
           grid->ncand * sizeof(*grid->score));
    chorale_family_losses(fam, grid->ncand, grid->seconds + at, grid->may,
                          grid->loss + at);
}

void chorale_grid_fill_line(struct chorale_grid *grid, size_t layer)
{
    const struct chorale_line *line = line_of(grid, layer);
    size_t i = 0; /* the spot at or below the stop */

    for (size_t stop = 0; stop < grid->nstop; stop++) {
        size_t at = chorale_grid_at(grid, layer, stop);
        size_t n = grid->n[stop];

        while (i + 1 < line->nspot && line->spot[i + 1].point->n <= n)
            i++;
        if (line->spot[i].point->n == n) {
            grid->spot[layer * grid->nstop + stop] = &line->spot[i];
            take(grid, layer, stop, &line->spot[i],
                 line->log_time + i * grid->fam->ncand);
        } else if (grid->inside[layer * grid->nstop + stop]) {
            guess(grid, layer, stop, &line->spot[i]);
        } else {
            for (size_t c = 0; c < grid->ncand; c++) {
                grid->seconds[at + c] = grid->score[at + c] = NAN;
                grid->loss[at + c] = 0;
            }
        }
        /* One choice, known from the first spot, serves all n. */
        for (size_t c = 0; grid->blind && c < grid->ncand; c++) {
            const struct chorale_measured *s = &line->spot[0];
            size_t k = chorale_spot_find(
                s, grid->fam->cand[grid->member[c]].run);

            grid->loss[at + c] = k < s->ncand ? s->cand[k].loss : INFINITY;
        }
    }
}

double chorale_grid_known(const struct chorale_grid *grid, size_t layer,
                          size_t stop, size_t cand, size_t other, size_t n)
{
    double t = grid->seconds[chorale_grid_at(grid, layer, stop) + cand];

    if (!isnan(t) || cand == 0 || other == 0 ||
        !grid->inside[layer * grid->nstop + stop])
        return t;
    return chorale_family_on(grid->fam, grid->layer[layer].line,
                             grid->member[cand], n);
}
