/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_ranges.c - turn the choices at the measured sizes of a line into
 * ranges of n, with their gain and reason. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/merge_ranges.h"
#include "tuner/decide/family.h"

#define BETWEEN 3 /* stops between two measured sizes */
#define SAME 1e-9 /* log units: equal times */

/* Stops [first, last) of a line share one choice in [lo, hi]; first == last for
 * a gap between two stops. */
struct range {
    size_t lo, hi, first, last;
};

/* A size of a line: measured, or predicted between two measured ones. */
struct stop {
    size_t n;
    struct chorale_measured *spot; /* NULL: predicted */
    size_t before;           /* spot at or before it */
};

struct list {
    const struct chorale_family *fam;
    size_t line;
    const struct chorale_decide_opts *opts;
    struct chorale_decision **rows_p;
    size_t *count_p;
    struct stop *stop;
    size_t nstop;
    double *seconds, *loss;  /* [nstop][ncand], logarithms of seconds */
    unsigned char *near;     /* [ncand] worth a prediction */
    size_t *pick;            /* [nstop] */
    const struct chorale_measured **spot; /* the measured spots of a range */
    size_t nspot;
};

static const struct chorale_cand *choice(const struct chorale_measured *spot)
{
    return &spot->cand[spot->pick];
}

/* Mean over the spots of a range of the choice's gain in one launch. */
static double launch_mean(const struct list *list, const char *launch)
{
    double sum = 0;

    for (size_t i = 0; i < list->nspot; i++)
        sum += chorale_spot_gain(list->spot[i], launch);
    return sum / (double)list->nspot;
}

/* Gains of the choice at a spot. */
static struct chorale_sample spot_gains(const struct chorale_measured *spot)
{
    struct chorale_sample gains = { 0, 0, 0 };

    for (size_t l = 0; l < spot->nlaunch; l++)
        chorale_sample_add(&gains, chorale_spot_gain(spot, spot->launch[l]));
    return gains;
}

/* Speed-up of a range, with its interval over the launches that ran all its
 * sizes. */
static void speedup(const struct list *list, struct chorale_decision *row)
{
    const struct chorale_measured *s = list->spot[0];
    struct chorale_sample gains = { 0, 0, 0 };
    double mean = 0, error, dof;

    for (size_t i = 0; i < list->nspot; i++)
        mean += spot_gains(list->spot[i]).mean / (double)list->nspot;
    row->speedup = exp(mean);
    for (size_t l = 0; l < s->nlaunch; l++)
        chorale_sample_add(&gains, launch_mean(list, s->launch[l]));
    if (list->opts->simulated && gains.n == 1) {
        row->speedup_lo = row->speedup_hi = row->speedup;
        return;
    }
    if (gains.n < 2)
        return;
    error = chorale_mean_error(&s->spread, &gains, &dof);
    error *= gsl_cdf_tdist_Pinv(0.975, dof);
    row->speedup = exp(gains.mean);
    row->speedup_lo = exp(gains.mean - error);
    row->speedup_hi = exp(gains.mean + error);
}

/* Geometric means of the times, and the regret. */
static void times(const struct list *list, struct chorale_decision *row)
{
    double mine = 0, base = 0, loss = 0;
    double k = (double)list->nspot;

    for (size_t i = 0; i < list->nspot; i++) {
        const struct chorale_measured *s = list->spot[i];
        double own = chorale_cand_mean(s, s->pick, NULL, NULL), most = own;
        double sum = 0, n = 0;

        for (size_t l = 0; l < s->nlaunch; l++) {
            if (isnan(chorale_spot_gain(s, s->launch[l])))
                continue;
            sum += s->library[l];
            n++;
        }
        base += sum / n / k;
        mine += (sum / n - spot_gains(s).mean) / k;
        for (size_t c = 0; c < s->ncand; c++)
            if (s->cand[c].place >= 0)
                most = fmax(most, chorale_cand_mean(s, c, NULL, NULL));
        loss += (most - own) / k;
    }
    row->seconds = exp(mine);
    row->library_seconds = exp(base);
    row->regret = fmax(0, expm1(loss));
}

