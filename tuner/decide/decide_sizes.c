/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_sizes.c - decide at each measured size: the challenger of
 * decide_choose.c replaces the library if its gain is significant. */
#include "tuner/decide/decide.h"

#include "tuner/decide/family.h"
#include "tuner/model/predict.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9 /* relative: equal in simulation */

/* Limits of scratch: always allowed, and never exceeded. */
#define SMALL_SCRATCH ((size_t)64 << 10)
#define LARGE_SCRATCH ((size_t)64 << 20)
#define MANY 8 /* limit between the two, as a multiple of n */

struct chorale_point chorale_decide_point(const struct chorale_run_point *run,
                                          const long *value, size_t n,
                                          int comm_size)
{
    struct chorale_point pt = {
        .comm_size = comm_size, .n = n, .msg_size = n,
        .type_size = chorale_run_type_size(run),
        .commutative = strcmp(run->op_class, "noncommutative") != 0,
        .ppn = strcmp(run->shape, "block") == 0 ? run->ppn : 0,
    };

    if (chorale_coll_info(run->coll)->blocks && comm_size > 0)
        pt.msg_size = (n + (size_t)comm_size - 1) / (size_t)comm_size;
    memcpy(pt.param, value, sizeof(pt.param));
    return pt;
}

const char *chorale_decide_excluded(const struct chorale_alg *alg,
                                    const struct chorale_point *pt,
                                    const struct chorale_decide_opts *opts)
{
    const char *why = chorale_alg_unselectable(alg, opts->allow_patented);
    enum chorale_order order = chorale_alg_order(alg, pt);
    size_t limit = pt->n > SMALL_SCRATCH / MANY ? MANY * pt->n
                                                : SMALL_SCRATCH;

    if (why == NULL)
        why = chorale_alg_refuses(alg, pt);
    if (why != NULL)
        return why;
    if (order == CHORALE_ORDER_TIMING)
        return "its results depend on timing";
    if (!pt->commutative && order != CHORALE_ORDER_RANK &&
        order != CHORALE_ORDER_NONE)
        return "does not keep the order of a non-commutative operation";
    if (opts->deterministic && order == CHORALE_ORDER_FIXED)
        return "combines operands in an order of its own (--deterministic)";
    if (limit > LARGE_SCRATCH || pt->n > LARGE_SCRATCH)
        limit = LARGE_SCRATCH;
    if (opts->max_scratch >= 0)
        limit = (size_t)opts->max_scratch;
    return alg->scratch != NULL && alg->scratch(pt) > limit
               ? "takes too much scratch (--max-scratch)" : NULL;
}

int chorale_decide_same_line(const struct chorale_run_point *a,
                             const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op;
}

/* Why a spot has no candidate. */
static enum chorale_why why_none(const struct chorale_measured *spot,
                                 const struct chorale_decide_opts *opts)
{
    size_t other = 0, barred = 0;

    for (size_t c = 1; c < spot->ncand; c++) {
        other += chorale_decide_other(spot->cand[c].run, opts) != NULL;
        barred += spot->cand[c].barred != NULL;
    }
    if (other > 0 && other + 1 == spot->ncand)
        return CHORALE_WHY_OTHER;
    return barred > other ? CHORALE_WHY_EXCLUDED : CHORALE_WHY_NONE;
}

/* First verdict on one size; CHORALE_WHY_GAIN is tested later. */
static void judge(struct chorale_measured *spot,
                  const struct chorale_cand *neighbour,
                  const struct chorale_decide_opts *opts)
{
    struct chorale_sample gain;

    spot->p = 1;
    if (spot->point->comm_size < 2) { /* pick, challenger and fold are 0 */
        spot->why = CHORALE_WHY_ONE_RANK;
        return;
    }
    chorale_spot_choose(spot, neighbour, opts->simulated);
    gain = chorale_spot_sample(spot);
    spot->pick = spot->challenger;
    if (spot->pick == 0) {
        spot->why = why_none(spot, opts);
        return;
    }
    if (chorale_cand_mean(spot, spot->pick, NULL, NULL) <=
        (opts->simulated ? SAME : 0))
        spot->why = CHORALE_WHY_SLOWER;
    else if (!opts->simulated && gain.n < CHORALE_DECIDE_LAUNCHES)
        spot->why = CHORALE_WHY_LAUNCHES;
    else
        spot->why = gain.mean > log1p(opts->threshold) + SAME
                        ? CHORALE_WHY_GAIN : CHORALE_WHY_THRESHOLD;
}

/* Set *critical_p to the largest p that is significant over all tested points,
 * by Benjamini and Hochberg, or to -1. Returns 0; -1: out of memory. */
