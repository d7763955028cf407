/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_grid.c - the rows of a family. Each sequence of lines without a wide
 * gap between their process counts makes a grid of process counts and sizes,
 * which is compacted to few rectangles. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/merge_ranges.h"

#define MOST_LAYERS 128 /* process counts optimised together */
#define BETWEEN 3       /* stops between two sizes of a single line */
#define MORE_STOPS 64   /* most doublings between two sizes */
#define ROUNDING 1e-9   /* relative, of log() and exp() */
#define BISECTIONS 8    /* of the price of a rectangle */

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

/* Store in n sizes between two sizes that differ by at least a factor of 2: one
 * per doubling, or BETWEEN on a single line. Returns their number. */
static size_t split(size_t from, size_t to, int single, size_t *n)
{
    double ratio = from > 0 ? (double)to / (double)from : 0;
    size_t want = ratio >= 2 ? (size_t)(log2(ratio) + 1e-9) : 0, count = 0;

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

/* Set the hull of a layer. On a measured layer it reaches from the least to the
 * largest measured size. Between two lines both ends are interpolated by
 * process count. */
static void find_hull(const struct chorale_family *fam,
                      struct chorale_layer *l)
{
    const struct chorale_line *a = &fam->line[l->line], *b = a + 1;
    size_t least_a = a->spot[0].point->n, least_b;
    double x;

    l->lo = least_a;
    l->hi = a->spot[a->nspot - 1].point->n;
    if (l->measured)
        return;
    x = log((double)l->comm_size / a->comm_size) /
        log((double)b->comm_size / a->comm_size);
    least_b = b->spot[0].point->n;
    l->lo = least_a == 0 && least_b == 0
                ? 0
                : (size_t)ceil(shifted(least_a, least_b, x) * (1 - ROUNDING));
    l->hi = (size_t)floor(
        shifted(l->hi, b->spot[b->nspot - 1].point->n, x) * (1 + ROUNDING));
}

int chorale_grid_in_hull(const struct chorale_family *fam, int comm_size,
                         size_t n)
{
    struct chorale_layer l = { .comm_size = comm_size };

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

            end = grid->fam->smooth != NULL && p > line[j].comm_size
                      ? last_process(line[j].comm_size, next, p) : p;
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
        for (size_t s = 0; s < grid->nstop; s++)
            grid->inside[l * grid->nstop + s] =
                is_inside(grid, &grid->layer[l], s);
        if (grid->layer[l].measured)
            chorale_grid_fill_line(grid, l);
        else if (grid->fam->smooth == NULL)
            chorale_grid_fill_between(grid, l);
        if (grid->fam->smooth != NULL)
            chorale_grid_fill_smooth(grid, l);
    }
    return 0;
}

/* Store in active the candidates that may be chosen at some stop. Returns their
 * number. */
static size_t find_active(const struct chorale_grid *grid, size_t *active)
{
    size_t count = 0;

    for (size_t c = 0; c < grid->ncand; c++) {
        int any = c == 0;

        for (size_t i = 0; i < grid->nlayer * grid->nstop && !any; i++)
            any = (grid->inside[i] || grid->blind) &&
                  isfinite(grid->loss[i * grid->ncand + c]);
        if (any)
            active[count++] = c;
    }
    return count;
}

/* Mean loss of the choices pick over the stops within the hull. */
static double mean_loss(const struct chorale_grid *grid,
                        const struct chorale_compact *c, const size_t *pick)
{
    double sum = 0, n = 0;

    for (size_t i = 0; i < grid->nlayer * grid->nstop; i++)
        if (grid->inside[i]) {
            sum += c->loss[i * c->ncand + pick[i]];
            n++;
        }
    return n > 0 ? sum / n : 0;
}

/* Find few rectangles whose mean loss is at most opts->compact, by bisection of
 * the price of a rectangle. -1 as for chorale_compact_layers(). */
static int search(const struct chorale_grid *grid, struct chorale_compact *c,
                  size_t *last, size_t *pick)
{
    const double most = log1p(grid->fam->opts->compact) + ROUNDING;
    /* At the price `most` the mean loss is at most `most`: a table without
     * losses has at most one rectangle a stop, so the optimum costs at most
     * that. */
    double low = most, high = most * (double)(grid->nlayer * grid->nstop);
    size_t count;

    c->price = INFINITY;
    if (chorale_compact_layers(c, last, pick, &count) != 0)
        return -1;
    if (mean_loss(grid, c, pick) <= most)
        return 0;
    for (int i = 0; i < BISECTIONS; i++) {
        c->price = sqrt(low * high);
        if (chorale_compact_layers(c, last, pick, &count) != 0)
            return -1;
        if (mean_loss(grid, c, pick) <= most)
            low = c->price;
        else
            high = c->price;
    }
    c->price = low;
    return chorale_compact_layers(c, last, pick, &count);
}

