/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_rows.c - from choices at the measured sizes to ranges of n: where a
 * choice reaches, what it gains there, and why, in words. */
#include "tuner/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spots [first, last) of a group share one choice in [lo, hi]; first == last
 * in a gap between two measured sizes. */
struct range {
    size_t lo, hi, first, last;
};

struct list {
    struct chorale_decision **rows_p;
    size_t *count_p;
    const struct chorale_spot *spot;
    const struct chorale_decide_opts *opts;
};

static const struct chorale_cand *choice(const struct chorale_spot *spot)
{
    return &spot->cand[spot->pick];
}

static int same_choice(const struct chorale_cand *a,
                       const struct chorale_cand *b)
{
    return strcmp(a->provider, b->provider) == 0 &&
           strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->params, b->params) == 0;
}

/* Mean log ratio of a choice at another size; NAN where it has none. */
static double ratio_at(const struct chorale_spot *spot,
                       const struct chorale_cand *cand)
{
    for (size_t c = 0; c < spot->ncand; c++)
        if (spot->cand[c].place >= 0 && same_choice(&spot->cand[c], cand))
            return chorale_spot_mean(spot, c, NULL, NULL);
    return NAN;
}

/* Last n at which a, best at the smaller size, beats b, best at the larger:
 * the crossing of their times, interpolated in log n and log time. 0 if one
 * of them lacks a measurement. */
static int crossing(const struct chorale_spot *a, const struct chorale_spot *b,
                    size_t *n_p)
{
    double left = ratio_at(a, choice(a)) - ratio_at(a, choice(b));
    double right = ratio_at(b, choice(b)) - ratio_at(b, choice(a));
    double from = log(fmax((double)a->point->n, 1));
    double to = log((double)b->point->n), n;
    size_t last = b->point->n - 1;

    if (isnan(left) || isnan(right))
        return 0;
    left = fmax(left, 0);
    right = fmax(right, 0);
    n = left + right > 0 ? exp(from + (to - from) * left / (left + right))
                         : (double)a->point->n;
    *n_p = n >= (double)last ? last : (size_t)n;
    if (*n_p < a->point->n)
        *n_p = a->point->n;
    return 1;
}

/* Mean over the spots of a range of the choice's log ratio in one launch. */
static double launch_mean(const struct list *list, const struct range *r,
                          const char *launch)
{
    double sum = 0;

    for (size_t i = r->first; i < r->last; i++) {
        const struct chorale_spot *s = &list->spot[i];
        size_t l = 0;

        while (l < s->nlaunch && s->launch[l] != launch)
            l++;
        if (l == s->nlaunch)
            return NAN;
        sum += choice(s)->ratio[l];
    }
    return sum / (double)(r->last - r->first);
}

/* 1 if some launch confirms at this spot. */
static int any_confirms(const struct chorale_spot *spot)
{
    return memchr(spot->confirms, 1, spot->nlaunch) != NULL;
}

/* Speed-up of a range with its interval over the confirming launches that
 * ran all its sizes. */
static void speedup(const struct list *list, const struct range *r,
                    struct chorale_decision *row)
{
    const struct chorale_spot *s = &list->spot[r->first];
    double mean = 0, sum = 0, squares = 0, n = 0, half;

    for (size_t i = r->first; i < r->last; i++)
        mean += chorale_spot_mean(&list->spot[i], list->spot[i].pick,
                                  list->spot[i].confirms, NULL) /
                (double)(r->last - r->first);
    row->speedup = exp(mean);
    for (size_t l = 0; l < s->nlaunch; l++) {
        double x = s->confirms[l] ? launch_mean(list, r, s->launch[l]) : NAN;

        if (isnan(x))
            continue;
        sum += x;
        squares += x * x;
        n++;
    }
    if (list->opts->simulated && n == 1) {
        row->speedup_lo = row->speedup_hi = row->speedup;
        return;
    }
    if (n < 2)
        return;
    mean = sum / n;
    half = gsl_cdf_tdist_Pinv(0.975, n - 1) *
           sqrt(fmax(0, squares - n * mean * mean) / (n - 1) / n);
    row->speedup = exp(mean);
    row->speedup_lo = exp(mean - half);
    row->speedup_hi = exp(mean + half);
}

/* Geometric means of the times, and what is lost against the best. */
static void times(const struct list *list, const struct range *r,
                  struct chorale_decision *row)
{
    double mine = 0, base = 0, loss = 0;
    double k = (double)(r->last - r->first);

    for (size_t i = r->first; i < r->last; i++) {
        const struct chorale_spot *s = &list->spot[i];
        const unsigned char *mask = any_confirms(s) ? s->confirms : NULL;
        double own = chorale_spot_mean(s, s->pick, mask, NULL), most = own;
        double sum = 0, n = 0;

        for (size_t l = 0; l < s->nlaunch; l++) {
            if ((mask != NULL && !mask[l]) || isnan(choice(s)->ratio[l]))
                continue;
            sum += s->library[l];
            n++;
        }
        base += sum / n / k;
        mine += (sum / n - own) / k;
        for (size_t c = 0; c < s->ncand; c++)
            if (s->cand[c].place >= 0)
                most = fmax(most, chorale_spot_mean(s, c, mask, NULL));
        loss += (most - own) / k;
    }
    row->seconds = exp(mine);
    row->library_seconds = exp(base);
    row->regret = fmax(0, expm1(loss));
}

