/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - two nested dynamic programs: over the stops of a run of
 * layers, and over the runs. */
#include "tuner/decide/merge_ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct score {
    size_t ranges;
    double loss;
};

static const struct score never = { (size_t)-1, INFINITY };

static int better(struct score a, struct score b, double price)
{
    if (a.ranges != b.ranges && (isinf(price) || b.ranges == never.ranges))
        return a.ranges < b.ranges;
    if (a.ranges == b.ranges)
        return a.loss < b.loss;
    a.loss += price * (double)a.ranges;
    b.loss += price * (double)b.ranges;
    return a.loss < b.loss || (a.loss == b.loss && a.ranges < b.ranges);
}

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

/* State of the search for runs of layers. */
struct runs {
    const struct chorale_compact *grid;
    size_t ncand;
    double *sum;             /* [nstop][ncand] losses of a run's layers */
    double *border;          /* [nstop + 1] as of border() */
    struct parts *parts;     /* [nstop][nstop + 1] of stops [i, j) */
    struct score *best;      /* [nstop + 1] best score of the first stops of a
                              * run */
    size_t *from, *cand;     /* [nstop + 1] begin and choice of the range that
                              * ends there */
    struct score *upto;      /* [nlayer + 1] best score of the first layers */
    size_t *first;           /* [nlayer + 1] first layer of the last run */
};

static int runs_alloc(struct runs *r)
{
    size_t nstop = r->grid->nstop, nlayer = r->grid->nlayer;

    r->sum = malloc((nstop * r->ncand + 1) * sizeof(*r->sum));
    r->border = malloc((nstop + 1) * sizeof(*r->border));
    r->parts = malloc((nstop + 1) * (nstop + 1) * sizeof(*r->parts));
    r->best = malloc((nstop + 1) * sizeof(*r->best));
    r->from = malloc((nstop + 1) * sizeof(*r->from));
    r->cand = malloc((nstop + 1) * sizeof(*r->cand));
    r->upto = malloc((nlayer + 1) * sizeof(*r->upto));
    r->first = malloc((nlayer + 1) * sizeof(*r->first));
    if (r->sum == NULL || r->border == NULL || r->parts == NULL ||
        r->best == NULL || r->from == NULL || r->cand == NULL ||
        r->upto == NULL || r->first == NULL)
        return -1;
    for (size_t i = 0; i <= nstop; i++)
        r->border[i] = border(r->grid, i);
    return 0;
}

static void runs_release(struct runs *r)
{
    free(r->sum);
    free(r->border);
    free(r->parts);
    free(r->best);
    free(r->from);
    free(r->cand);
    free(r->upto);
    free(r->first);
}

static void begin_run(struct runs *r)
{
    size_t nstop = r->grid->nstop;

    memset(r->sum, 0, nstop * r->ncand * sizeof(*r->sum));
    memset(r->parts, 0, nstop * (nstop + 1) * sizeof(*r->parts));
}

static void add_layer(struct runs *r, size_t layer)
{
    size_t nstop = r->grid->nstop, square = nstop * r->ncand;

    for (size_t i = 0; i < square; i++)
        r->sum[i] += r->grid->loss[layer * square + i];
    for (size_t i = 0; i < nstop; i++)
        for (size_t j = i + 1; j <= nstop; j++)
            add_part(r->grid, layer, r->border[i], r->border[j],
                     &r->parts[i * (nstop + 1) + j]);
}

/* Improve best[j] by the ranges with choice cand that end before stop j. */
static void end_ranges(struct runs *r, size_t j, size_t cand)
{
    struct score s = { 0, 0 };
    double loss = 0;

    for (size_t i = j; i-- > 0;) {
        size_t parts = r->parts[i * (r->grid->nstop + 1) + j].count;

        loss += r->sum[i * r->ncand + cand];
        if (!isfinite(loss))
            return;
        s.ranges = r->best[i].ranges +
                   (cand == 0 && parts > 1 ? 1 : parts);
        s.loss = r->best[i].loss + loss;
        if (r->best[i].ranges != never.ranges &&
            better(s, r->best[j], r->grid->price)) {
            r->best[j] = s;
            r->from[j] = i;
            r->cand[j] = cand;
        }
    }
}

/* The best score of the run whose layers were added, or never. */
static struct score solve(struct runs *r)
{
    size_t nstop = r->grid->nstop;

    r->best[0] = (struct score){ 0, 0 };
    for (size_t j = 1; j <= nstop; j++) {
        r->best[j] = never;
        for (size_t c = 0; c < r->ncand; c++)
            end_ranges(r, j, c);
        if (r->best[j].ranges == never.ranges)
            return never;
    }
    return r->best[nstop];
}

/* Compute upto[end] over all runs of layers that end there. */
static void close_run(struct runs *r, size_t end)
{
    r->upto[end] = never;
    begin_run(r);
    for (size_t begin = end; begin-- > 0 && end - begin <= r->grid->most;) {
        struct score score;

        add_layer(r, begin);
        score = solve(r);
        if (score.ranges == never.ranges)
            return; /* longer runs have no common choice either */
        if (r->upto[begin].ranges == never.ranges)
            continue;
        score.ranges += r->upto[begin].ranges;
        score.loss += r->upto[begin].loss;
        if (better(score, r->upto[end], r->grid->price)) {
            r->upto[end] = score;
            r->first[end] = begin;
        }
    }
}

/* Store the choices of the run that ends before layer end, for all its
 * layers. */
static void trace_run(struct runs *r, size_t end, size_t *last_p,
                      size_t *pick_p)
{
    size_t begin = r->first[end], nstop = r->grid->nstop;
    size_t *pick = pick_p + begin * nstop;

    begin_run(r);
    for (size_t layer = end; layer-- > begin;)
        add_layer(r, layer);
    solve(r);
    for (size_t j = nstop; j > 0; j = r->from[j])
        for (size_t i = r->from[j]; i < j; i++)
            pick[i] = r->cand[j];
    for (size_t layer = begin; layer < end; layer++) {
        last_p[layer] = end - 1;
        if (layer > begin)
            memcpy(pick_p + layer * nstop, pick, nstop * sizeof(*pick_p));
    }
}

int chorale_compact_layers(const struct chorale_compact *grid, size_t *last_p,
                           size_t *pick_p, size_t *count_p)
{
    struct runs r = { .grid = grid, .ncand = grid->ncand };
    size_t nlayer = grid->nlayer;
    int rc = -1;

    if (runs_alloc(&r) == 0 && nlayer > 0 && grid->nstop > 0) {
        r.upto[0] = (struct score){ 0, 0 };
        for (size_t end = 1; end <= nlayer; end++)
            close_run(&r, end);
        if (r.upto[nlayer].ranges != never.ranges) {
            *count_p = r.upto[nlayer].ranges;
            for (size_t end = nlayer; end > 0; end = r.first[end])
                trace_run(&r, end, last_p, pick_p);
            rc = 0;
        }
    }
    runs_release(&r);
    return rc;
}
