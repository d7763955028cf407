/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_rectangles.c - compacts a grid to few rectangles of process counts and
 * sizes, and finds the sizes at which their choices change. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/decide/merge_ranges.h"

#define MOST_LAYERS 128 /* process counts optimised together */
#define ROUNDING 1e-9   /* relative, of log() and exp() */
#define BISECTIONS 8    /* of the price of a rectangle */

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

int chorale_grid_add_rows(const struct chorale_grid *grid,
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