static int critical_p(const struct chorale_measured *spot, size_t nspot,
                      double fdr, double *critical_p)
{
    double *p = malloc((nspot + 1) * sizeof(*p));
    size_t n = 0;

    if (p == NULL)
        return -1;
    for (size_t i = 0; i < nspot; i++)
        if (spot[i].why == CHORALE_WHY_GAIN ||
            spot[i].why == CHORALE_WHY_THRESHOLD)
            p[n++] = spot[i].p;
    gsl_sort(p, 1, n);
    *critical_p = -1;
    for (size_t i = 0; i < n; i++) {
        double level = fdr * (double)(i + 1) / (double)n;

        if (p[i] <= level)
            *critical_p = level;
    }
    free(p);
    return 0;
}

/* Set the losses of candidates that may replace the choice to save ranges:
 * those that cost little more and have a significant gain too. */
static void find_substitutes(struct chorale_measured *spot, double critical,
                             const struct chorale_decide_opts *opts)
{
    double best = chorale_cand_mean(spot, spot->pick, NULL, NULL);
    double least = log1p(opts->threshold) + SAME;

    for (size_t c = 0; c < spot->ncand; c++) {
        struct chorale_cand *cand = &spot->cand[c];
        double gain = chorale_cand_mean(spot, c, NULL, NULL);
        double loss = best - gain;

        cand->loss = INFINITY;
        if (c == spot->pick)
            cand->loss = 0;
        if (c == spot->pick || spot->pick == 0 || cand->place < 0 ||
            !(loss <= log1p(opts->compact)))
            continue;
        if (!opts->simulated && c > 0)
            cand->p = chorale_cand_pvalue(spot, c);
        if (c == 0 || (gain > least && (opts->simulated ||
                                        cand->p <= critical)))
            cand->loss = fmax(SAME, loss);
    }
}

/* Final verdicts: without a significant gain the library is chosen. */
static int settle(struct chorale_measured *spot, size_t nspot,
                  const struct chorale_decide_opts *opts)
{
    double critical;

    for (size_t i = 0; opts->simulated && i < nspot; i++)
        spot[i].p = spot[i].pick > 0 ? 0 : 1;
    if ((!opts->simulated && chorale_measured_test(spot, nspot) != 0) ||
        critical_p(spot, nspot, opts->fdr, &critical) != 0)
        return -1;
    for (size_t i = 0; i < nspot; i++) {
        if (spot[i].why == CHORALE_WHY_GAIN && spot[i].p > critical)
            spot[i].why = CHORALE_WHY_INSIGNIFICANT;
        if (spot[i].why != CHORALE_WHY_GAIN)
            spot[i].pick = 0;
        spot[i].cand[spot[i].pick].p = spot[i].p;
        find_substitutes(&spot[i], critical, opts);
    }
    for (size_t i = 0, end; i < nspot; i = end) {
        for (end = i; end < nspot && chorale_decide_same_line(
                                         spot[i].point, spot[end].point);
             end++)
            continue;
        if (chorale_decide_is_blind(spot[i].point->coll))
            chorale_decide_blind(&spot[i], end - i, critical, opts);
    }
    return 0;
}

/* Find all measured sizes of a system, with their candidates. */
static int find_spots(const struct chorale_points *points,
                      const struct chorale_decide_opts *opts,
                      struct chorale_measured *spot, size_t *nspot_p)
{
    const struct chorale_run_point *row = points->row;
    size_t end;

    for (size_t i = 0; i < points->count; i = end) {
        struct chorale_measured *s = &spot[*nspot_p];

        for (end = i; end < points->count && row[end].n == row[i].n &&
                      chorale_decide_same_line(&row[i], &row[end]); end++)
            continue;
        (*nspot_p)++;
        if (chorale_measured_init(s, &row[i], end - i, opts) != 0)
            return -1;
        if (s->nlaunch == 0 && /* nothing to compare with */
            !chorale_measured_has_library(&row[i], end - i)) {
            chorale_measured_release(s);
            (*nspot_p)--;
        }
    }
    return 0;
}

/* First verdicts on all measured sizes. */
static void judge_all(struct chorale_measured *spot, size_t nspot,
                      const struct chorale_decide_opts *opts)
{
    const struct chorale_cand *neighbour = NULL;

    for (size_t i = 0; i < nspot; i++) {
        struct chorale_measured *s = &spot[i];

        if (i > 0 && !chorale_decide_same_line(s[-1].point, s->point))
            neighbour = NULL;
        if (s->nlaunch == 0) {
            s->p = 1;
            s->why = CHORALE_WHY_UNUSABLE;
            neighbour = NULL;
            continue;
        }
        judge(s, neighbour, opts);
        neighbour = &s->cand[s->pick];
    }
}