/* Describe why the library stays, with the number of sizes for each reason. */
static void reason_library(const struct list *list, char *text, size_t size)
{
    static const char *const words[CHORALE_NWHY] = {
        [CHORALE_WHY_ONE_RANK] = "one rank has nothing to communicate",
        [CHORALE_WHY_UNUSABLE] =
            "no usable measurement (oversubscribed, failed or not equal)",
        [CHORALE_WHY_NONE] = "no variant was measured that ran correctly",
        [CHORALE_WHY_EXCLUDED] =
            "no variant that ran correctly may be chosen (--explain says why)",
        [CHORALE_WHY_SLOWER] = "no variant is faster",
        [CHORALE_WHY_LAUNCHES] =
            "not enough launches that count to confirm a choice (it takes 3)",
        [CHORALE_WHY_THRESHOLD] = "the gain is below the threshold",
        [CHORALE_WHY_INSIGNIFICANT] = "the gain may be chance",
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
                                     " at %zu of %zu sizes", count[w],
                                     list->nspot);
    }
}

static void reason_gain(const struct list *list, char *text, size_t size)
{
    double least = INFINITY, p = 0;
    size_t k = list->nspot;

    for (size_t i = 0; i < list->nspot; i++) {
        least = fmin(least, spot_gains(list->spot[i]).n);
        p = fmax(p, choice(list->spot[i])->p);
    }
    if (list->opts->simulated)
        snprintf(text, size, "faster than the library in simulation at %zu"
                 " measured size%s", k, k == 1 ? "" : "s");
    else
        snprintf(text, size, "faster than the library at %zu measured"
                 " size%s, confirmed in %g launches, each for the choice of"
                 " the others (p %s %.2g)", k, k == 1 ? "" : "s", least,
                 k == 1 ? "=" : "<=", p);
}

struct chorale_decision *
chorale_decision_add(const struct chorale_family *fam, size_t member,
                     int comm_size,
                     struct chorale_decision **rows_p, size_t *count_p)
{
    const struct chorale_run_point *point = fam->point;
    struct chorale_decision *rows, *row;

    rows = realloc(*rows_p, (*count_p + 1) * sizeof(*rows));
    if (rows == NULL)
        return NULL;
    *rows_p = rows;
    row = &rows[(*count_p)++];
    *row = (struct chorale_decision){
        .coll = point->coll, .comm_size = comm_size,
        .comm_size_hi = comm_size, .ppn = point->ppn, .shape = point->shape,
        .dtype = point->dtype, .op = point->op, .op_class = point->op_class,
        .run = fam->cand[member].run, .basis = "library",
        .seconds = NAN, .library_seconds = NAN,
        .speedup = NAN, .speedup_lo = NAN, .speedup_hi = NAN,
        .regret = NAN,
    };
    return row;
}

/* Fill a row without a measured size from the model's predictions. */
static void predict(const struct list *list, const struct range *r,
                     struct chorale_decision *row)
{
    size_t ncand = list->fam->ncand, pick = list->pick[r->first];
    double mine = 0, base = 0, loss = 0, k = (double)(r->last - r->first);

    for (size_t i = r->first; i < r->last; i++) {
        mine += list->seconds[i * ncand + pick] / k;
        base += list->seconds[i * ncand] / k;
        loss += list->loss[i * ncand + pick] / k;
    }
    row->seconds = exp(mine);
    row->library_seconds = exp(base);
    row->speedup = exp(base - mine);
    row->regret = expm1(loss);
    if (pick == 0) {
        snprintf(row->reason, sizeof(row->reason), "between two measured"
                 " sizes nothing is expected to be faster");
        return;
    }
    row->basis = "modelled";
    snprintf(row->reason, sizeof(row->reason), "between two measured sizes it"
             " is expected to be the fastest");
}

/* Collect the measured spots of a range, and mark the choice in them. */
static void gather(struct list *list, const struct range *r)
{
    const struct chorale_run_point *run =
        list->fam->cand[list->pick[r->first]].run;

    list->nspot = 0;
    for (size_t i = r->first; i < r->last; i++) {
        struct chorale_measured *s = list->stop[i].spot;
        size_t c;

        if (s == NULL)
            continue;
        list->spot[list->nspot++] = s;
        c = chorale_spot_find(s, run);
        if (c < s->ncand)
            s->pick = c;
    }
}

