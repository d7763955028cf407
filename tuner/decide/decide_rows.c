/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_rows.c - the row of a rectangle: its times, gain and reason, measured
 * if it contains a measured point, else predicted. */
#include "tuner/decide/decide_grid.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The measured spots of a rectangle, ordered by process count. */
struct list {
    const struct chorale_decide_opts *opts;
    const struct chorale_measured **spot;
    size_t nspot;
};

static const struct chorale_cand *choice(const struct chorale_measured *spot)
{
    return &spot->cand[spot->pick];
}

/* The end of the spots that have the process count of spot i. */
static size_t line_end(const struct list *list, size_t i)
{
    size_t end = i + 1;

    while (end < list->nspot && list->spot[end]->point->comm_size ==
                                    list->spot[i]->point->comm_size)
        end++;
    return end;
}

/* The noun for a spot: "size" if all have one process count, else "point". */
static const char *unit(const struct list *list)
{
    return line_end(list, 0) == list->nspot ? "size" : "point";
}

/* Mean over spots [first, end) of the choice's gain in one launch. */
static double launch_mean(const struct list *list, size_t first, size_t end,
                          const char *launch)
{
    double sum = 0;

    for (size_t i = first; i < end; i++)
        sum += chorale_spot_gain(list->spot[i], launch);
    return sum / (double)(end - first);
}

/* Gains of the choice at a spot. */
static struct chorale_sample spot_gains(const struct chorale_measured *spot)
{
    struct chorale_sample gains = { 0, 0, 0 };

    for (size_t l = 0; l < spot->nlaunch; l++)
        chorale_gains_add(&gains, chorale_spot_gain(spot, spot->launch[l]));
    return gains;
}

/* A mean log gain. variance: of the mean; NAN: no interval. */
struct estimate {
    double mean, variance, dof;
};

/* The gain over the spots of one process count, from the launches that ran them
 * all. */
static struct estimate line_gain(const struct list *list, size_t first,
                                 size_t end)
{
    const struct chorale_measured *s = list->spot[first];
    struct chorale_sample gains = { 0, 0, 0 };
    struct estimate e = { 0, NAN, 1 };

    for (size_t i = first; i < end; i++)
        e.mean += spot_gains(list->spot[i]).mean / (double)(end - first);
    for (size_t l = 0; l < s->nlaunch; l++)
        chorale_gains_add(&gains, launch_mean(list, first, end, s->launch[l]));
    if (list->opts->simulated && gains.n == 1)
        e.variance = 0;
    if (gains.n < 2)
        return e;
    e.mean = gains.mean;
    e.variance = pow(chorale_mean_error(&s->spread, &gains, &e.dof), 2);
    return e;
}

/* Speed-up of a row with its interval. Launches of different process counts are
 * independent: the variances of their means add up, with degrees of freedom by
 * Welch and Satterthwaite. Without a variance of each there is no interval.
 * Source  Satterthwaite, Biometrics Bulletin 2(6), 1946. */
static void speedup(const struct list *list, struct chorale_decision *row)
{
    double mean = 0, variance = 0, quartic = 0, error;

    for (size_t i = 0, end; i < list->nspot; i = end) {
        struct estimate e;
        double share;

        end = line_end(list, i);
        e = line_gain(list, i, end);
        share = (double)(end - i) / (double)list->nspot;
        mean += share * e.mean;
        e.variance *= share * share;
        variance += e.variance;
        quartic += e.variance * e.variance / e.dof;
    }
    row->speedup = exp(mean);
    if (isnan(variance))
        return;
    error = variance > 0 ? sqrt(variance) *
                               gsl_cdf_tdist_Pinv(0.975, variance * variance /
                                                             quartic)
                         : 0;
    row->speedup_lo = exp(mean - error);
    row->speedup_hi = exp(mean + error);
}

/* The best log gain at a spot. On a real system the best candidate of all
 * launches seems better than it is, so its gain is cross-fitted. Simulated
 * times are exact. */
static double best_gain(const struct chorale_measured *s, int simulated)
{
    double most = chorale_spot_sample(s).mean;

    for (size_t c = 0; simulated && c < s->ncand; c++)
        if (s->cand[c].place >= 0)
            most = fmax(most, chorale_cand_mean(s, c, NULL, NULL));
    return most;
}

