/* SPDX-License-Identifier: BSD-3-Clause */
/* between_procs.c - rows between two measured process counts: the choices
 * predicted by the calibrated model where its error is known, compacted to the
 * fewest rectangles of n and process counts. */
#include "tuner/decide/decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/merge_ranges.h"
#include "tuner/decide/family.h"

#define MAX_LAYERS 64 /* process counts that share rectangles */
#define MORE_STOPS 64 /* doublings of a size_t */
#define DOUBT 0.5     /* share of its error added to a variant's time */
#define LIBRARY_MARGIN 0.25 /* share subtracted from the library's */
#define ROUNDING 1e-9 /* relative, of log() and exp() */

struct gap {
    const struct chorale_family *fam;
    size_t k;                /* between lines k and k + 1 */
    size_t *n, nstop;
    int first, nlayer;       /* process counts first ... first + nlayer - 1 */
    int blind;               /* some ranks do not know n */
    unsigned char *near;     /* [nstop][ncand] worth a prediction */
    unsigned char *may;      /* [ncand] */
    double *seconds, *loss;  /* [nlayer][nstop][ncand] */
    double *score;           /* likewise: log seconds corrected by doubt() */
    size_t *last, *pick;
    double *wrong;           /* [ncand] errors of the predictions */
    double *error;           /* [nlayer][nstop] error of the choice */
    unsigned char *inside;   /* [nlayer][nstop] within the hull */
    size_t *lo, *hi;         /* [nlayer] the hull; lo > hi: empty */
};

/* Layers [begin, end] and stops [first, last) with the same choice, for n in
 * [lo, hi]. */