/* Why the library stays, by how many of the sizes. */
static void reason_library(const struct list *list, const struct range *r,
                           char *text, size_t size)
{
    static const char *const words[CHORALE_NWHY] = {
        [CHORALE_WHY_ALONE] = "one rank has nothing to communicate",
        [CHORALE_WHY_UNUSABLE] =
            "no usable measurement (oversubscribed, failed or not equal)",
        [CHORALE_WHY_NONE] = "no variant ran correctly",
        [CHORALE_WHY_SLOWER] = "no variant is faster",
        [CHORALE_WHY_LAUNCHES] =
            "not enough launches to confirm a choice (plan 4 or more)",
        [CHORALE_WHY_THRESHOLD] = "the gain is below the threshold",
        [CHORALE_WHY_CHANCE] = "the gain may be chance",
    };
    size_t count[CHORALE_NWHY] = { 0 }, used = 0;

    for (size_t i = r->first; i < r->last; i++)
        count[list->spot[i].why]++;
    text[0] = '\0';
    for (int w = 0; w < CHORALE_NWHY && used < size; w++) {
        if (count[w] == 0 || words[w] == NULL)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used > 0 ? "; " : "", words[w]);
        if (count[w] < r->last - r->first && used < size)
            used += (size_t)snprintf(text + used, size - used,
                                     " at %zu of %zu sizes", count[w],
                                     r->last - r->first);
    }
}

static void reason_gain(const struct list *list, const struct range *r,
                        char *text, size_t size)
{
    size_t least = (size_t)-1, n, k = r->last - r->first;
    double p = 0;

    for (size_t i = r->first; i < r->last; i++) {
        const struct chorale_spot *s = &list->spot[i];

        chorale_spot_mean(s, s->pick, s->confirms, &n);
        least = n < least ? n : least;
        p = fmax(p, s->p);
    }
    if (list->opts->simulated)
        snprintf(text, size, "faster than the library in simulation at %zu"
                 " measured size%s", k, k == 1 ? "" : "s");
    else
        snprintf(text, size, "faster than the library at %zu measured"
                 " size%s, confirmed in %zu launches that did not choose it"
                 " (p %s %.2g)", k, k == 1 ? "" : "s", least,
                 k == 1 ? "=" : "<=", p);
}

/* Append the row of a range. */
static int add(const struct list *list, const struct range *r)
{
    const struct chorale_spot *s = &list->spot[r->first];
    const struct chorale_run_point *point = list->spot[0].point;
    struct chorale_decision *rows, *row;

    rows = realloc(*list->rows_p, (*list->count_p + 1) * sizeof(*rows));
    if (rows == NULL)
        return -1;
    *list->rows_p = rows;
    row = &rows[(*list->count_p)++];
    *row = (struct chorale_decision){
        .coll = point->coll, .comm_size = point->comm_size,
        .ppn = point->ppn, .shape = point->shape, .dtype = point->dtype,
        .op = point->op, .n_lo = r->lo, .n_hi = r->hi,
        .provider = "library", .variant = "default", .params = "",
        .basis = "library", .seconds = NAN, .library_seconds = NAN,
        .speedup = NAN, .speedup_lo = NAN, .speedup_hi = NAN,
        .regret = NAN, .nspot = r->last - r->first,
    };
    if (r->first == r->last) {
        snprintf(row->reason, sizeof(row->reason), "between two sizes whose"
                 " choices were not both measured at both");
        return 0;
    }
    times(list, r, row);
    if (s->pick == 0) {
        row->speedup = 1;
        reason_library(list, r, row->reason, sizeof(row->reason));
        return 0;
    }
    row->provider = choice(s)->provider;
    row->variant = choice(s)->variant;
    row->params = choice(s)->params;
    row->basis = "measured";
    speedup(list, r, row);
    reason_gain(list, r, row->reason, sizeof(row->reason));
    return 0;
}

/* End range r before spot i, whose choice differs, and start the next one. */
static int change(const struct list *list, struct range *r, size_t i)
{
    const struct chorale_spot *a = &list->spot[i - 1], *b = &list->spot[i];
    struct range gap = { a->point->n + 1, b->point->n - 1, i, i };
    size_t next = b->point->n;
    int need_gap = 0;

    r->last = i;
    r->hi = a->point->n;
    if (a->pick == 0) {
        r->hi = b->point->n - 1;
    } else if (b->pick == 0) {
        next = a->point->n + 1;
    } else if (crossing(a, b, &r->hi)) {
        next = r->hi + 1;
    } else {
        need_gap = gap.lo <= gap.hi;
    }
    if (add(list, r) != 0 || (need_gap && add(list, &gap) != 0))
        return -1;
    *r = (struct range){ .lo = next, .first = i };
    return 0;
}

enum chorale_err chorale_decide_rows(const struct chorale_spot *spot,
                                     size_t nspot,
                                     const struct chorale_decide_opts *opts,
                                     struct chorale_decision **rows_p,
                                     size_t *count_p,
                                     struct chorale_errmsg *msg)
{
    struct list list = { rows_p, count_p, spot, opts };
    struct range r = { .lo = spot[0].point->n };
    int rc = 0;

    for (size_t i = 1; i < nspot && rc == 0; i++)
        if (!same_choice(choice(&spot[i - 1]), choice(&spot[i])))
            rc = change(&list, &r, i);
    r.last = nspot;
    r.hi = spot[nspot - 1].point->n;
    if (rc == 0)
        rc = add(&list, &r);
    if (rc != 0)
        return chorale_fail(msg, CHORALE_ENV, "decide: out of memory");
    return CHORALE_OK;
}
