/* SPDX-License-Identifier: BSD-3-Clause */
/* between.c - process counts between two measured ones: the choices that the
 * calibrated model expects, where it was right before, as few rectangles of n
 * and process counts as can be. */
#include "tuner/decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/compact.h"
#include "tuner/family.h"

#define MAX_LAYERS 64 /* process counts that share rectangles */
#define MORE_STOPS 64 /* doublings of a size_t */
#define DOUBT 0.5     /* of the largest error is held against a guess */

struct gap {
    const struct chorale_family *fam;
    size_t k;                /* between lines k and k + 1 */
    size_t *n, nstop;
    int first, nlayer;       /* process counts first ... first + nlayer - 1 */
    unsigned char *near;     /* [nstop][ncand] worth looking at */
    unsigned char *may;      /* [ncand] */
    double *seconds, *loss;  /* [nlayer][nstop][ncand] */
    double *score;           /* likewise: log seconds, of ours longer for what
                              * there is to doubt */
    size_t *last, *pick;
    double *wrong;           /* [ncand] of the guesses */
    double *error;           /* [nlayer][nstop] of the choice */
};

static size_t at(const struct gap *gap, size_t layer, size_t stop)
{
    return (layer * gap->nstop + stop) * gap->fam->ncand;
}

static int compare_n(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Sizes between two that are at least twice apart, one for each doubling, into
 * n. Returns how many. */
static size_t split(size_t from, size_t to, size_t *n)
{
    double ratio = from > 0 ? (double)to / (double)from : 0;
    size_t count = ratio >= 2 ? (size_t)(log2(ratio) + 1e-9) : 0;

    for (size_t k = 0; k < count; k++)
        n[k] = (size_t)((double)from *
                        pow(ratio, ((double)k + 1) / ((double)count + 1)));
    return count;
}

/* The sizes of both lines in order, and more in wide gaps. */
static void find_stops(struct gap *gap)
{
    size_t count = 0, kept = 0;

    for (size_t j = gap->k; j < gap->k + 2; j++)
        for (size_t i = 0; i < gap->fam->line[j].nspot; i++)
            gap->n[count++] = gap->fam->line[j].spot[i].point->n;
    qsort(gap->n, count, sizeof(*gap->n), compare_n);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || gap->n[i] != gap->n[kept - 1])
            gap->n[kept++] = gap->n[i];
    count = kept;
    for (size_t i = 1; i < kept; i++)
        count += split(gap->n[i - 1], gap->n[i], gap->n + count);
    qsort(gap->n, count, sizeof(*gap->n), compare_n);
    gap->nstop = count;
}

/* Who is worth looking at for each stop: near the best at one of the measured
 * sizes beside it, on either side. */
static void find_near(struct gap *gap)
{
    const struct chorale_family *fam = gap->fam;

    memset(gap->near, 0, gap->nstop * fam->ncand);
    for (size_t s = 0; s < gap->nstop; s++) {
        gap->near[s * fam->ncand] = 1;
        for (size_t j = gap->k; j < gap->k + 2; j++)
            chorale_family_near(fam, j, gap->n[s],
                                gap->near + s * fam->ncand);
    }
}

/* 1 if n lies among the sizes measured on both sides, as they shift with the
 * process count. */
static int inside(const struct gap *gap, size_t n, int comm_size)
{
    const struct chorale_line *a = &gap->fam->line[gap->k], *b = a + 1;
    double x = log((double)comm_size / a->comm_size) /
               log((double)b->comm_size / a->comm_size);
    double least[2] = { (double)a->spot[0].point->n,
                        (double)b->spot[0].point->n };
    double most[2] = { (double)a->spot[a->nspot - 1].point->n,
                       (double)b->spot[b->nspot - 1].point->n };
    double lo = log(fmax(least[0], 1)), hi = log(fmax(most[0], 1));

    lo += x * (log(fmax(least[1], 1)) - lo);
    hi += x * (log(fmax(most[1], 1)) - hi);
    return log(fmax((double)n, 1)) >= lo - 1e-9 &&
           log(fmax((double)n, 1)) <= hi + 1e-9;
}

