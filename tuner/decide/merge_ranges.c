/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - a dynamic program over all blocks of layers and stops. */
#include "tuner/decide/merge_ranges.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define ROUNDING 1e-10  /* of sums of losses */

/* The parts (rectangles) of one range in the layers added so far. Layers are
 * added from the last one down. */
struct parts {
    size_t count;
    int open;                /* the last added layer belongs to a part */
    double lo[2], hi[2];     /* least and largest begin, and end, of that part
                              * over its layers */
};

static void add_part(const struct chorale_compact *grid, size_t layer,
                     double from, double to, struct parts *p)
{
    double lo = fmax(from, grid->lo[layer]), hi = fmin(to, grid->hi[layer]);

    if (lo > hi || grid->lo[layer] > grid->hi[layer]) {
        p->open = 0;
        return;
    }
    if (p->open && fmax(lo, p->lo[1]) <=
                       CHORALE_COMPACT_FACTOR * fmin(lo, p->lo[0]) &&
        fmax(hi, p->hi[1]) <= CHORALE_COMPACT_FACTOR * fmin(hi, p->hi[0])) {
        p->lo[0] = fmin(lo, p->lo[0]);
        p->lo[1] = fmax(lo, p->lo[1]);
        p->hi[0] = fmin(hi, p->hi[0]);
        p->hi[1] = fmax(hi, p->hi[1]);
        return;
    }
    *p = (struct parts){ p->count + 1, 1, { lo, lo }, { hi, hi } };
}

/* The size at which a range begins with stop i, or ends before it. */
static double border(const struct chorale_compact *grid, size_t i)
{
    if (i == 0)
        return -INFINITY;
    return i == grid->nstop ? INFINITY
                            : sqrt(grid->at[i - 1] * grid->at[i]);
}

size_t chorale_compact_parts(const struct chorale_compact *grid, size_t begin,
                             size_t end, size_t i, size_t j, size_t cand)
{
    struct parts p = { .count = 0 };

    for (size_t layer = end; layer-- > begin;)
        add_part(grid, layer, border(grid, i), border(grid, j), &p);
    return cand == 0 && p.count > 1 ? 1 : p.count;
}

/* The best ways to fill one block. */
struct entry {
    double loss, library;    /* of the best variant, and of the library;
                              * INFINITY: not allowed */
    uint16_t cand;           /* that variant; 0: none */
    uint16_t parts;
    uint16_t cut;            /* 0: one choice */
    uint16_t along;          /* 1: the cut is between two stops */
};

/* Losses of all earlier layers and stops. */
struct sum {
    double loss;             /* of the stops at which a choice is allowed */
    double never;            /* number of other stops */
};

struct chorale_cuts {
    const struct chorale_compact *grid;
    struct sum *sum;         /* [nlayer + 1][nstop + 1][ncand] */
    struct entry *entry;     /* of each block, see index_of() */
    double *best;            /* likewise: price * rectangles + losses */
};

/* Index of the pair begin < end <= n. */
static size_t pair(size_t begin, size_t end)
{
    return end * (end - 1) / 2 + begin;
}

static size_t index_of(const struct chorale_cuts *cuts, size_t begin,
                       size_t end, size_t i, size_t j)
{
    return pair(begin, end) * pair(0, cuts->grid->nstop + 1) + pair(i, j);
}

static struct sum *sum_at(const struct chorale_cuts *cuts, size_t layer,
                          size_t stop)
{
    return cuts->sum + (layer * (cuts->grid->nstop + 1) + stop) *
                           cuts->grid->ncand;
}

/* Add up the losses. -1: a stop has no allowed candidate. */
static int add_losses(struct chorale_cuts *cuts)
{
    const struct chorale_compact *grid = cuts->grid;
    const double *loss = grid->loss;

    for (size_t l = 0; l < grid->nlayer; l++)
        for (size_t s = 0; s < grid->nstop; s++) {
            const struct sum *up = sum_at(cuts, l, s + 1);
            const struct sum *left = sum_at(cuts, l + 1, s);
            const struct sum *both = sum_at(cuts, l, s);
            struct sum *out = sum_at(cuts, l + 1, s + 1);
            int any = 0;

            for (size_t c = 0; c < grid->ncand; c++, loss++) {
                int allowed = isfinite(*loss);

                out[c].loss = up[c].loss + left[c].loss - both[c].loss +
                              (allowed ? *loss : 0);
                out[c].never = up[c].never + left[c].never - both[c].never +
                               !allowed;
                any |= allowed;
            }
            if (!any)
                return -1;
        }
    return 0;
}

/* Find the best single choice of a block. */
static void choose(const struct chorale_cuts *cuts, size_t begin, size_t end,
                   size_t i, size_t j, struct entry *e)
{
    const struct sum *all = sum_at(cuts, end, j), *up = sum_at(cuts, begin, j);
    const struct sum *left = sum_at(cuts, end, i);
    const struct sum *both = sum_at(cuts, begin, i);

    e->library = e->loss = INFINITY;
    e->cand = 0;
    for (size_t c = 0; c < cuts->grid->ncand; c++) {
        double loss = all[c].loss - up[c].loss - left[c].loss + both[c].loss;

        if (all[c].never - up[c].never - left[c].never + both[c].never > 0)
            continue;
        if (c == 0)
            e->library = loss;
        else if (loss < e->loss - ROUNDING) {
            e->loss = loss;
            e->cand = (uint16_t)c;
        }
    }
}