/* Choose a candidate for each stop of each layer; last and pick as of
 * chorale_compact_layers(). */
static int compact(const struct chorale_grid *grid, size_t *last, size_t *pick)
{
    size_t stops = grid->nlayer * grid->nstop, nactive;
    size_t *active = malloc(grid->ncand * sizeof(*active));
    double *loss = malloc(stops * grid->ncand * sizeof(*loss));
    double *at = malloc((grid->nstop + 2 * grid->nlayer) * sizeof(*at));
    double *lo = at + grid->nstop, *hi = lo + grid->nlayer;
    int rc = -1;

    if (active != NULL && loss != NULL && at != NULL) {
        nactive = find_active(grid, active);
        for (size_t i = 0; i < stops; i++)
            for (size_t c = 0; c < nactive; c++)
                loss[i * nactive + c] =
                    grid->loss[i * grid->ncand + active[c]];
        for (size_t s = 0; s < grid->nstop; s++)
            at[s] = (double)grid->n[s];
        for (size_t l = 0; l < grid->nlayer; l++) {
            lo[l] = (double)grid->layer[l].lo;
            hi[l] = (double)grid->layer[l].hi;
        }
        rc = search(grid, &(struct chorale_compact){
            .loss = loss, .nlayer = grid->nlayer, .nstop = grid->nstop,
            .ncand = nactive, .most = MOST_LAYERS, .at = at, .lo = lo,
            .hi = hi }, last, pick);
        for (size_t i = 0; i < stops && rc == 0; i++)
            pick[i] = active[pick[i]];
    }
    free(active);
    free(loss);
    free(at);
    return rc;
}