size_t chorale_family_losses(const struct chorale_family *fam, size_t ncand,
                             const double *seconds, const unsigned char *may,
                             double *loss)
{
    double tolerance = log1p(CHORALE_DECIDE_ALLOWANCE * fam->opts->compact);
    size_t best = 0;

    for (size_t c = 1; c < ncand; c++)
        if (may[c] && isfinite(seconds[c]) &&
            seconds[c] < seconds[0] - log1p(fam->opts->threshold) &&
            (best == 0 || seconds[c] < seconds[best] - SAME))
            best = c;
    for (size_t c = 0; c < ncand; c++) {
        loss[c] = c == best ? 0 : INFINITY;
        if (best > 0 && c != best && (c == 0 || may[c]) &&
            seconds[c] - seconds[best] <= tolerance &&
            seconds[c] <= seconds[0])
            loss[c] = fmax(SAME, seconds[c] - seconds[best]);
    }
    return best;
}

/* Drop sizes without a usable time of the library, if other sizes of their line
 * have one: they are then predicted. */
static void drop_unusable(struct chorale_measured *spot, size_t *nspot_p)
{
    size_t kept = 0, end;

    for (size_t i = 0; i < *nspot_p; i = end) {
        size_t usable = 0;

        for (end = i; end < *nspot_p && chorale_decide_same_line(
                                            spot[i].point, spot[end].point);
             end++)
            usable += spot[end].nlaunch > 0;
        for (size_t k = i; k < end; k++) {
            if (usable == 0 || spot[k].nlaunch > 0)
                spot[kept++] = spot[k];
            else
                chorale_measured_release(&spot[k]);
        }
    }
    *nspot_p = kept;
}

enum chorale_err chorale_decide_sizes(const struct chorale_points *points,
                                      const struct chorale_decide_opts *opts,
                                      struct chorale_measured **spot_p,
                                      size_t *nspot_p,
                                      struct chorale_errmsg *msg)
{
    *nspot_p = 0;
    *spot_p = calloc(points->count + 1, sizeof(**spot_p));
    if (*spot_p == NULL || find_spots(points, opts, *spot_p, nspot_p) != 0 ||
        (!opts->simulated && chorale_measured_clip(*spot_p, *nspot_p) != 0))
        return chorale_fail_memory(msg, "decide");
    judge_all(*spot_p, *nspot_p, opts);
    drop_unusable(*spot_p, nspot_p);
    if (settle(*spot_p, *nspot_p, opts) != 0)
        return chorale_fail_memory(msg, "decide");
    return CHORALE_OK;
}

/* 1 if any choice is not the library: else no prediction is needed. */
static int any_choice(const struct chorale_measured *spot, size_t nspot)
{
    for (size_t i = 0; i < nspot; i++)
        if (spot[i].pick != 0)
            return 1;
    return 0;
}

/* 1 if an earlier spot belongs to the same family. */
static int seen(const struct chorale_measured *spot, size_t i)
{
    for (size_t k = i; k-- > 0 &&
                       spot[k].point->coll == spot[i].point->coll;)
        if (chorale_family_same(spot[k].point, spot[i].point))
            return 1;
    return 0;
}

/* Append the rows of one family. */
static int decide_family(struct chorale_predictor *model,
                         const struct chorale_smooth *smooth,
                         const struct chorale_decide_opts *opts,
                         struct chorale_measured *spot, size_t nspot,
                         const struct chorale_measured *first,
                         struct chorale_decision **rows_p, size_t *count_p)
{
    struct chorale_family fam;
    int rc = chorale_family_init(&fam, spot, nspot, first, model, opts);

    fam.smooth = smooth;
    if (rc == 0)
        rc = chorale_decide_rows(&fam, rows_p, count_p);
    chorale_family_release(&fam);
    return rc;
}

enum chorale_err chorale_decide(const struct chorale_points *points,
                                const struct chorale_decide_opts *opts,
                                struct chorale_decision **rows_p,
                                size_t *count_p, struct chorale_errmsg *msg)
{
    struct chorale_decision *rows = NULL;
    struct chorale_measured *spot;
    struct chorale_predictor *model = opts->smooth ? NULL : opts->model;
    struct chorale_predictor *own = NULL;
    struct chorale_smoothed times = { NULL, NULL };
    size_t nspot, count = 0;
    enum chorale_err err = chorale_decide_sizes(points, opts, &spot, &nspot,
                                                msg);

    if (err == CHORALE_OK && model == NULL && !opts->rules && !opts->smooth &&
        any_choice(spot, nspot))
        model = own = chorale_predictor_fit(points);
    for (size_t i = 0; i < nspot && err == CHORALE_OK; i++)
        if (!seen(spot, i) &&
            (chorale_smooth_for(points, opts, spot[i].point, &times) != 0 ||
             decide_family(model, times.smooth, opts, spot, nspot, &spot[i],
                           &rows, &count) != 0))
            err = chorale_fail_memory(msg, "decide");
    if (err == CHORALE_OK) {
        *rows_p = rows;
        *count_p = count;
        rows = NULL;
    }
    free(rows);
    chorale_predictor_free(own);
    chorale_smooth_free(times.smooth);
    for (size_t i = 0; i < nspot; i++)
        chorale_measured_release(&spot[i]);
    free(spot);
    return err;
}
