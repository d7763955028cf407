/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_rectangles.c - compacts a grid to few rectangles of process counts and
 * sizes, and finds the sizes at which their choices change. */
#include "tuner/decide/decide_grid.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/decide/merge_ranges.h"

#define MOST_BLOCKS 2e6  /* possible blocks of process counts and sizes that are
                         * optimised together */
#define ROUNDING 1e-9   /* relative, of log() and exp() */
#define TIE 2e-9        /* log units: losses of equal times, see
                         * chorale_family_losses() */
#define BISECTIONS 9   /* of the price of a rectangle */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where choices change after a stop. hi: the last n of the choices before.
 * next: the first n of those after. In between the library is used. */
struct change {
    size_t hi, next;
};

/* The blocks of a grid, and where its choices change. */
struct plan {
    struct chorale_block *block;
    size_t nblock;
    size_t *of;              /* [nlayer][nstop] the block of each stop */
    struct change *change;   /* [nlayer][nstop] after each stop at which a block
                              * ends */
};

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

/* Find few rectangles whose mean loss over `inside` stops is at most
 * opts->compact, by bisection of the price of a rectangle. Returns the number
 * of blocks. */
static size_t search(const struct chorale_grid *grid,
                     struct chorale_cuts *cuts, size_t inside, size_t stops,
                     struct chorale_block *block)
{
    const double most = (log1p(grid->fam->opts->compact) + ROUNDING) *
                        (double)inside;
    /* A table without losses has at most one rectangle a stop, so at this price
     * the optimum costs no more than `most`. */
    double low = most / (double)stops, high = 1e4, price = high;

    for (int i = 0;; i++) {
        size_t count = chorale_cuts_find(cuts, price, block);
        double loss = 0;

        for (size_t k = 0; k < count; k++)
            loss += block[k].loss;
        if (loss <= most)
            low = price;
        else
            high = price;
        if ((loss <= most && i >= BISECTIONS) || low >= high)
            return count;
        price = i >= BISECTIONS ? low : sqrt(low * high);
    }
}

/* Find the blocks of some layers, with candidates numbered as in active. -1:
 * out of memory. */
static int compact_layers(const struct chorale_grid *grid,
                          struct chorale_compact *c, size_t first,
                          const size_t *active, struct plan *plan)
{
    struct chorale_cuts *cuts = chorale_cuts_new(c);
    struct chorale_block *block = plan->block + plan->nblock;
    size_t inside = 0, stops = c->nlayer * c->nstop, count;

    if (cuts == NULL)
        return -1;
    for (size_t i = 0; i < stops; i++)
        inside += grid->inside[first * c->nstop + i];
    count = search(grid, cuts, inside, stops, block);
    for (size_t k = 0; k < count; k++) {
        block[k].begin += first;
        block[k].end += first;
        block[k].cand = active[block[k].cand];
        for (size_t l = block[k].begin; l < block[k].end; l++)
            for (size_t s = block[k].i; s < block[k].j; s++)
                plan->of[l * grid->nstop + s] = plan->nblock + k;
    }
    plan->nblock += count;
    chorale_cuts_free(cuts);
    return 0;
}

/* Find the blocks of a grid. -1: out of memory. */
static int compact(const struct chorale_grid *grid, struct plan *plan)
{
    size_t stops = grid->nlayer * grid->nstop, nactive, together;
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
        together = larger(1, (size_t)(2 * sqrt(MOST_BLOCKS) /
                                      (double)grid->nstop));
        rc = 0;
        for (size_t l = 0, n; l < grid->nlayer && rc == 0; l += n) {
            n = smaller(together, grid->nlayer - l);
            rc = compact_layers(grid, &(struct chorale_compact){
                .loss = loss + l * grid->nstop * nactive, .nlayer = n,
                .nstop = grid->nstop, .ncand = nactive, .at = at,
                .lo = lo + l, .hi = hi + l }, l, active, plan);
        }
    }
    free(active);
    free(loss);
    free(at);
    return rc;
}

/* The losses of all candidates at a stop of a layer. */
static const double *losses(const struct chorale_grid *grid, size_t layer,
                            size_t stop)
{
    return grid->loss + chorale_grid_at(grid, layer, stop);
}

/* 1 if candidate c is as good as the choice of a block at all of its stops. */
static int ties(const struct chorale_grid *grid, const struct chorale_block *b,
                size_t c)
{
    for (size_t l = b->begin; l < b->end; l++)
        for (size_t i = b->i; i < b->j; i++)
            if (grid->inside[l * grid->nstop + i] &&
                !(losses(grid, l, i)[c] <= losses(grid, l, i)[b->cand] + TIE))
                return 0;
    return 1;
}

/* 1 if candidate c is the best or as good as the best at a stop of a layer, or if
 * that stop is outside the hull. */
static int is_best(const struct chorale_grid *grid, size_t l, size_t i, size_t c)
{
    return !grid->inside[l * grid->nstop + i] || losses(grid, l, i)[c] <= TIE;
}