/* Names the arrival patterns of the gathered spots. */
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

/* Append the row of a range. */
static int add(struct list *list, const struct range *r)
{
    size_t pick = r->first == r->last ? 0 : list->pick[r->first];
    struct chorale_decision *row = chorale_decision_add(
        list->fam, pick, list->fam->line[list->line].comm_size, list->rows_p,
        list->count_p);

    if (row == NULL)
        return -1;
    row->n_lo = r->lo;
    row->n_hi = r->hi;
    if (r->first == r->last) {
        snprintf(row->reason, sizeof(row->reason), "between two sizes whose"
                 " choices were not both measured at both");
        return 0;
    }
    gather(list, r);
    row->nspot = list->nspot;
    name_arrivals(list, row->arrival, sizeof(row->arrival));
    if (list->nspot == 0) {
        predict(list, r, row);
        return 0;
    }
    times(list, row);
    if (pick == 0) {
        row->speedup = 1;
        reason_library(list, row->reason, sizeof(row->reason));
        return 0;
    }
    row->basis = "measured";
    speedup(list, row);
    reason_gain(list, row->reason, sizeof(row->reason));
    return 0;
}

/* Log seconds of candidate cand at a stop. If it was not measured there, it is
 * predicted at n, unless cand or other is the library. */
static double known(const struct list *list, size_t stop, size_t cand,
                    size_t other, size_t n)
{
    double t = list->seconds[stop * list->fam->ncand + cand];

    return isnan(t) && cand != 0 && other != 0
               ? chorale_family_on(list->fam, list->line, cand, n) : t;
}

/* End range r before stop i, whose choice differs, and begin the next one. */
static int change(struct list *list, struct range *r, size_t i)
{
    size_t a = list->pick[i - 1], b = list->pick[i];
    size_t n_a = list->stop[i - 1].n, n_b = list->stop[i].n, next = n_b;
    double a_a = known(list, i - 1, a, b, n_a + 1);
    double a_b = known(list, i - 1, b, a, n_a + 1);
    double b_a = known(list, i, a, b, n_b - 1);
    double b_b = known(list, i, b, a, n_b - 1);
    int left = isfinite(a_a) && isfinite(a_b);
    int right = isfinite(b_a) && isfinite(b_b);
    struct range gap = { n_a + 1, n_b - 1, i, i };
    int need_gap = 0;

    r->last = i;
    r->hi = n_a;
    if (left && right) {
        r->hi = chorale_family_crossing(n_a, n_b, a_b - a_a, b_a - b_b);
        next = r->hi + 1;
    } else if (a == 0 || right) {
        r->hi = n_b - 1;
    } else if (b == 0 || left) {
        next = n_a + 1;
    } else {
        need_gap = gap.lo <= gap.hi;
    }
    if (add(list, r) != 0 || (need_gap && add(list, &gap) != 0))
        return -1;
    *r = (struct range){ .lo = next, .first = i };
    return 0;
}

/* 1 if the member is the choice of a spot or may replace it. */
static int is_confirmed(const struct list *list,
                        const struct chorale_measured *s,
                        size_t member)
{
    size_t c = chorale_spot_find(s, list->fam->cand[member].run);

    return c > 0 && c < s->ncand && isfinite(s->cand[c].loss);
}

/* Times and losses of a predicted stop. */
static void guess(struct list *list, size_t i, unsigned char *may)
{
    const struct chorale_family *fam = list->fam;
    const struct chorale_line *line = &fam->line[list->line];
    const struct chorale_measured *a = &line->spot[list->stop[i].before];
    double *seconds = list->seconds + i * fam->ncand;
    size_t n = list->stop[i].n;

    memset(list->near, 0, fam->ncand);
    chorale_family_near(fam, list->line, n, list->near);
    for (size_t c = 0; c < fam->ncand; c++) {
        may[c] = a[0].pick != 0 || a[1].pick != 0;
        if (!list->opts->simulated)
            may[c] = is_confirmed(list, &a[0], c) ||
                     is_confirmed(list, &a[1], c);
        seconds[c] = NAN;
        may[c] &= list->near[c];
        if (c == 0 ||
            (may[c] &&
             chorale_family_excluded(fam, c, n, line->comm_size) == NULL))
            seconds[c] = chorale_family_on(fam, list->line, c, n);
    }
    chorale_family_losses(fam, seconds, may, list->loss + i * fam->ncand);
    if (chorale_decide_is_blind(fam->point->coll)) /* copy the previous stop */
        memcpy(list->loss + i * fam->ncand,
               list->loss + (i - 1) * fam->ncand,
               fam->ncand * sizeof(*list->loss));
}

