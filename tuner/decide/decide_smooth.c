/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_smooth.c - decisions by smoothed times, where few launches cannot
 * confirm a choice at a point. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/smooth.h"

int chorale_smooth_for(const struct chorale_points *points,
                       const struct chorale_decide_opts *opts,
                       const struct chorale_run_point *like,
                       struct chorale_smoothed *got)
{
    if (opts->smooth == CHORALE_SMOOTH_NONE ||
        (got->smooth != NULL && got->like->coll == like->coll &&
         got->like->dtype == like->dtype && got->like->op == like->op))
        return 0;
    chorale_smooth_free(got->smooth);
    got->like = like;
    got->smooth = chorale_smooth_new(points->row, points->count, like,
                                     opts->noise);
    return got->smooth != NULL ? 0 : -1;
}

double chorale_family_smooth(const struct chorale_family *fam, size_t cand,
                             size_t n, int comm_size)
{
    struct chorale_run_point at = *fam->point;
    size_t msg_size = n;

    if (chorale_coll_info(at.coll)->blocks)
        msg_size = (n + (size_t)comm_size - 1) / (size_t)comm_size;
    return chorale_smooth_at(fam->smooth, fam->cand[cand].run, &at, msg_size,
                             comm_size);
}

/* 1 if a member was measured on a line: at n if that is a measured size, else
 * at any size. A member that was not may fail there, although its smoothed time
 * is known from other lines. */
static int is_on(const struct chorale_line *line, size_t member, size_t ncand,
                 size_t n)
{
    int any = 0;

    for (size_t i = 0; i < line->nspot; i++) {
        const int measured = isfinite(line->log_time[i * ncand + member]);

        if (line->spot[i].point->n == n)
            return measured;
        any |= measured;
    }
    return any;
}

void chorale_grid_fill_smooth(struct chorale_grid *grid, size_t layer)
{
    const struct chorale_family *fam = grid->fam;
    const struct chorale_layer *l = &grid->layer[layer];
    const int all = fam->opts->smooth == CHORALE_SMOOTH_ALL;

    for (size_t stop = 0; stop < grid->nstop; stop++) {
        const size_t at = chorale_grid_at(grid, layer, stop);
        const size_t n = grid->n[stop] > l->lo ? grid->n[stop] : l->lo;
        const int replace = all || chorale_grid_may_replace(grid, l->line, n);

        for (size_t c = 0; c < grid->ncand; c++) {
            const size_t m = grid->member[c];
            double t = chorale_family_smooth(fam, m, n, l->comm_size);

            if (m > 0 &&
                (!replace ||
                 chorale_family_excluded(fam, m, n, l->comm_size) != NULL ||
                 (l->measured &&
                  !is_on(&fam->line[l->line], m, fam->ncand, n))))
                t = NAN;
            grid->may[c] = (unsigned char)(isnan(t) == 0);
            grid->seconds[at + c] = grid->score[at + c] = t;
        }
        if (grid->inside[layer * grid->nstop + stop])
            chorale_family_losses(fam, grid->ncand, grid->score + at,
                                  grid->may, grid->loss + at);
        else
            memset(grid->loss + at, 0, grid->ncand * sizeof(*grid->loss));
    }
    if (grid->blind)
        chorale_grid_choose_one(grid, layer);
}

void chorale_smooth_reason(const struct chorale_grid *grid,
                           const struct chorale_rectangle *r, size_t nspot,
                           char *text, size_t size)
{
    const struct chorale_decide_opts *opts = grid->fam->opts;

    if (opts->smooth != CHORALE_SMOOTH_ALL && r->cand == 0)
        snprintf(text, size, "between measured process counts no algorithm is "
                 "expected to be faster by more than %g %%, next to a confirmed"
                 " choice", 100 * opts->threshold);
    else if (opts->smooth != CHORALE_SMOOTH_ALL)
        snprintf(text, size, "between measured process counts: expected to be "
                 "the fastest, by times smoothed over n and P");
    else if (r->cand == 0)
        snprintf(text, size, "exploratory: no algorithm is expected to be "
                 "faster by more than %g %%", 100 * opts->threshold);
    else
        snprintf(text, size, "exploratory: expected to be the fastest, by times"
                 " smoothed over n and P%s; not confirmed",
                 nspot > 0 ? "" : ", between measured points");
}