/* The spot of a line that is nearest to n from below, or its first. */
static const struct chorale_spot *beside(const struct chorale_line *line,
                                         size_t n)
{
    size_t i = 0;

    while (i + 1 < line->nspot && line->spot[i + 1].point->n <= n)
        i++;
    return &line->spot[i];
}

/* On a real system a neighbour must have found something confirmed. */
static int may_leave(const struct gap *gap, size_t n)
{
    const struct chorale_line *line = &gap->fam->line[gap->k];

    return gap->fam->opts->simulated ||
           beside(&line[0], n)->why == CHORALE_WHY_GAIN ||
           beside(&line[1], n)->why == CHORALE_WHY_GAIN;
}

/* Times and losses at one stop of one process count. */
static void guess(struct gap *gap, size_t layer, size_t stop)
{
    const struct chorale_family *fam = gap->fam;
    size_t n = gap->n[stop], best;
    int comm_size = gap->first + (int)layer, leave = may_leave(gap, n);
    double *seconds = gap->seconds + at(gap, layer, stop), error;
    double *loss = gap->loss + at(gap, layer, stop);
    double *score = gap->score + at(gap, layer, stop);

    for (size_t c = 0; c < fam->ncand; c++) {
        seconds[c] = score[c] = NAN;
        gap->wrong[c] = 0;
        gap->may[c] = 0;
        if (!gap->near[stop * fam->ncand + c] ||
            (c > 0 && chorale_family_bars(fam, c, n, comm_size) != NULL))
            continue;
        seconds[c] = chorale_family_between(fam, gap->k, c, n, comm_size,
                                            &error);
        gap->wrong[c] = error;
        gap->may[c] = leave && error <= CHORALE_DECIDE_ERROR;
        score[c] = seconds[c] + (c > 0 && error > 0 ? DOUBT * log1p(error) : 0);
    }
    if (!inside(gap, n, comm_size)) { /* as the stop beside it */
        memset(loss, 0, fam->ncand * sizeof(*loss));
        gap->error[layer * gap->nstop + stop] = 0;
        return;
    }
    best = chorale_guess_losses(fam, score, gap->may, loss);
    gap->error[layer * gap->nstop + stop] =
        best > 0 ? gap->wrong[best] : 0;
}

/* Means over layers [begin, end] and stops [i, j) of one choice. */
static void foretell(const struct gap *gap, size_t begin, size_t end, size_t i,
                     size_t j, struct chorale_decision *row)
{
    size_t pick = gap->pick[begin * gap->nstop + i];
    double mine = 0, base = 0, loss = 0, k = 0, worst = 0;

    for (size_t layer = begin; layer <= end; layer++)
        for (size_t s = i; s < j; s++) {
            const double *t = gap->seconds + at(gap, layer, s);

            if (!isfinite(t[pick]) || !isfinite(t[0]))
                continue;
            mine += t[pick];
            base += t[0];
            loss += gap->loss[at(gap, layer, s) + pick];
            worst = fmax(worst, gap->error[layer * gap->nstop + s]);
            k++;
        }
    if (k > 0) {
        row->seconds = exp(mine / k);
        row->library_seconds = exp(base / k);
        row->speedup = exp((base - mine) / k);
        row->regret = expm1(loss / k);
    }
    if (pick == 0) {
        snprintf(row->reason, sizeof(row->reason), "between P = %d and %d:"
                 " nothing is faster for certain, or such guesses were wrong"
                 " by more than %g %%", gap->fam->line[gap->k].comm_size,
                 gap->fam->line[gap->k + 1].comm_size,
                 100 * CHORALE_DECIDE_ERROR);
        return;
    }
    row->basis = "modelled";
    snprintf(row->reason, sizeof(row->reason), "between P = %d and %d: expected"
             " to be the fastest; such guesses were wrong by at most %.1f %%",
             gap->fam->line[gap->k].comm_size,
             gap->fam->line[gap->k + 1].comm_size, 100 * worst);
}

/* Where choice a of stop i ends and b of the next begins. */
static size_t border(const struct gap *gap, size_t begin, size_t end, size_t i,
                     size_t a, size_t b)
{
    double left = 0, right = 0;

    for (size_t layer = begin; layer <= end; layer++) {
        const double *t = gap->score + at(gap, layer, i);
        const double *u = gap->score + at(gap, layer, i + 1);
        double l = t[b] - t[a], r = u[a] - u[b];

        left += isfinite(l) ? l : 0;
        right += isfinite(r) ? r : 0;
    }
    return chorale_crossing(gap->n[i], gap->n[i + 1], left, right);
}