static void choose_all(struct chorale_cuts *cuts)
{
    const struct chorale_compact *grid = cuts->grid;

    for (size_t i = 0; i < grid->nstop; i++)
        for (size_t j = i + 1; j <= grid->nstop; j++) {
            double from = border(grid, i), to = border(grid, j);

            for (size_t end = 1; end <= grid->nlayer; end++) {
                struct parts p = { .count = 0 };

                for (size_t begin = end; begin-- > 0;) {
                    struct entry *e =
                        &cuts->entry[index_of(cuts, begin, end, i, j)];

                    add_part(grid, begin, from, to, &p);
                    e->parts = (uint16_t)p.count;
                    choose(cuts, begin, end, i, j, e);
                }
            }
        }
}

struct chorale_cuts *chorale_cuts_new(const struct chorale_compact *grid)
{
    size_t blocks = pair(0, grid->nlayer + 1) * pair(0, grid->nstop + 1);
    struct chorale_cuts *cuts = calloc(1, sizeof(*cuts));

    if (cuts == NULL)
        return NULL;
    cuts->grid = grid;
    cuts->sum = calloc((grid->nlayer + 1) * (grid->nstop + 1) * grid->ncand,
                       sizeof(*cuts->sum));
    cuts->entry = malloc((blocks + 1) * sizeof(*cuts->entry));
    cuts->best = malloc((blocks + 1) * sizeof(*cuts->best));
    if (cuts->sum == NULL || cuts->entry == NULL || cuts->best == NULL ||
        blocks == 0 ||
        add_losses(cuts) != 0) {
        chorale_cuts_free(cuts);
        return NULL;
    }
    choose_all(cuts);
    return cuts;
}

void chorale_cuts_free(struct chorale_cuts *cuts)
{
    if (cuts == NULL)
        return;
    free(cuts->sum);
    free(cuts->entry);
    free(cuts->best);
    free(cuts);
}

/* 1 if the library is the best single choice of a block. */
static int takes_library(const struct entry *e, double price)
{
    return e->library + price * (e->parts > 0) <=
           e->loss + price * e->parts;
}

/* Find the best cut of a block whose parts are solved. */
static void solve(struct chorale_cuts *cuts, double price, size_t begin,
                  size_t end, size_t i, size_t j)
{
    const size_t at = index_of(cuts, begin, end, i, j);
    const double rounding = ROUNDING * (1 + price);
    struct entry *e = &cuts->entry[at];
    double best = takes_library(e, price)
                      ? e->library + price * (e->parts > 0)
                      : e->loss + price * e->parts;

    e->cut = e->along = 0;
    for (size_t m = begin + 1; m < end; m++) {
        double both = cuts->best[index_of(cuts, begin, m, i, j)] +
                      cuts->best[index_of(cuts, m, end, i, j)];

        if (both < best - rounding) {
            best = both;
            e->cut = (uint16_t)m;
        }
    }
    for (size_t m = i + 1; m < j; m++) {
        double both = cuts->best[index_of(cuts, begin, end, i, m)] +
                      cuts->best[index_of(cuts, begin, end, m, j)];

        if (both < best - rounding) {
            best = both;
            e->cut = (uint16_t)m;
            e->along = 1;
        }
    }
    cuts->best[at] = best;
}

/* Append the blocks of a part. */
static void trace(const struct chorale_cuts *cuts, double price, size_t begin,
                  size_t end, size_t i, size_t j, struct chorale_block *block,
                  size_t *count)
{
    const struct entry *e = &cuts->entry[index_of(cuts, begin, end, i, j)];

    if (e->cut == 0) {
        int library = takes_library(e, price);

        block[(*count)++] = (struct chorale_block){
            begin, end, i, j, library ? 0 : e->cand,
            library ? e->parts > 0 : e->parts,
            library ? e->library : e->loss };
    } else if (e->along) {
        trace(cuts, price, begin, end, i, e->cut, block, count);
        trace(cuts, price, begin, end, e->cut, j, block, count);
    } else {
        trace(cuts, price, begin, e->cut, i, j, block, count);
        trace(cuts, price, e->cut, end, i, j, block, count);
    }
}

size_t chorale_cuts_find(struct chorale_cuts *cuts, double price,
                         struct chorale_block *block)
{
    const size_t nlayer = cuts->grid->nlayer, nstop = cuts->grid->nstop;
    size_t count = 0;

    for (size_t end = 1; end <= nlayer; end++)
        for (size_t begin = end; begin-- > 0;)
            for (size_t j = 1; j <= nstop; j++)
                for (size_t i = j; i-- > 0;)
                    solve(cuts, price, begin, end, i, j);
    trace(cuts, price, 0, nlayer, 0, nstop, block, &count);
    return count;
}