/* Geometric means of the times, and the regret. */
static void times(const struct list *list, struct chorale_decision *row)
{
    double mine = 0, base = 0, loss = 0;
    double k = (double)list->nspot;

    for (size_t i = 0; i < list->nspot; i++) {
        const struct chorale_measured *s = list->spot[i];
        double own = spot_gains(s).mean, sum = 0, n = 0;

        for (size_t l = 0; l < s->nlaunch; l++) {
            if (isnan(chorale_spot_gain(s, s->launch[l])))
                continue;
            sum += s->library[l];
            n++;
        }
        base += sum / n / k;
        mine += (sum / n - own) / k;
        loss += fmax(0, best_gain(s, list->opts->simulated) - own) / k;
    }
    row->seconds = exp(mine);
    row->library_seconds = exp(base);
    row->regret = fmax(0, expm1(loss));
}

/* Describe why the library stays, with the number of spots for each reason. */
static void reason_library(const struct list *list, char *text, size_t size)
{
    const char *const words[CHORALE_NWHY] = {
        [CHORALE_WHY_ONE_RANK] = "one rank has nothing to communicate",
        [CHORALE_WHY_UNUSABLE] =
            "no usable measurement (oversubscribed, failed or not equal)",
        [CHORALE_WHY_NONE] = "no variant was measured that ran correctly",
        [CHORALE_WHY_OTHER] = list->opts->rules
            ? "no algorithm of the library itself was measured"
            : "only the library's own algorithms were measured, which"
              " are for its rule files",
        [CHORALE_WHY_EXCLUDED] =
            "no variant that ran correctly may be chosen" CHORALE_DECIDE_SEE,
        [CHORALE_WHY_SLOWER] = "no variant is faster",
        [CHORALE_WHY_LAUNCHES] =
            "not enough launches that count to confirm a choice (it takes 3)",
        [CHORALE_WHY_THRESHOLD] = "the gain is below the threshold",
        [CHORALE_WHY_INSIGNIFICANT] = "the gain may be chance",
        [CHORALE_WHY_GAIN] = "a small gain is given up for fewer ranges",
        [CHORALE_WHY_BLIND] = "no variant is as fast at all sizes, and not all"
                              " ranks know the size",
    };
    size_t count[CHORALE_NWHY] = { 0 }, used = 0;

    _Static_assert(CHORALE_DECIDE_LAUNCHES == 3, "as the text above states");
    for (size_t i = 0; i < list->nspot; i++)
        count[list->spot[i]->why]++;
    text[0] = '\0';
    for (int w = 0; w < CHORALE_NWHY && used < size; w++) {
        if (count[w] == 0 || words[w] == NULL)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used > 0 ? "; " : "", words[w]);
        if (count[w] < list->nspot && used < size)
            used += (size_t)snprintf(text + used, size - used,
                                     " at %zu of %zu %ss", count[w],
                                     list->nspot, unit(list));
    }
}

static void reason_gain(const struct list *list, char *text, size_t size)
{
    double least = INFINITY, p = 0;
    size_t k = list->nspot;
    const char *s = k == 1 ? "" : "s";

    for (size_t i = 0; i < list->nspot; i++) {
        least = fmin(least, spot_gains(list->spot[i]).n);
        p = fmax(p, choice(list->spot[i])->p);
    }
    if (list->opts->simulated)
        snprintf(text, size, "faster than the library in simulation at %zu"
                 " measured %s%s", k, unit(list), s);
    else
        snprintf(text, size, "faster than the library at %zu measured"
                 " %s%s, confirmed in %g launches, each for the choice of"
                 " the others (p %s %.2g)", k, unit(list), s, least,
                 k == 1 ? "=" : "<=", p);
}

