/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - dynamic programming over choices. A state is a stop and its
 * choice; scores compare the number of ranges first, then the loss. */
#include "tuner/decide/merge_ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct score {
    size_t ranges;
    double loss;
};

static int better(struct score a, struct score b)
{
    if (a.ranges != b.ranges)
        return a.ranges < b.ranges;
    return a.loss < b.loss;
}

static const struct score never = { (size_t)-1, INFINITY };

/* Advance by one stop: compute now[c] from before[c] (NULL: the first stop) and
 * the best of before; from[c] is the choice at the previous stop. */
static void advance(const double *loss, size_t ncand,
                    const struct score *before, struct score *now,
                    size_t *from)
{
    size_t best = 0;

    for (size_t c = 1; before != NULL && c < ncand; c++)
        if (better(before[c], before[best]))
            best = c;
    for (size_t c = 0; c < ncand; c++) {
        struct score change = { 1, 0 };

        from[c] = best;
        now[c] = never;
        if (!isfinite(loss[c]))
            continue;
        if (before != NULL) {
            if (before[best].ranges == never.ranges)
                continue; /* the previous stop has no choice */
            change = before[best];
            change.ranges++;
            if (before[c].ranges != never.ranges &&
                !better(change, before[c])) {
                change = before[c];
                from[c] = c;
            }
        }
        now[c] = change;
        now[c].loss += loss[c];
    }
}

/* The best score over all stops. The caller provides from [nstop][ncand] and
 * two rows of scores. *last_p: the choice at the last stop. */
static struct score solve(const double *loss, size_t nstop, size_t ncand,
                          size_t *from, struct score *row, size_t *last_p)
{
    struct score *now = row, *before = row + ncand, *swap;
    size_t best = 0;

    for (size_t i = 0; i < nstop; i++) {
        advance(loss + i * ncand, ncand, i > 0 ? before : NULL, now,
                from + i * ncand);
        swap = before;
        before = now;
        now = swap;
    }
    for (size_t c = 1; c < ncand; c++)
        if (better(before[c], before[best]))
            best = c;
    *last_p = best;
    return before[best];
}

static void trace(const size_t *from, size_t nstop, size_t ncand, size_t last,
                  size_t *pick_p)
{
    for (size_t i = nstop; i-- > 0;) {
        pick_p[i] = last;
        last = from[i * ncand + last];
    }
}

size_t chorale_compact_line(const double *loss, size_t nstop, size_t ncand,
                            size_t *pick_p)
{
    struct score *row = malloc((2 * ncand + 1) * sizeof(*row)), score = never;
    size_t *from = malloc((nstop * ncand + 1) * sizeof(*from)), last;

    if (row != NULL && from != NULL && nstop > 0 && ncand > 0) {
        score = solve(loss, nstop, ncand, from, row, &last);
        if (score.ranges != never.ranges)
            trace(from, nstop, ncand, last, pick_p);
    }
    free(row);
    free(from);
    return score.ranges != never.ranges ? score.ranges : 0;
}

/* State of the search for runs of layers. */
struct runs {
    const double *loss;
    size_t nlayer, nstop, ncand;
    double *sum;             /* [nstop][ncand] of the layers of a run */
    size_t *from;            /* [nstop][ncand] */
    struct score *row;       /* [2 ncand] */
    struct score *upto;      /* [nlayer + 1] best score of the first layers */
    size_t *first;           /* [nlayer + 1] first layer of the last run */
};

static int runs_alloc(struct runs *r)
{
    size_t square = r->nstop * r->ncand + 1;

    r->sum = malloc(square * sizeof(*r->sum));
    r->from = malloc(square * sizeof(*r->from));
    r->row = malloc((2 * r->ncand + 1) * sizeof(*r->row));
    r->upto = malloc((r->nlayer + 1) * sizeof(*r->upto));
    r->first = malloc((r->nlayer + 1) * sizeof(*r->first));
    return r->sum != NULL && r->from != NULL && r->row != NULL &&
           r->upto != NULL && r->first != NULL ? 0 : -1;
}

static void runs_release(struct runs *r)
{
    free(r->sum);
    free(r->from);
    free(r->row);
    free(r->upto);
    free(r->first);
}

static void add_layer(struct runs *r, size_t layer)
{
    size_t square = r->nstop * r->ncand;

    for (size_t i = 0; i < square; i++)
        r->sum[i] += r->loss[layer * square + i];
}

/* Compute upto[end] over all runs of layers that end there. */
static void close_run(struct runs *r, size_t end)
{
    r->upto[end] = never;
    memset(r->sum, 0, r->nstop * r->ncand * sizeof(*r->sum));
    for (size_t begin = end; begin-- > 0;) {
        struct score score;
        size_t last;

        add_layer(r, begin);
        score = solve(r->sum, r->nstop, r->ncand, r->from, r->row, &last);
        if (score.ranges == never.ranges)
            return; /* longer runs have no common choice either */
        if (r->upto[begin].ranges == never.ranges)
            continue;
        score.ranges += r->upto[begin].ranges;
        score.loss += r->upto[begin].loss;
        if (better(score, r->upto[end])) {
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
    size_t begin = r->first[end], last;

    memset(r->sum, 0, r->nstop * r->ncand * sizeof(*r->sum));
    for (size_t layer = end; layer-- > begin;)
        add_layer(r, layer);
    solve(r->sum, r->nstop, r->ncand, r->from, r->row, &last);
    trace(r->from, r->nstop, r->ncand, last, pick_p + begin * r->nstop);
    for (size_t layer = begin; layer < end; layer++) {
        last_p[layer] = end - 1;
        if (layer > begin)
            memcpy(pick_p + layer * r->nstop, pick_p + begin * r->nstop,
                   r->nstop * sizeof(*pick_p));
    }
}

size_t chorale_compact_layers(const double *loss, size_t nlayer, size_t nstop,
                              size_t ncand, size_t *last_p, size_t *pick_p)
{
    struct runs r = { .loss = loss, .nlayer = nlayer, .nstop = nstop,
                      .ncand = ncand };
    size_t ranges = 0;

    if (runs_alloc(&r) == 0 && nlayer > 0 && nstop > 0 && ncand > 0) {
        r.upto[0] = (struct score){ 0, 0 };
        for (size_t end = 1; end <= nlayer; end++)
            close_run(&r, end);
        if (r.upto[nlayer].ranges != never.ranges)
            ranges = r.upto[nlayer].ranges;
        for (size_t end = nlayer; ranges > 0 && end > 0; end = r.first[end])
            trace_run(&r, end, last_p, pick_p);
    }
    runs_release(&r);
    return ranges;
}