/* The rows of one run of process counts. */
static int add_run(const struct gap *gap, size_t begin, size_t end,
                   struct chorale_decision **rows_p, size_t *count_p)
{
    const size_t *pick = gap->pick + begin * gap->nstop;
    size_t lo = gap->n[0], j;

    for (size_t i = 0; i < gap->nstop; i = j) {
        const struct chorale_member *m = &gap->fam->cand[pick[i]];
        struct chorale_decision *row = chorale_decision_add(
            gap->fam, gap->first + (int)begin, rows_p, count_p);

        if (row == NULL)
            return -1;
        for (j = i + 1; j < gap->nstop && pick[j] == pick[i]; j++)
            continue;
        row->comm_size_hi = gap->first + (int)end;
        row->n_lo = lo;
        row->n_hi = j < gap->nstop
                        ? border(gap, begin, end, j - 1, pick[i], pick[j])
                        : gap->n[gap->nstop - 1];
        lo = row->n_hi + 1;
        row->provider = m->provider;
        row->variant = m->variant;
        row->params = m->params;
        foretell(gap, begin, end, i, j, row);
    }
    return 0;
}

/* Process counts first ... first + nlayer - 1, all at once. */
static int add_layers(struct gap *gap, struct chorale_decision **rows_p,
                      size_t *count_p)
{
    size_t nlayer = (size_t)gap->nlayer;

    for (size_t layer = 0; layer < nlayer; layer++)
        for (size_t stop = 0; stop < gap->nstop; stop++)
            guess(gap, layer, stop);
    if (chorale_compact_layers(gap->loss, nlayer, gap->nstop, gap->fam->ncand,
                               gap->last, gap->pick) == 0)
        return -1;
    for (size_t layer = 0; layer < nlayer; layer = gap->last[layer] + 1)
        if (add_run(gap, layer, gap->last[layer], rows_p, count_p) != 0)
            return -1;
    return 0;
}

int chorale_decide_between(const struct chorale_family *fam, size_t k,
                           struct chorale_decision **rows_p, size_t *count_p)
{
    const struct chorale_line *line = &fam->line[k];
    size_t room = line[0].nspot + line[1].nspot + MORE_STOPS, all;
    struct gap gap = { .fam = fam, .k = k };
    int last = line[1].comm_size - 1, rc = -1;

    if (last <= line[0].comm_size || line[0].comm_size < 2)
        return 0;
    all = room * MAX_LAYERS * fam->ncand;
    gap.n = malloc(room * sizeof(*gap.n));
    gap.near = malloc(room * fam->ncand);
    gap.may = malloc(fam->ncand);
    gap.wrong = malloc(fam->ncand * sizeof(double));
    gap.score = malloc(all * sizeof(double));
    gap.seconds = malloc(all * sizeof(double));
    gap.loss = malloc(all * sizeof(double));
    gap.last = malloc(MAX_LAYERS * sizeof(*gap.last));
    gap.pick = malloc(room * MAX_LAYERS * sizeof(*gap.pick));
    gap.error = malloc(room * MAX_LAYERS * sizeof(double));
    if (gap.n != NULL && gap.near != NULL && gap.may != NULL &&
        gap.wrong != NULL && gap.score != NULL && gap.seconds != NULL &&
        gap.loss != NULL && gap.last != NULL && gap.pick != NULL &&
        gap.error != NULL) {
        find_stops(&gap);
        find_near(&gap);
        rc = 0;
        for (gap.first = line[0].comm_size + 1; gap.first <= last && rc == 0;
             gap.first += gap.nlayer) {
            gap.nlayer = last - gap.first + 1;
            if (gap.nlayer > MAX_LAYERS)
                gap.nlayer = MAX_LAYERS;
            rc = add_layers(&gap, rows_p, count_p);
        }
    }
    free(gap.n);
    free(gap.near);
    free(gap.may);
    free(gap.wrong);
    free(gap.score);
    free(gap.seconds);
    free(gap.loss);
    free(gap.last);
    free(gap.pick);
    free(gap.error);
    return rc;
}
