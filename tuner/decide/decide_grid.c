/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_grid.c - the grids of a family: its process counts, sizes and
 * candidates, with times and losses. Each sequence of lines without a wide gap
 * between their process counts makes a grid. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree.h"

#define BETWEEN 3       /* stops between two sizes of a single line */
#define MORE_STOPS 128  /* most of them in gaps: two per doubling */
#define MANY 8          /* ranks of a node: full nodes are ranges */
#define ROUNDING 1e-9   /* relative, of log() and exp() */

size_t chorale_grid_at(const struct chorale_grid *grid, size_t layer,
                       size_t stop)
{
    return (layer * grid->nstop + stop) * grid->ncand;
}

static int compare_n(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Store in n sizes between two sizes that differ by at least a factor of 2: two
 * per doubling, or BETWEEN on a single line. Returns their number. */
static size_t split(size_t from, size_t to, int single, size_t *n)
{
    double ratio = from > 0 ? (double)to / (double)from : 0;
    size_t want = ratio >= 2 ? 2 * (size_t)(log2(ratio) + 1e-9) : 0, count = 0;

    if (single)
        want = ratio >= 2 && to - from > BETWEEN ? BETWEEN : 0;
    for (size_t k = 1; k <= want; k++) {
        size_t at = (size_t)((double)from *
                             pow(ratio, (double)k / ((double)want + 1)));

        if (at > (count > 0 ? n[count - 1] : from) && at < to)
            n[count++] = at;
    }
    return count;
}

/* Set the stops: the sizes of all lines in order, and further ones in wide
 * gaps. -1: out of memory. */
static int find_stops(struct chorale_grid *grid)
{
    const struct chorale_line *line = &grid->fam->line[grid->line];
    size_t count = 0, kept = 0;

    for (size_t j = 0; j < grid->nline; j++)
        count += line[j].nspot;
    grid->n = malloc((count * (BETWEEN + 1) + MORE_STOPS) * sizeof(*grid->n));
    if (grid->n == NULL)
        return -1;
    count = 0;
    for (size_t j = 0; j < grid->nline; j++)
        for (size_t i = 0; i < line[j].nspot; i++)
            grid->n[count++] = line[j].spot[i].point->n;
    qsort(grid->n, count, sizeof(*grid->n), compare_n);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || grid->n[i] != grid->n[kept - 1])
            grid->n[kept++] = grid->n[i];
    count = kept;
    for (size_t i = 1; i < kept; i++)
        count += split(grid->n[i - 1], grid->n[i], grid->nline == 1,
                       grid->n + count);
    qsort(grid->n, count, sizeof(*grid->n), compare_n);
    grid->nstop = count;
    return 0;
}

/* The size at fraction x of the way from a to b, in logarithms. */
static double shifted(size_t a, size_t b, double x)
{
    double from = log(fmax((double)a, 1)), to = log(fmax((double)b, 1));

    return exp(from + x * (to - from));
}

/* The place of a process count between those of two lines, in logarithms. */
static double place_of(const struct chorale_line *a, int comm_size)
{
    return log((double)comm_size / a->comm_size) /
           log((double)a[1].comm_size / a->comm_size);
}

/* Set the hull of a layer. On a measured layer it reaches from the least to the
 * largest measured size. Between two lines both ends are interpolated by
 * process count: the least size of the first count of the layer, and the largest
 * of its last one. With smoothed times both are those of the middle. */
static void find_hull(const struct chorale_family *fam,
                      struct chorale_layer *l)
{
    const struct chorale_line *a = &fam->line[l->line], *b = a + 1;
    size_t least_a = a->spot[0].point->n, least_b;
    const int smooth = fam->smooth != NULL;
    double lo, hi;

    l->lo = least_a;
    l->hi = a->spot[a->nspot - 1].point->n;
    if (l->measured)
        return;
    lo = place_of(a, smooth ? l->comm_size : l->first);
    hi = place_of(a, smooth ? l->comm_size : l->last);
    least_b = b->spot[0].point->n;
    l->lo = least_a == 0 && least_b == 0
                ? 0
                : (size_t)ceil(shifted(least_a, least_b, lo) * (1 - ROUNDING));
    l->hi = (size_t)floor(
        shifted(l->hi, b->spot[b->nspot - 1].point->n, hi) * (1 + ROUNDING));
}