/* Number of stops in layer l at which c is among the best, without a gap from
 * the stops of b on. 0: in a layer outside b it is not among the best at these.
 */
static size_t reach_in(const struct chorale_grid *grid,
                       const struct chorale_block *b, size_t l, size_t c)
{
    const unsigned char *inside = grid->inside + l * grid->nstop;
    size_t from = b->i, to = b->j, count = 0;

    for (size_t i = from; i < to; i++)
        if ((l < b->begin || l >= b->end) && !is_best(grid, l, i, c))
            return 0;
    while (from > 0 && is_best(grid, l, from - 1, c))
        from--;
    while (to < grid->nstop && is_best(grid, l, to, c))
        to++;
    for (size_t i = from; i < to; i++)
        count += inside[i] != 0;
    return count;
}

/* The same over the layers of b, and the layers before and after them without a
 * gap. */
static size_t reach(const struct chorale_grid *grid,
                    const struct chorale_block *b, size_t c)
{
    size_t count = 0, more;

    for (size_t l = b->begin; l < b->end; l++)
        count += reach_in(grid, b, l, c);
    for (size_t l = b->begin; l-- > 0; count += more)
        if ((more = reach_in(grid, b, l, c)) == 0)
            break;
    for (size_t l = b->end; l < grid->nlayer; l++, count += more)
        if ((more = reach_in(grid, b, l, c)) == 0)
            break;
    return count;
}

/* Of candidates that are as good over a block, choose that which is the best
 * over the longest range around it. So the name does not alternate between
 * process counts at which the simplest candidate ties and others. */
static void unify_ties(const struct chorale_grid *grid, const struct plan *plan)
{
    for (size_t k = 0; k < plan->nblock; k++) {
        struct chorale_block *b = &plan->block[k];
        size_t best = b->cand, most = 0, count;

        if (best != 0)
            most = reach(grid, b, best);
        for (size_t c = 1; best != 0 && c < grid->ncand; c++)
            if (ties(grid, b, c) && (count = reach(grid, b, c)) > most) {
                best = c;
                most = count;
            }
        b->cand = best;
    }
}

struct list {
    struct chorale_rectangle *r;
    size_t count;
};

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

/* The choice at a stop of a layer. */
static size_t choice(const struct plan *plan, const struct chorale_grid *grid,
                     size_t layer, size_t stop)
{
    return plan->block[plan->of[layer * grid->nstop + stop]].cand;
}

/* Add up over layers [begin, end): in *left the log advantage of the choice at
 * stop i over that at the next stop, in *right the reverse at the next stop.
 * NAN: unknown. */