struct block {
    size_t begin, end, first, last, lo, hi;
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

/* Sizes between two that differ at least by a factor of 2, one per doubling,
 * into n. Returns their number. */
static size_t split(size_t from, size_t to, size_t *n)
{
    double ratio = from > 0 ? (double)to / (double)from : 0;
    size_t count = ratio >= 2 ? (size_t)(log2(ratio) + 1e-9) : 0;

    for (size_t k = 0; k < count; k++)
        n[k] = (size_t)((double)from *
                        pow(ratio, ((double)k + 1) / ((double)count + 1)));
    return count;
}

/* The sizes of both lines in order, and further ones in wide gaps. */
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

/* Mark the choices of a line's spots. */
static void mark_choices(const struct chorale_family *fam, size_t line,
                         unsigned char *near)
{
    const struct chorale_line *ln = &fam->line[line];

    for (size_t i = 0; i < ln->nspot; i++)
        near[chorale_family_member(
            fam, ln->spot[i].cand[ln->spot[i].pick].run)] = 1;
}

/* Find the candidates for each stop: those near the best at an adjacent
 * measured size on either side; if n is unknown, the choices of both sides. */
static void find_near(struct gap *gap)
{
    const struct chorale_family *fam = gap->fam;

    memset(gap->near, 0, gap->nstop * fam->ncand);
    for (size_t s = 0; s < gap->nstop; s++) {
        gap->near[s * fam->ncand] = 1;
        for (size_t j = gap->k; j < gap->k + 2; j++)
            if (gap->blind)
                mark_choices(fam, j, gap->near + s * fam->ncand);
            else
                chorale_family_near(fam, j, gap->n[s],
                                    gap->near + s * fam->ncand);
    }
}

/* The point at fraction x from a to b, in logarithms. */
static double shifted(size_t a, size_t b, double x)
{
    double from = log(fmax((double)a, 1)), to = log(fmax((double)b, 1));

    return exp(from + x * (to - from));
}

/* The least and largest n of a layer within the sizes measured on both sides,
 * interpolated by process count. */
static void find_hull(struct gap *gap, size_t layer)
{
    const struct chorale_line *a = &gap->fam->line[gap->k], *b = a + 1;
    double x = log((double)(gap->first + (int)layer) / a->comm_size) /
               log((double)b->comm_size / a->comm_size);
    size_t least_a = a->spot[0].point->n, least_b = b->spot[0].point->n;

    gap->lo[layer] = least_a == 0 && least_b == 0
                         ? 0
                         : (size_t)ceil(shifted(least_a, least_b, x) *
                                        (1 - ROUNDING));
    gap->hi[layer] = (size_t)floor(
        shifted(a->spot[a->nspot - 1].point->n, b->spot[b->nspot - 1].point->n,
                x) * (1 + ROUNDING));
}

/* 1 if a stop lies within the hull of a layer. If the hull contains no stop,
 * the last one below it represents its least n. */
static unsigned char is_inside(const struct gap *gap, size_t layer, size_t stop)
{
    size_t lo = gap->lo[layer], hi = gap->hi[layer];

    if (lo > hi || gap->n[stop] > hi)
        return 0;
    return gap->n[stop] >= lo ||
           (stop + 1 < gap->nstop && gap->n[stop + 1] > hi);
}

/* 1 if a choice is confirmed at a line's nearest measured size below or above
 * n. */
static int confirmed_beside(const struct chorale_line *line, size_t n)
{
    size_t i = 0;

    while (i + 1 < line->nspot && line->spot[i + 1].point->n <= n)
        i++;
    return line->spot[i].why == CHORALE_WHY_GAIN ||
           (line->spot[i].point->n < n && i + 1 < line->nspot &&
            line->spot[i + 1].why == CHORALE_WHY_GAIN);
}

/* On a real system an adjacent measured size must have a confirmed choice. */
static int may_replace_library(const struct gap *gap, size_t n)
{
    const struct chorale_line *line = &gap->fam->line[gap->k];

    return gap->fam->opts->simulated || confirmed_beside(&line[0], n) ||
           confirmed_beside(&line[1], n);
}

/* Correction of log time for prediction errors: a variant's time is increased,
 * the library's decreased. */
static double doubt(size_t cand, double error)
{
    double most = error > 0 ? log1p(error) : 0;

    return cand == 0 ? -LIBRARY_MARGIN * most : DOUBT * most;
}

/* Predict times and losses at one stop of one process count. */
static void guess(struct gap *gap, size_t layer, size_t stop)
{
    const struct chorale_family *fam = gap->fam;
    size_t n = gap->n[stop], best;
    int comm_size = gap->first + (int)layer,
    leave = may_replace_library(gap, n);
    double *seconds = gap->seconds + at(gap, layer, stop), error;
    double *loss = gap->loss + at(gap, layer, stop);
    double *score = gap->score + at(gap, layer, stop);

    if (gap->inside[layer * gap->nstop + stop] && n < gap->lo[layer]) {
        n = gap->lo[layer];
        leave = may_replace_library(gap, n);
    }
    for (size_t c = 0; c < fam->ncand; c++) {
        seconds[c] = score[c] = NAN;
        gap->wrong[c] = 0;
        gap->may[c] = 0;
        if (!gap->near[stop * fam->ncand + c] ||
            (c > 0 && chorale_family_excluded(fam, c, n, comm_size) != NULL))
            continue;
        seconds[c] = chorale_family_between(fam, gap->k, c, n, comm_size,
                                            &error);
        gap->wrong[c] = error;
        gap->may[c] = leave && error <= CHORALE_DECIDE_ERROR;
        score[c] = seconds[c] + doubt(c, error);
        if (c > 0 && !gap->may[c] && gap->blind)
            score[c] = NAN;
    }
    if (!gap->inside[layer * gap->nstop + stop]) { /* all cost 0 */
        memset(loss, 0, fam->ncand * sizeof(*loss));
        gap->error[layer * gap->nstop + stop] = 0;
        return;
    }
    best = chorale_family_losses(fam, score, gap->may, loss);
    gap->error[layer * gap->nstop + stop] =
        best > 0 ? gap->wrong[best] : 0;
}

/* Sums over the stops of a block. */
struct sums {
    double mine, base, loss, worst, count;
};

/* any: include stops outside the hull. */
static struct sums add_up(const struct gap *gap, const struct block *block,
                          size_t pick, int any)
{
    struct sums sum = { 0, 0, 0, 0, 0 };

    for (size_t layer = block->begin; layer <= block->end; layer++)
        for (size_t s = block->first; s < block->last; s++) {
            const double *t = gap->seconds + at(gap, layer, s);

            if ((!any && !gap->inside[layer * gap->nstop + s]) ||
                !isfinite(t[pick]) || !isfinite(t[0]))
                continue;
            sum.mine += t[pick];
            sum.base += t[0];
            sum.loss += gap->loss[at(gap, layer, s) + pick];
            sum.worst = fmax(sum.worst, gap->error[layer * gap->nstop + s]);
            sum.count++;
        }
    return sum;
}

/* Fill in the means over a block, or over adjacent stops if it contains
 * none. */
static void predict(const struct gap *gap, const struct block *block,
                     struct chorale_decision *row)
{
    size_t pick = gap->pick[block->begin * gap->nstop + block->first];
    int p = gap->fam->line[gap->k].comm_size;
    int next = gap->fam->line[gap->k + 1].comm_size;
    struct sums sum = add_up(gap, block, pick, 0);
    int inside = sum.count > 0;
    char error[80] = "";