int chorale_grid_in_hull(const struct chorale_family *fam, int comm_size,
                         size_t n)
{
    struct chorale_layer l = { .comm_size = comm_size, .first = comm_size,
                               .last = comm_size };

    while (l.line + 1 < fam->nline &&
           fam->line[l.line + 1].comm_size <= comm_size)
        l.line++;
    l.measured = fam->line[l.line].comm_size == comm_size;
    if (!l.measured && (comm_size < fam->line[0].comm_size ||
                        l.line + 1 == fam->nline))
        return 0;
    find_hull(fam, &l);
    return l.lo <= n && n <= l.hi;
}

/* 1 if a stop lies within the hull of a layer. If the hull contains no stop,
 * the last stop below it stands for the least n of the hull. */
static unsigned char is_inside(const struct chorale_grid *grid,
                               const struct chorale_layer *l, size_t stop)
{
    if (l->lo > l->hi || grid->n[stop] > l->hi)
        return 0;
    return grid->n[stop] >= l->lo ||
           (stop + 1 < grid->nstop && grid->n[stop + 1] > l->hi);
}

/* The last process count of the range that begins with p, of
 * CHORALE_SMOOTH_LAYERS ranges between two lines. */
static int last_process(int line, int next, int p)
{
    const double width = log((double)next / line) / CHORALE_SMOOTH_LAYERS;
    const double part = floor(log((double)p / line) / width * (1 + ROUNDING));
    const int end = (int)(line * exp((part + 1) * width) * (1 - ROUNDING));

    return end < p ? p : end >= next ? next - 1 : end;
}

/* 1 if a process count is a range by itself: powers of two, and full nodes. */
static int stands_alone(int p, int ppn)
{
    return chorale_pow2_below(p) == p || (ppn >= MANY && p % ppn == 0);
}

/* The same for predictions: above CHORALE_DECIDE_EACH, counts that differ by up
 * to a sixteenth are alike. */
static int last_alike(int next, int p, int ppn)
{
    int end = p;

    while (p > CHORALE_DECIDE_EACH && !stands_alone(p, ppn) &&
           end + 1 < next && end < p + p / 16 && !stands_alone(end + 1, ppn))
        end++;
    return end;
}

static int find_layers(struct chorale_grid *grid)
{
    const struct chorale_line *line = &grid->fam->line[grid->line];
    const struct chorale_line *last = line + grid->nline - 1;

    grid->layer = calloc((size_t)(last->comm_size - line->comm_size) + 1,
                         sizeof(*grid->layer));
    if (grid->layer == NULL)
        return -1;
    for (size_t j = 0; j < grid->nline; j++) {
        int next = j + 1 < grid->nline ? line[j + 1].comm_size
                                       : line[j].comm_size + 1;

        for (int p = line[j].comm_size, end; p < next; p = end + 1) {
            struct chorale_layer *l = &grid->layer[grid->nlayer++];

            end = p == line[j].comm_size    ? p
                  : grid->fam->smooth != NULL
                      ? last_process(line[j].comm_size, next, p)
                      : last_alike(next, p, grid->fam->point->ppn);
            *l = (struct chorale_layer){
                .comm_size = (int)lround(sqrt((double)p * end)),
                .first = p, .last = end, .line = grid->line + j,
                .measured = p == line[j].comm_size };
            find_hull(grid->fam, l);
        }
    }
    return 0;
}