/* Append a row with the choice of a rectangle; NULL: out of memory. */
static struct chorale_decision *add_row(const struct chorale_grid *grid,
                                        const struct chorale_rectangle *r,
                                        struct chorale_decision **rows_p,
                                        size_t *count_p)
{
    const struct chorale_family *fam = grid->fam;
    const struct chorale_run_point *point = fam->point;
    struct chorale_decision *rows, *row;

    rows = realloc(*rows_p, (*count_p + 1) * sizeof(*rows));
    if (rows == NULL)
        return NULL;
    *rows_p = rows;
    row = &rows[(*count_p)++];
    *row = (struct chorale_decision){
        .coll = point->coll, .comm_size = grid->layer[r->begin].first,
        .comm_size_hi = grid->layer[r->end].last, .ppn = point->ppn,
        .shape = point->shape, .dtype = point->dtype, .op = point->op,
        .op_class = point->op_class, .n_lo = r->lo, .n_hi = r->hi,
        .run = fam->cand[grid->member[r->cand]].run, .basis = "library",
        .seconds = NAN, .library_seconds = NAN,
        .speedup = NAN, .speedup_lo = NAN, .speedup_hi = NAN,
        .regret = NAN,
    };
    return row;
}

/* Sums over the stops of a rectangle. */
struct sums {
    double mine, base, loss, worst, count;
};

static void add_stop(const struct chorale_grid *grid, size_t layer, size_t stop,
                     size_t cand, struct sums *sum)
{
    size_t at = chorale_grid_at(grid, layer, stop);
    const double *t = grid->seconds + at;

    if (!isfinite(t[cand]) || !isfinite(t[0]))
        return;
    sum->mine += t[cand];
    sum->base += t[0];
    sum->loss += grid->loss[at + cand];
    sum->worst = fmax(sum->worst, grid->error[layer * grid->nstop + stop]);
    sum->count++;
}

/* Add up over the stops of a rectangle within the hull. next_to: also over the
 * stops next to the rectangle, and outside the hull. */
static struct sums add_up(const struct chorale_grid *grid,
                          const struct chorale_rectangle *r, int next_to)
{
    struct sums sum = { 0, 0, 0, 0, 0 };

    for (size_t layer = r->begin; layer <= r->end; layer++)
        for (size_t s = 0; s < grid->nstop; s++) {
            size_t n = grid->n[s];
            int in = n >= r->lo && n <= r->hi &&
                     grid->inside[layer * grid->nstop + s];

            if (next_to)
                in = (n <= r->hi || s == 0 || grid->n[s - 1] <= r->hi) &&
                     (n >= r->lo || s + 1 == grid->nstop ||
                      grid->n[s + 1] >= r->lo);
            if (in)
                add_stop(grid, layer, s, r->cand, &sum);
        }
    return sum;
}

/* Set the times of a row to the means over the stops. */
static void put_means(const struct sums *sum, struct chorale_decision *row)
{
    if (sum->count == 0)
        return;
    row->seconds = exp(sum->mine / sum->count);
    row->library_seconds = exp(sum->base / sum->count);
    row->speedup = exp((sum->base - sum->mine) / sum->count);
    row->regret = expm1(sum->loss / sum->count);
}

/* Describe a predicted choice. */
static void reason_predicted(const struct chorale_grid *grid,
                             const struct chorale_rectangle *r,
                             const struct sums *sum, char *text, size_t size)
{
    const struct chorale_layer *a = &grid->layer[r->begin];
    const struct chorale_layer *b = &grid->layer[r->end];
    const struct chorale_line *line = grid->fam->line;
    int p = line[a->line].comm_size;
    int next = line[b->line + !b->measured].comm_size;
    size_t used;

    if (p == next) {
        snprintf(text, size, r->cand == 0
                     ? "between two measured sizes no variant is expected to"
                       " be faster"
                     : "between two measured sizes it is expected to be the"
                       " fastest");
        return;
    }
    if (r->cand == 0) {
        snprintf(text, size, "between P = %d and %d: no variant is faster for"
                 " certain, or such predictions were wrong by more than %g %%",
                 p, next, 100 * CHORALE_DECIDE_ERROR);
        return;
    }
    used = (size_t)snprintf(text, size, "between P = %d and %d: expected to be"
                            " the fastest", p, next);
    if (sum != NULL && used < size)
        snprintf(text + used, size - used, "; such predictions were wrong by"
                 " at most %.1f %%", 100 * sum->worst);
}