static void advantages(const struct chorale_grid *grid,
                       const struct plan *plan, size_t begin, size_t end,
                       size_t i, double *left, double *right)
{
    *left = *right = NAN;
    for (size_t layer = begin; layer < end; layer++) {
        const double *t = grid->score + chorale_grid_at(grid, layer, i);
        const double *u = t + grid->ncand;
        size_t a = choice(plan, grid, layer, i);
        size_t b = choice(plan, grid, layer, i + 1);
        double l = t[b] - t[a], r = u[a] - u[b];

        if (a == b)
            continue;
        if (grid->layer[layer].measured &&
            grid->fam->opts->smooth != CHORALE_SMOOTH_ALL) {
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

/* The log advantage over the library of a candidate at n, on a measured layer;
 * 0 or more: unknown, or not slower. */
static double over_library(const struct chorale_grid *grid,
                           const struct chorale_layer *l, size_t cand,
                           size_t n)
{
    double advantage;

    if (cand == 0 || !l->measured || n < l->lo || n > l->hi)
        return 0;
    advantage = chorale_family_on(grid->fam, l->line, 0, n) -
                chorale_family_on(grid->fam, l->line, grid->member[cand], n);
    return advantage < 0 ? advantage : 0;
}

/* The size next to `bad`, between there and `good`, from which on towards
 * `good` a candidate is not slower than the library: found by bisection. */
static size_t not_slower(const struct chorale_grid *grid, size_t layer,
                         size_t cand, size_t good, size_t bad)
{
    const struct chorale_layer *l = &grid->layer[layer];

    if (!(over_library(grid, l, cand, bad) < 0))
        return bad;
    while (larger(good, bad) - smaller(good, bad) > 1) {
        size_t middle = smaller(good, bad) +
                        (larger(good, bad) - smaller(good, bad)) / 2;

        if (over_library(grid, l, cand, middle) < 0)
            bad = middle;
        else
            good = middle;
    }
    return good;
}

/* Find the change after stop i of layers [begin, end). The library serves the
 * sizes next to it at which a choice is predicted to be slower. */
static struct change find_change(const struct chorale_grid *grid,
                                 const struct plan *plan, size_t begin,
                                 size_t end, size_t i)
{
    size_t n_a = grid->n[i], n_b = grid->n[i + 1];
    struct change c = { n_a, n_b };
    int to_library = 1, from_library = 1; /* at each change */
    double left, right;

    for (size_t l = begin; l < end; l++) {
        size_t a = choice(plan, grid, l, i), b = choice(plan, grid, l, i + 1);

        from_library &= a == 0 || a == b;
        to_library &= b == 0 || a == b;
    }
    advantages(grid, plan, begin, end, i, &left, &right);
    if (isfinite(left) && isfinite(right))
        c.hi = chorale_family_crossing(n_a, n_b, left, right);
    else if (from_library || isfinite(right))
        c.hi = n_b - 1;
    else if (!to_library && !isfinite(left))
        return c; /* neither is known in between */
    c.next = c.hi + 1;
    for (size_t l = begin; l < end && !grid->blind &&
                           grid->fam->opts->smooth != CHORALE_SMOOTH_ALL;
         l++) {
        c.hi = not_slower(grid, l, choice(plan, grid, l, i), n_a, c.hi);
        c.next = not_slower(grid, l, choice(plan, grid, l, i + 1), n_b,
                            c.next);
    }
    return c;
}

/* 1 if a block ends after stop i of a layer. */
static int ends(const struct chorale_grid *grid, const struct plan *plan,
                size_t layer, size_t i)
{
    const size_t *of = plan->of + layer * grid->nstop + i;

    return of[0] != of[1];
}

/* Find all changes. Where two successive layers change from or to the same
 * choice, they change at the same size. */
static void find_changes(const struct chorale_grid *grid,
                         const struct plan *plan)
{
    for (size_t i = 0; i + 1 < grid->nstop; i++)
        for (size_t l = 0, end; l < grid->nlayer; l = end) {
            struct change change;

            end = l + 1;
            if (!ends(grid, plan, l, i))
                continue;
            while (end < grid->nlayer && ends(grid, plan, end, i) &&
                   (choice(plan, grid, end, i) ==
                        choice(plan, grid, end - 1, i) ||
                    choice(plan, grid, end, i + 1) ==
                        choice(plan, grid, end - 1, i + 1)))
                end++;
            change = find_change(grid, plan, l, end, i);
            for (size_t k = l; k < end; k++)
                plan->change[k * grid->nstop + i] = change;
        }
}

/* Append the rectangles of a block, and those of the library above it: between
 * two choices, and beside a block of the library if the library also follows it
 * in some layers, from hi + 1 on. */
static int add_rows(const struct chorale_grid *grid, const struct plan *plan,
                    const struct chorale_block *b, struct list *list)
{
    const struct change *change = plan->change + b->begin * grid->nstop;
    int follows = 0; /* the library follows a block of the library */
    struct chorale_rectangle r = { b->begin, b->end - 1, grid->n[0],
                                   grid->n[grid->nstop - 1], b->cand, 0 };

    if (b->i > 0)
        r.lo = b->cand == 0 ? change[b->i - 1].hi + 1 : change[b->i - 1].next;
    for (size_t l = b->begin; b->j < grid->nstop && b->cand == 0 &&
                              l < b->end; l++)
        follows |= choice(plan, grid, l, b->j) == 0;
    if (b->j < grid->nstop)
        r.hi = b->cand == 0 && !follows ? change[b->j - 1].next - 1
                                        : change[b->j - 1].hi;
    if (add_block(grid, list, &r) != 0)
        return -1;
    if (b->j == grid->nstop || (b->cand == 0 && !follows) ||
        r.hi + 1 >= change[b->j - 1].next)
        return 0;
    for (size_t l = b->begin, end; l < b->end; l = end) {
        end = l + 1;
        if (choice(plan, grid, l, b->j) == 0)
            continue;
        while (end < b->end && choice(plan, grid, end, b->j) != 0)
            end++;
        if (add_block(grid, list, &(struct chorale_rectangle){
                l, end - 1, r.hi + 1, change[b->j - 1].next - 1, 0,
                b->cand != 0 }) != 0)
            return -1;
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

/* Join rectangles of successive layers that have equal choices and sizes. The
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
        .block = malloc(stops * sizeof(*plan.block)),
        .of = malloc(stops * sizeof(*plan.of)),
        .change = calloc(stops, sizeof(*plan.change)),
    };
    struct list list = { NULL, 0 };
    int rc = -1;

    if (plan.block != NULL && plan.of != NULL && plan.change != NULL)
        rc = compact(grid, &plan);
    if (rc == 0)
        unify_ties(grid, &plan);
    if (rc == 0)
        find_changes(grid, &plan);
    for (size_t k = 0; k < plan.nblock && rc == 0; k++)
        rc = add_rows(grid, &plan, &plan.block[k], &list);
    if (rc == 0 && list.count > 0) {
        qsort(list.r, list.count, sizeof(*list.r), compare_rectangles);
        join(&list);
    }
    for (size_t i = 0; i < list.count && rc == 0; i++)
        rc = chorale_grid_row(grid, &list.r[i], rows_p, count_p);
    free(plan.block);
    free(plan.of);
    free(plan.change);
    free(list.r);
    return rc;
}