/* Find the members that may be chosen at some stop. -1: out of memory. */
static int find_members(struct chorale_grid *grid)
{
    const struct chorale_family *fam = grid->fam;
    unsigned char *near = calloc(fam->ncand + 1, 1);

    grid->member = malloc(fam->ncand * sizeof(*grid->member));
    if (near == NULL || grid->member == NULL) {
        free(near);
        return -1;
    }
    near[0] = 1;
    for (size_t m = 1; fam->smooth != NULL && m < fam->ncand; m++)
        near[m] = chorale_decide_other(fam->cand[m].run, fam->opts) == NULL;
    for (size_t j = grid->line; j < grid->line + grid->nline &&
                                fam->smooth == NULL; j++) {
        const struct chorale_line *line = &fam->line[j];
        int gap = j + 1 < grid->line + grid->nline &&
                  line[1].comm_size > line->comm_size + 1;

        for (size_t i = 0; i < line->nspot; i++)
            for (size_t c = 0; c < line->spot[i].ncand; c++)
                if (isfinite(line->spot[i].cand[c].loss))
                    near[chorale_family_member(
                        fam, line->spot[i].cand[c].run)] = 1;
        for (size_t s = 0; s < grid->nstop; s++) {
            if (line->nspot > 1)
                chorale_family_near(fam, j, grid->n[s], near);
            if (gap)
                chorale_grid_near(grid, j, s, near);
        }
    }
    for (size_t m = 0; m < fam->ncand; m++)
        if (near[m])
            grid->member[grid->ncand++] = m;
    free(near);
    return 0;
}

static int fill(struct chorale_grid *grid)
{
    size_t stops = grid->nlayer * grid->nstop, all = stops * grid->ncand;

    grid->spot = calloc(stops, sizeof(*grid->spot));
    grid->inside = calloc(stops, 1);
    grid->error = calloc(stops, sizeof(double));
    grid->seconds = malloc(all * sizeof(double));
    grid->score = malloc(all * sizeof(double));
    grid->loss = malloc(all * sizeof(double));
    grid->near = malloc(grid->fam->ncand);
    grid->may = malloc(grid->ncand);
    grid->wrong = malloc(grid->ncand * sizeof(double));
    if (grid->spot == NULL || grid->inside == NULL || grid->error == NULL ||
        grid->seconds == NULL || grid->score == NULL || grid->loss == NULL ||
        grid->near == NULL || grid->may == NULL || grid->wrong == NULL)
        return -1;
    for (size_t l = 0; l < grid->nlayer; l++) {
        const int measured = grid->layer[l].measured;

        for (size_t s = 0; s < grid->nstop; s++)
            grid->inside[l * grid->nstop + s] =
                is_inside(grid, &grid->layer[l], s);
        if (measured)
            chorale_grid_fill_line(grid, l);
        if (grid->fam->smooth != NULL &&
            (!measured || grid->fam->opts->smooth == CHORALE_SMOOTH_ALL))
            chorale_grid_fill_smooth(grid, l);
        else if (!measured)
            chorale_grid_fill_between(grid, l);
    }
    return 0;
}

static void release(struct chorale_grid *grid)
{
    free(grid->layer);
    free(grid->n);
    free(grid->member);
    free(grid->spot);
    free(grid->inside);
    free(grid->error);
    free(grid->seconds);
    free(grid->score);
    free(grid->loss);
    free(grid->near);
    free(grid->may);
    free(grid->wrong);
}

/* 1 if the line after this one belongs to the same grid. */
static int continues(const struct chorale_family *fam, size_t line)
{
    const struct chorale_line *a = &fam->line[line];

    return (!fam->opts->rules || fam->smooth != NULL) && a->comm_size >= 2 &&
           a[1].comm_size - a->comm_size - 1 <=
               (fam->smooth != NULL ? CHORALE_SMOOTH_GAP : CHORALE_DECIDE_GAP);
}

int chorale_decide_rows(const struct chorale_family *fam,
                        struct chorale_decision **rows_p, size_t *count_p)
{
    int rc = 0;

    for (size_t first = 0, end; first < fam->nline && rc == 0; first = end) {
        struct chorale_grid grid = {
            .fam = fam, .line = first,
            .blind = chorale_decide_is_blind(fam->point->coll),
        };

        for (end = first + 1; end < fam->nline && continues(fam, end - 1);
             end++)
            continue;
        grid.nline = end - first;
        rc = find_stops(&grid) == 0 && find_layers(&grid) == 0 &&
                     find_members(&grid) == 0 && fill(&grid) == 0
                 ? chorale_grid_add_rows(&grid, rows_p, count_p) : -1;
        release(&grid);
    }
    return rc;
}