    if (!inside)
        sum = add_up(gap, block, pick, 1);
    if (sum.count > 0) {
        row->seconds = exp(sum.mine / sum.count);
        row->library_seconds = exp(sum.base / sum.count);
        row->speedup = exp((sum.base - sum.mine) / sum.count);
        row->regret = expm1(sum.loss / sum.count);
    }
    if (pick == 0) {
        snprintf(row->reason, sizeof(row->reason), "between P = %d and %d:"
                 " nothing is faster for certain, or such guesses were wrong"
                 " by more than %g %%", p, next, 100 * CHORALE_DECIDE_ERROR);
        return;
    }
    row->basis = "modelled";
    if (inside)
        snprintf(error, sizeof(error),
                 "; such guesses were wrong by at most %.1f %%",
                 100 * sum.worst);
    snprintf(row->reason, sizeof(row->reason), "between P = %d and %d: expected"
             " to be the fastest%s", p, next, error);
}

/* The n at which choice a of stop i ends and b of the next begins. */
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
    return chorale_family_crossing(gap->n[i], gap->n[i + 1], left, right);
}

/* Append one row of a block. */
static int add_row(const struct gap *gap, const struct block *block,
                   struct chorale_decision **rows_p, size_t *count_p)
{
    size_t pick = gap->pick[block->begin * gap->nstop + block->first];
    struct chorale_decision *row = chorale_decision_add(
        gap->fam, pick, gap->first + (int)block->begin, rows_p, count_p);

    if (row == NULL)
        return -1;
    row->comm_size_hi = gap->first + (int)block->end;
    row->n_lo = block->lo;
    row->n_hi = block->hi;
    predict(gap, block, row);
    return 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Append the rows of a block within the hull: one for each run of layers in
 * which the hull cuts it at the same two sizes. */
static int add_within(const struct gap *gap, const struct block *block,
                      struct chorale_decision **rows_p, size_t *count_p)
{
    struct block part = *block;

    for (size_t next; part.begin <= block->end; part.begin = next) {
        part.lo = larger(block->lo, gap->lo[part.begin]);
        part.hi = smaller(block->hi, gap->hi[part.begin]);
        for (next = part.begin + 1; next <= block->end; next++)
            if (larger(block->lo, gap->lo[next]) != part.lo ||
                smaller(block->hi, gap->hi[next]) != part.hi)
                break;
        part.end = next - 1;
        if (part.lo <= part.hi && add_row(gap, &part, rows_p, count_p) != 0)
            return -1;
    }
    return 0;
}

/* Append the rows of one run of process counts. */
static int add_run(const struct gap *gap, size_t begin, size_t end,
                   struct chorale_decision **rows_p, size_t *count_p)
{
    const size_t *pick = gap->pick + begin * gap->nstop;
    struct block b = { .begin = begin, .end = end, .lo = gap->n[0] };