/* Fill a row without a measured point from the model's predictions. */
static void predict(const struct chorale_grid *grid,
                    const struct chorale_rectangle *r,
                    struct chorale_decision *row)
{
    struct sums sum = add_up(grid, r, 0);
    int inside = sum.count > 0;

    if (!inside)
        sum = add_up(grid, r, 1);
    put_means(&sum, row);
    if (r->cand != 0)
        row->basis = "modelled";
    reason_predicted(grid, r, inside ? &sum : NULL, row->reason,
                     sizeof(row->reason));
}

/* Collect the measured spots of a rectangle, and mark the choice in them. */
static void gather(const struct chorale_grid *grid,
                   const struct chorale_rectangle *r, struct list *list)
{
    const struct chorale_run_point *run =
        grid->fam->cand[grid->member[r->cand]].run;

    for (size_t layer = r->begin; layer <= r->end; layer++)
        for (size_t i = 0; i < grid->nstop; i++) {
            struct chorale_measured *s = grid->spot[layer * grid->nstop + i];
            size_t c;

            if (s == NULL || grid->n[i] < r->lo || grid->n[i] > r->hi)
                continue;
            list->spot[list->nspot++] = s;
            c = chorale_spot_find(s, run);
            if (c < s->ncand)
                s->pick = c;
        }
}

/* List the arrival patterns of the spots in text, separated by commas. */
static void name_arrivals(const struct list *list, char *text, size_t size)
{
    size_t len = 0;

    for (size_t i = 0; i < list->nspot; i++) {
        const char *name = list->spot[i]->point->arrival;
        size_t k = 0;

        while (list->spot[k]->point->arrival != name)
            k++;
        if (k < i)
            continue;
        if (len + strlen(name) + 5 > size) {
            strcpy(text + len, ",...");
            return;
        }
        len += (size_t)snprintf(text + len, size - len, "%s%s",
                                len > 0 ? "," : "", name);
    }
}

/* Fill a row from its measured spots. */
static void measure(const struct list *list, struct chorale_decision *row)
{
    times(list, row);
    if (row->run == &chorale_library_run) {
        row->speedup = 1;
        reason_library(list, row->reason, sizeof(row->reason));
        return;
    }
    row->basis = "measured";
    speedup(list, row);
    reason_gain(list, row->reason, sizeof(row->reason));
}

/* Fill a row from smoothed times. */
static void explore(const struct chorale_grid *grid,
                    const struct chorale_rectangle *r, size_t nspot,
                    struct chorale_decision *row)
{
    const struct sums sum = add_up(grid, r, 0);

    put_means(&sum, row);
    if (r->cand != 0)
        row->basis = nspot > 0 ? "measured" : "modelled";
    chorale_smooth_reason(grid, r, nspot, row->reason, sizeof(row->reason));
}

int chorale_grid_row(const struct chorale_grid *grid,
                     const struct chorale_rectangle *r,
                     struct chorale_decision **rows_p, size_t *count_p)
{
    struct chorale_decision *row = add_row(grid, r, rows_p, count_p);
    struct list list = { .opts = grid->fam->opts };
    size_t room = 1;

    for (size_t layer = r->begin; layer <= r->end; layer++)
        room += grid->layer[layer].measured ? grid->nstop : 0;
    list.spot = malloc(room * sizeof(*list.spot));
    if (row == NULL || list.spot == NULL) {
        free(list.spot);
        return -1;
    }
    gather(grid, r, &list);
    row->nspot = list.nspot;
    name_arrivals(&list, row->arrival, sizeof(row->arrival));
    if (r->gap)
        snprintf(row->reason, sizeof(row->reason), "between two sizes neither"
                 " choice is known to be faster");
    else if (grid->fam->smooth != NULL &&
             (list.nspot == 0 ||
              grid->fam->opts->smooth == CHORALE_SMOOTH_ALL))
        explore(grid, r, list.nspot, row);
    else if (list.nspot > 0)
        measure(&list, row);
    else
        predict(grid, r, row);
    free(list.spot);
    return 0;
}