/* Times and losses of a measured stop. */
static void take(struct list *list, size_t i, const double *measured)
{
    const struct chorale_family *fam = list->fam;
    const struct chorale_measured *s = list->stop[i].spot;

    for (size_t c = 0; c < fam->ncand; c++) {
        size_t k = chorale_spot_find(s, fam->cand[c].run);

        list->seconds[i * fam->ncand + c] = measured[c];
        list->loss[i * fam->ncand + c] = k < s->ncand ? s->cand[k].loss
                                                      : INFINITY;
    }
}

/* The stops of a line: the measured sizes and BETWEEN more in wide gaps. */
static void find_stops(struct list *list, struct chorale_measured *spot,
                       size_t nspot)
{
    for (size_t i = 0; i < nspot; i++) {
        size_t a = spot[i].point->n, b = a, last = a;

        list->stop[list->nstop++] = (struct stop){ a, &spot[i], i };
        if (i + 1 < nspot)
            b = spot[i + 1].point->n;
        for (int k = 1; k <= BETWEEN && a > 0 && b >= 2 * a && b - a > BETWEEN;
             k++) {
            size_t n = (size_t)((double)a * pow((double)b / (double)a,
                                                k / (BETWEEN + 1.0)));

            if (n <= last || n >= b)
                continue;
            list->stop[list->nstop++] = (struct stop){ n, NULL, i };
            last = n;
        }
    }
}

static int line_rows(struct list *list)
{
    const struct chorale_line *line = &list->fam->line[list->line];
    struct range r = { .lo = line->spot[0].point->n };
    unsigned char *may = malloc(list->fam->ncand);

    if (may == NULL)
        return -1;
    /* The choices of a range are marked in its spots. */
    find_stops(list, line->spot, line->nspot);
    for (size_t i = 0; i < list->nstop; i++)
        if (list->stop[i].spot != NULL)
            take(list, i, line->log_time +
                          list->stop[i].before * list->fam->ncand);
        else
            guess(list, i, may);
    free(may);
    if (chorale_compact_line(list->loss, list->nstop, list->fam->ncand,
                             list->pick) == 0)
        return -1;
    for (size_t i = 1; i < list->nstop; i++)
        if (list->pick[i] != list->pick[i - 1] && change(list, &r, i) != 0)
            return -1;
    r.last = list->nstop;
    r.hi = list->stop[list->nstop - 1].n;
    return add(list, &r);
}

int chorale_decide_rows(const struct chorale_family *fam, size_t line,
                        struct chorale_decision **rows_p, size_t *count_p)
{
    size_t room = fam->line[line].nspot * (BETWEEN + 1) + 1;
    struct list list = { .fam = fam, .line = line, .opts = fam->opts,
                         .rows_p = rows_p, .count_p = count_p };
    int rc = -1;

    list.stop = malloc(room * sizeof(*list.stop));
    list.seconds = calloc(room * fam->ncand, sizeof(double));
    list.loss = calloc(room * fam->ncand, sizeof(double));
    list.near = malloc(fam->ncand);
    list.pick = malloc(room * sizeof(*list.pick));
    list.spot = malloc(room * sizeof(*list.spot));
    if (list.stop != NULL && list.seconds != NULL && list.loss != NULL &&
        list.near != NULL && list.pick != NULL && list.spot != NULL)
        rc = line_rows(&list);
    free(list.stop);
    free(list.seconds);
    free(list.loss);
    free(list.near);
    free(list.pick);
    free(list.spot);
    return rc;
}