struct list {
    struct chorale_rectangle *r;
    size_t count;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* 1 if two positive sizes differ by at most CHORALE_COMPACT_FACTOR. */
static int is_near(size_t a, size_t b)
{
    return (double)larger(a, b) <=
           CHORALE_COMPACT_FACTOR * (double)smaller(a, b);
}

/* Append the parts of a block within the hull, as chorale_compact_parts()
 * counts them. */
static int add_block(const struct chorale_grid *grid, struct list *list,
                     const struct chorale_rectangle *block)
{
    struct chorale_rectangle *part = NULL;
    size_t lo[2] = { 0, 0 }, hi[2] = { 0, 0 };

    for (size_t layer = block->end + 1; layer-- > block->begin;) {
        size_t from = larger(block->lo, grid->layer[layer].lo);
        size_t to = smaller(block->hi, grid->layer[layer].hi);

        if (from > to) {
            part = NULL;
            continue;
        }
        if (part == NULL ||
            (block->cand != 0 && !(is_near(larger(from, lo[1]),
                                           smaller(from, lo[0])) &&
                                   is_near(larger(to, hi[1]),
                                           smaller(to, hi[0]))))) {
            struct chorale_rectangle *more =
                realloc(list->r, (list->count + 1) * sizeof(*more));

            if (more == NULL)
                return -1;
            list->r = more;
            part = &more[list->count++];
            *part = *block;
            part->end = layer;
            lo[0] = lo[1] = from;
            hi[0] = hi[1] = to;
        }
        part->begin = layer;
        part->lo = lo[0] = smaller(from, lo[0]);
        lo[1] = larger(from, lo[1]);
        hi[0] = smaller(to, hi[0]);
        part->hi = hi[1] = larger(to, hi[1]);
    }
    return 0;
}

/* Add up over the layers of a run: in *left the log advantage of candidate
 * a over b at stop i, in *right that of b over a at the next stop. NAN:
 * unknown. */
static void advantages(const struct chorale_grid *grid, size_t begin,
                       size_t end, size_t i, size_t a, size_t b, double *left,
                       double *right)
{
    *left = *right = NAN;
    for (size_t layer = begin; layer <= end; layer++) {
        const double *t = grid->score + chorale_grid_at(grid, layer, i);
        const double *u = t + grid->ncand;
        double l = t[b] - t[a], r = u[a] - u[b];

        if (grid->layer[layer].measured && grid->fam->smooth == NULL) {
            size_t n_a = grid->n[i] + 1, n_b = grid->n[i + 1] - 1;

            l = chorale_grid_known(grid, layer, i, b, a, n_a) -
                chorale_grid_known(grid, layer, i, a, b, n_a);
            r = chorale_grid_known(grid, layer, i + 1, a, b, n_b) -
                chorale_grid_known(grid, layer, i + 1, b, a, n_b);
        }
        if (isfinite(l))
            *left = isnan(*left) ? l : *left + l;
        if (isfinite(r))
            *right = isnan(*right) ? r : *right + r;
    }
}

/* Where the choice of a run changes after a stop. hi: the last n of this
 * choice. next: the first n of the next choice. In between the library is
 * used. */
struct change {
    size_t hi, next;
    double left, right;      /* as in advantages() */
};

/* The least log advantage over the library of a candidate at n, over the
 * measured layers of a run; INFINITY: unknown. */
static double over_library(const struct chorale_grid *grid, size_t begin,
                           size_t end, size_t cand, size_t n)
{
    double least = INFINITY;

    for (size_t layer = begin; layer <= end && cand != 0; layer++) {
        const struct chorale_layer *l = &grid->layer[layer];

        if (l->measured && l->lo <= n && n <= l->hi)
            least = fmin(least,
                         chorale_family_on(grid->fam, l->line, 0, n) -
                             chorale_family_on(grid->fam, l->line,
                                               grid->member[cand], n));
    }
    return least;
}

/* The size next to `bad`, between there and `good`, from which on towards
 * `good` a candidate is not slower than the library: found by bisection. */
static size_t not_slower(const struct chorale_grid *grid, size_t begin,
                         size_t end, size_t cand, size_t good, size_t bad)
{
    if (!(over_library(grid, begin, end, cand, bad) < 0))
        return bad;
    while (larger(good, bad) - smaller(good, bad) > 1) {
        size_t middle = smaller(good, bad) +
                        (larger(good, bad) - smaller(good, bad)) / 2;

        if (over_library(grid, begin, end, cand, middle) < 0)
            bad = middle;
        else
            good = middle;
    }
    return good;
}

/* Let the library serve the sizes next to a change at which a choice is
 * predicted to be slower than the library. */
static void keep_library(const struct chorale_grid *grid, size_t begin,
                         size_t end, size_t i, size_t a, size_t b,
                         struct change *c)
{
    c->hi = not_slower(grid, begin, end, a, grid->n[i], c->hi);
    c->next = not_slower(grid, begin, end, b, grid->n[i + 1], c->next);
    if (a == 0)
        c->hi = c->next - 1;
    if (b == 0)
        c->next = c->hi + 1;
}

/* Find the change after stop i of one run, from choice a to b. */
static struct change find_change(const struct chorale_grid *grid, size_t begin,
                                 size_t end, size_t i, size_t a, size_t b)
{
    size_t n_a = grid->n[i], n_b = grid->n[i + 1];
    struct change c = { n_a, n_b, NAN, NAN };

    advantages(grid, begin, end, i, a, b, &c.left, &c.right);
    if (isfinite(c.left) && isfinite(c.right))
        c.hi = chorale_family_crossing(n_a, n_b, c.left, c.right);
    else if (a == 0 || isfinite(c.right))
        c.hi = n_b - 1;
    else if (b != 0 && !isfinite(c.left))
        return c; /* neither is known in between */
    c.next = c.hi + 1;
    return c;
}

/* The runs of a grid, and where their choices change. */
struct plan {
    size_t *last, *pick;     /* as of chorale_compact_layers() */
    struct change *change;   /* [nlayer][nstop], in the first layer of a run */
};

/* Let the successive runs of layers [begin, end) change their choices at one
 * size after stop i, where both advantages are known. */
static void share_change(const struct chorale_grid *grid,
                         const struct plan *plan, size_t begin, size_t end,
                         size_t i)
{
    double left = 0, right = 0;
    size_t hi;

    for (size_t l = begin; l < end; l = plan->last[l] + 1) {
        const struct change *c = &plan->change[l * grid->nstop + i];

        if (isfinite(c->left) && isfinite(c->right)) {
            left += c->left;
            right += c->right;
        }
    }
    hi = chorale_family_crossing(grid->n[i], grid->n[i + 1], left, right);
    for (size_t l = begin; l < end; l = plan->last[l] + 1) {
        struct change *c = &plan->change[l * grid->nstop + i];

        if (isfinite(c->left) && isfinite(c->right)) {
            c->hi = hi;
            c->next = hi + 1;
        }
    }
}

/* Find all changes. Between two stops, successive runs that change from or to
 * the same choice change at the same size, so that their rectangles can be
 * joined. */
static void find_changes(const struct chorale_grid *grid,
                         const struct plan *plan)
{
    for (size_t i = 0; i + 1 < grid->nstop; i++) {
        const size_t *before = NULL; /* picks of the previous run, if it
                                      * changes too */
        size_t begin = 0, l;

        for (l = 0; l < grid->nlayer; l = plan->last[l] + 1) {
            const size_t *pick = plan->pick + l * grid->nstop + i;
            int changes = pick[0] != pick[1];

            if (before != NULL && (!changes || (before[0] != pick[0] &&
                                                before[1] != pick[1]))) {
                share_change(grid, plan, begin, l, i);
                before = NULL;
            }
            if (!changes)
                continue;
            if (before == NULL)
                begin = l;
            before = pick;
            plan->change[l * grid->nstop + i] = find_change(
                grid, l, plan->last[l], i, pick[0], pick[1]);
        }
        if (before != NULL)
            share_change(grid, plan, begin, l, i);
        if (grid->blind || grid->fam->smooth != NULL)
            continue;
        for (l = 0; l < grid->nlayer; l = plan->last[l] + 1) {
            const size_t *pick = plan->pick + l * grid->nstop + i;

            if (pick[0] != pick[1])
                keep_library(grid, l, plan->last[l], i, pick[0], pick[1],
                             &plan->change[l * grid->nstop + i]);
        }
    }
}

/* Append the rectangles of the run that begins with a layer. */
static int add_run(const struct chorale_grid *grid, const struct plan *plan,
                   size_t begin, struct list *list)
{
    const size_t *pick = plan->pick + begin * grid->nstop;
    const struct change *change = plan->change + begin * grid->nstop;
    size_t end = plan->last[begin];
    struct chorale_rectangle block = { begin, end, grid->n[0], 0, 0, 0 };

    for (size_t i = 0; i < grid->nstop; i++) {
        int last = i + 1 == grid->nstop;

        if (!last && pick[i] == pick[i + 1])
            continue;
        block.cand = pick[i];
        block.hi = last ? grid->n[i] : change[i].hi;
        if (add_block(grid, list, &block) != 0)
            return -1;
        if (!last && block.hi + 1 < change[i].next) {
            struct chorale_rectangle gap = { begin, end, block.hi + 1,
                                             change[i].next - 1, 0, 1 };

            if (add_block(grid, list, &gap) != 0)
                return -1;
        }
        if (!last)
            block.lo = change[i].next;
    }
    return 0;
}

static int compare_rectangles(const void *a, const void *b)
{
    const struct chorale_rectangle *x = a, *y = b;

    if (x->begin != y->begin)
        return (x->begin > y->begin) - (x->begin < y->begin);
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Join rectangles of successive runs that have equal choices and sizes. The
 * list must be sorted. */
static void join(struct list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct chorale_rectangle *r = &list->r[i];
        size_t k = 0;

        while (k < kept && (list->r[k].end + 1 != r->begin ||
                            list->r[k].cand != r->cand ||
                            list->r[k].gap != r->gap ||
                            list->r[k].lo != r->lo || list->r[k].hi != r->hi))
            k++;
        if (k < kept)
            list->r[k].end = r->end;
        else
            list->r[kept++] = *r;
    }
    list->count = kept;
}

/* Append the rows of a grid whose entries are filled. -1: out of memory. */
static int add_rows(const struct chorale_grid *grid,
                    struct chorale_decision **rows_p, size_t *count_p)
{
    size_t stops = grid->nlayer * grid->nstop;
    struct plan plan = {
        .last = malloc(grid->nlayer * sizeof(*plan.last)),
        .pick = malloc(stops * sizeof(*plan.pick)),
        .change = calloc(stops, sizeof(*plan.change)),
    };
    struct list list = { NULL, 0 };
    int rc = -1;

    if (plan.last != NULL && plan.pick != NULL && plan.change != NULL)
        rc = compact(grid, plan.last, plan.pick);
    if (rc == 0)
        find_changes(grid, &plan);
    for (size_t l = 0; l < grid->nlayer && rc == 0; l = plan.last[l] + 1)
        rc = add_run(grid, &plan, l, &list);
    if (rc == 0 && list.count > 0) {
        qsort(list.r, list.count, sizeof(*list.r), compare_rectangles);
        join(&list);
    }
    for (size_t i = 0; i < list.count && rc == 0; i++)
        rc = chorale_grid_row(grid, &list.r[i], rows_p, count_p);
    free(plan.last);
    free(plan.pick);
    free(plan.change);
    free(list.r);
    return rc;
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
                 ? add_rows(&grid, rows_p, count_p) : -1;
        release(&grid);
    }
    return rc;
}