    for (; b.first < gap->nstop; b.first = b.last) {
        b.last = b.first + 1;
        while (b.last < gap->nstop && pick[b.last] == pick[b.first])
            b.last++;
        b.hi = b.last < gap->nstop
                   ? border(gap, begin, end, b.last - 1, pick[b.first],
                            pick[b.last])
                   : gap->n[gap->nstop - 1];
        if (add_within(gap, &b, rows_p, count_p) != 0)
            return -1;
        b.lo = b.hi + 1;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct chorale_decision *x = a, *y = b;

    if (x->comm_size != y->comm_size)
        return (x->comm_size > y->comm_size) - (x->comm_size < y->comm_size);
    return (x->n_lo > y->n_lo) - (x->n_lo < y->n_lo);
}

/* For a collective with unknown n: choose the variant that is predicted to be
 * faster than the library at all stops of a layer, and fastest on average. */
static void choose_one(struct gap *gap, size_t layer)
{
    const struct chorale_family *fam = gap->fam;
    double most = 0;
    size_t best = 0;

    for (size_t c = 1; c < fam->ncand; c++) {
        double gain = 0, least = INFINITY;

        for (size_t s = 0; s < gap->nstop; s++) {
            const double *score = gap->score + at(gap, layer, s);
            double faster = score[0] - score[c];

            if (!gap->inside[layer * gap->nstop + s])
                continue;
            least = isfinite(faster) ? fmin(least, faster) : -INFINITY;
            gain += faster;
        }
        if (least > log1p(fam->opts->threshold) && gain > most) {
            most = gain;
            best = c;
        }
    }
    for (size_t s = 0; s < gap->nstop; s++) {
        double *error = &gap->error[layer * gap->nstop + s];

        for (size_t c = 0; c < fam->ncand; c++)
            gap->loss[at(gap, layer, s) + c] = c == best ? 0 : INFINITY;
        if (best > 0)
            chorale_family_between(fam, gap->k, best, gap->n[s],
                                   gap->first + (int)layer, error);
    }
}

/* Append the rows of all layers of the gap. */
static int add_layers(struct gap *gap, struct chorale_decision **rows_p,
                      size_t *count_p)
{
    size_t nlayer = (size_t)gap->nlayer, before = *count_p;

    for (size_t layer = 0; layer < nlayer; layer++) {
        find_hull(gap, layer);
        for (size_t stop = 0; stop < gap->nstop; stop++) {
            gap->inside[layer * gap->nstop + stop] =
                is_inside(gap, layer, stop);
            guess(gap, layer, stop);
        }
        if (gap->blind)
            choose_one(gap, layer);
    }
    if (chorale_compact_layers(gap->loss, nlayer, gap->nstop, gap->fam->ncand,
                               gap->last, gap->pick) == 0)
        return -1;
    for (size_t layer = 0; layer < nlayer; layer = gap->last[layer] + 1)
        if (add_run(gap, layer, gap->last[layer], rows_p, count_p) != 0)
            return -1;
    if (*count_p > before)
        qsort(*rows_p + before, *count_p - before, sizeof(**rows_p),
              compare_rows);
    return 0;
}

int chorale_decide_between(const struct chorale_family *fam, size_t k,
                           struct chorale_decision **rows_p, size_t *count_p)
{
    const struct chorale_line *line = &fam->line[k];
    size_t room = line[0].nspot + line[1].nspot + MORE_STOPS, all;
    struct gap gap = { .fam = fam, .k = k,
                       .blind = chorale_decide_is_blind(fam->point->coll) };
    int last = line[1].comm_size - 1, rc = -1;

    if (last <= line[0].comm_size || line[0].comm_size < 2 ||
        last - line[0].comm_size > CHORALE_DECIDE_GAP)
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
    gap.inside = malloc(room * MAX_LAYERS);
    gap.lo = malloc(MAX_LAYERS * sizeof(*gap.lo));
    gap.hi = malloc(MAX_LAYERS * sizeof(*gap.hi));
    if (gap.n != NULL && gap.near != NULL && gap.may != NULL &&
        gap.wrong != NULL && gap.score != NULL && gap.seconds != NULL &&
        gap.loss != NULL && gap.last != NULL && gap.pick != NULL &&
        gap.error != NULL && gap.inside != NULL && gap.lo != NULL &&
        gap.hi != NULL) {
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
    free(gap.inside);
    free(gap.lo);
    free(gap.hi);
    return rc;
}
