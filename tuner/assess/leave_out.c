/* SPDX-License-Identifier: BSD-3-Clause */
/* leave_out.c - cross-validation within one database. */
#include "tuner/assess/leave_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/smooth.h"

/* A set of runs that is left out: value is the process count, the launch or the
 * pass over the sizes. */
struct fold {
    const struct chorale_points *points;
    const struct chorale_leave_opts *opts;
    const struct chorale_run_point *like; /* of the collective, type and
                              * operation */
    struct chorale_run_point *kept;
    size_t nkept;
    struct chorale_smooth *smooth;
    long value;
};

struct list {
    struct chorale_verdict *v;
    size_t count;
};

static int same_kind(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->dtype == b->dtype && a->op == b->op;
}

static int same_place(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return same_kind(a, b) && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape;
}

static int same_point(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return same_place(a, b) && a->msg_size == b->msg_size;
}

static int compare_values(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

static long value_of(const struct chorale_run_point *run,
                     enum chorale_leave leave)
{
    return leave == CHORALE_LEAVE_PROCS   ? run->comm_size
           : leave == CHORALE_LEAVE_SIZES ? (long)run->msg_size
                                          : run->ordinal;
}

/* The distinct values of like's kind, ascending. NULL: out of memory. */
static long *find_values(const struct chorale_points *points,
                         const struct chorale_run_point *like,
                         enum chorale_leave leave, size_t *count_p)
{
    long *value = malloc((points->count + 1) * sizeof(*value));
    size_t count = 0, kept = 0;

    for (size_t i = 0; value != NULL && i < points->count; i++)
        if (same_kind(&points->row[i], like))
            value[count++] = value_of(&points->row[i], leave);
    if (value != NULL)
        qsort(value, count, sizeof(*value), compare_values);
    for (size_t i = 0; value != NULL && i < count; i++)
        if (i == 0 || value[i] != value[kept - 1])
            value[kept++] = value[i];
    *count_p = kept;
    return value;
}

/* 1 if the fold leaves the run out; values as of find_values(). */
static int is_left(const struct fold *f, const struct chorale_run_point *run,
                   const long *value, size_t nvalue)
{
    const long mine = value_of(run, f->opts->leave);
    size_t i = 0;

    if (f->opts->leave == CHORALE_LEAVE_PROCS)
        return mine == f->value;
    if (f->opts->leave == CHORALE_LEAVE_LAUNCH)
        return mine != f->value;
    while (value[i] != mine)
        i++;
    return i > 0 && i + 1 < nvalue && (long)(i % 3) == f->value;
}

/* Mean log seconds of run's candidate at its point, over the usable runs of
 * row[0, n). NAN: not usable. */
static double mean_at(const struct chorale_run_point *row, size_t n,
                      const struct chorale_run_point *run)
{
    double sum = 0, k = 0;

    for (size_t i = 0; i < n; i++)
        if (same_point(&row[i], run) &&
            chorale_run_same_candidate(&row[i], run)) {
            if (!row[i].ok)
                return NAN;
            sum += log(row[i].seconds);
            k++;
        }
    return k > 0 ? sum / k : NAN;
}

/* 1 if a candidate may be chosen. */
static int competes(const void *arg, const struct chorale_run_point *run)
{
    const struct chorale_leave_opts *opts = arg;

    if (strcmp(run->provider, "chorale") != 0)
        return 1;
    return run->config.alg != NULL &&
           chorale_alg_unselectable(run->config.alg,
                                    opts->allow_patented) == NULL;
}

/* The kept point that is nearest below: the largest smaller process count, or
 * size, that was measured; of a launch the point itself. */
static const struct chorale_run_point *
nearest(const struct fold *f, const struct chorale_run_point *at)
{
    const struct chorale_run_point *best = NULL;

    for (size_t i = 0; i < f->nkept; i++) {
        const struct chorale_run_point *r = &f->kept[i];
        double d, least;

        if (f->opts->leave == CHORALE_LEAVE_LAUNCH) {
            if (same_point(r, at))
                return r;
            continue;
        }
        if (f->opts->leave == CHORALE_LEAVE_SIZES) {
            if (same_place(r, at) && r->msg_size < at->msg_size &&
                (best == NULL || r->msg_size > best->msg_size))
                best = r;
            continue;
        }
        if (r->comm_size >= at->comm_size)
            continue;
        d = fabs(log((double)(r->msg_size + 1) / (double)(at->msg_size + 1)));
        least = best == NULL ? INFINITY
                : fabs(log((double)(best->msg_size + 1) /
                           (double)(at->msg_size + 1)));
        if (best == NULL || r->comm_size > best->comm_size ||
            (r->comm_size == best->comm_size && d < least))
            best = r;
    }
    return best;
}

/* The log time that a candidate is chosen by; NAN: unknown. */
static double expected(const struct fold *f,
                       const struct chorale_run_point *run,
                       const struct chorale_run_point *near)
{
    struct chorale_run_point there;

    if (f->opts->chooser == CHORALE_CHOOSE_SMOOTH)
        return chorale_smooth_at(f->smooth, run, run, run->msg_size,
                                 run->comm_size);
    if (near == NULL)
        return NAN;
    there = *near;
    there.provider = run->provider;
    there.variant = run->variant;
    there.params = run->params;
    return mean_at(f->kept, f->nkept, &there);
}

static void name(char *text, size_t size, const struct chorale_run_point *run)
{
    if (run == NULL || strcmp(run->provider, "library") == 0)
        snprintf(text, size, "library");
    else
        snprintf(text, size, "%.80s%s%.160s", run->variant,
                 *run->params ? " " : "", run->params);
}

/* Whether a candidate at the place of `at` may serve all its sizes. *mean_p:
 * its mean log gain, by which it is chosen. */
static int serves_all(const struct fold *f, const struct chorale_run_point *at,
                      const struct chorale_run_point *cand, double *mean_p)
{
    const struct chorale_run_point *row = f->points->row;
    const int smooth = f->opts->chooser == CHORALE_CHOOSE_SMOOTH;
    double sum = 0, least = INFINITY, count = 0;

    for (size_t i = 0; i < f->points->count; i++) {
        struct chorale_run_point here = row[i], library;
        const struct chorale_run_point *near;
        double gain;

        if (!same_place(&row[i], at) ||
            (i > 0 && same_point(&row[i - 1], &row[i])))
            continue;
        library = here;
        here.provider = cand->provider;
        here.variant = cand->variant;
        here.params = cand->params;
        library.provider = chorale_library_run.provider;
        library.variant = chorale_library_run.variant;
        library.params = chorale_library_run.params;
        near = smooth ? NULL : nearest(f, &here);
        gain = expected(f, &library, near) - expected(f, &here, near);
        least = isfinite(gain) ? fmin(least, gain) : -INFINITY;
        sum += gain;
        count++;
    }
    *mean_p = sum / count;
    return smooth ? chorale_smooth_serves_all(*mean_p, least,
                                              log1p(f->opts->threshold))
                  : *mean_p > 0;
}

/* The candidate of its first size that serves all sizes at the place of `at`,
 * for collectives in which some rank does not know n; NULL: the library. */
static const struct chorale_run_point *
choose_one(const struct fold *f, const struct chorale_run_point *at)
{
    const struct chorale_run_point *row = f->points->row, *best = NULL;
    double most = 0, mean;
    size_t first = 0;

    while (!same_place(&row[first], at))
        first++;
    for (size_t i = first; i < f->points->count &&
                           same_point(&row[i], &row[first]); i++) {
        if (strcmp(row[i].provider, "library") == 0 ||
            !competes(f->opts, &row[i]) ||
            (i > first && chorale_run_same_candidate(&row[i - 1], &row[i])))
            continue;
        if (serves_all(f, at, &row[i], &mean) && mean > most) {
            most = mean;
            best = &row[i];
        }
    }
    return best;
}

/* What serves all sizes of a place where some rank does not know n. */
struct single {
    int blind;               /* 0: each size has its choice */
    const struct chorale_run_point *pick, *best; /* NULL: the library */
};

static void find_single(const struct fold *f,
                        const struct chorale_run_point *at,
                        struct single *single)
{
    const struct chorale_run_point *row = f->points->row;
    size_t n = 1;

    while (!same_place(row, at))
        row++;
    while (row + n < f->points->row + f->points->count &&
           same_place(&row[n], at))
        n++;
    single->pick = choose_one(f, at);
    single->best = chorale_evaluate_one(row, n, competes, f->opts);
}

/* Judge the choice at a point, of runs row[0, n) that were left out. Returns 0
 * if the library has no time. */
static int judge(const struct fold *f, const struct chorale_run_point *row,
                 size_t n, const struct single *single,
                 struct chorale_verdict *v)
{
    const struct chorale_run_point *pick = NULL, *best = NULL, *near = NULL;
    const double least = f->opts->chooser == CHORALE_CHOOSE_SMOOTH
                             ? log1p(f->opts->threshold) : 0;
    double library = NAN, base = NAN, mine = INFINITY, top = INFINITY;
    double chosen = NAN;

    if (f->opts->chooser == CHORALE_CHOOSE_NEAREST)
        near = nearest(f, row);
    for (size_t i = 0; i < n; i++) {
        const int is_library = strcmp(row[i].provider, "library") == 0;
        double t, e;

        if ((i > 0 && chorale_run_same_candidate(&row[i - 1], &row[i])) ||
            !competes(f->opts, &row[i]))
            continue;
        t = mean_at(row, n, &row[i]);
        if (isnan(t))
            continue;
        e = single->blind ? NAN : expected(f, &row[i], near);
        if (is_library) {
            library = t;
            base = e;
        }
        if (!single->blind          ? t < top
            : single->best == NULL ? is_library
                                   : chorale_run_same_candidate(
                                         &row[i], single->best)) {
            top = t;
            best = &row[i];
        }
        if (!is_library && e < mine) {
            mine = e;
            chosen = t;
            pick = &row[i];
        }
        if (single->pick != NULL &&
            chorale_run_same_candidate(&row[i], single->pick))
            chosen = t;
    }
    if (single->blind)
        pick = single->pick;
    else if (!(mine < base - least))
        pick = NULL;
    *v = (struct chorale_verdict){
        .point = row, .tuned = pick != NULL,
        .seconds = exp(pick != NULL ? chosen : library),
        .best_seconds = exp(top), .library_seconds = exp(library),
    };
    name(v->choice, sizeof(v->choice), pick);
    name(v->best, sizeof(v->best), best);
    return isfinite(library);
}

/* Choose by the runs that stay, and judge by the others. */
static int run_fold(struct fold *f, const long *value, size_t nvalue,
                    struct list *list)
{
    const struct chorale_run_point *row = f->points->row;
    struct single single = { chorale_coll_info(f->like->coll)->blind, NULL,
                             NULL };
    struct chorale_run_point *left;
    struct chorale_verdict *more;
    size_t nleft = 0;

    f->nkept = 0;
    f->kept = malloc((2 * f->points->count + 1) * sizeof(*f->kept));
    if (f->kept == NULL)
        return -1;
    left = f->kept + f->points->count;
    for (size_t i = 0; i < f->points->count; i++) {
        if (!same_kind(&row[i], f->like))
            continue;
        if (is_left(f, &row[i], value, nvalue))
            left[nleft++] = row[i];
        else
            f->kept[f->nkept++] = row[i];
    }
    more = realloc(list->v, (list->count + nleft + 1) * sizeof(*more));
    if (more != NULL)
        list->v = more;
    if (f->opts->chooser == CHORALE_CHOOSE_SMOOTH)
        f->smooth = chorale_smooth_new(f->kept, f->nkept, f->like,
                                       f->opts->noise);
    if (more == NULL ||
        (f->opts->chooser == CHORALE_CHOOSE_SMOOTH && f->smooth == NULL)) {
        chorale_smooth_free(f->smooth);
        free(f->kept);
        return -1;
    }
    for (size_t i = 0, end; i < nleft; i = end) {
        struct chorale_verdict *v = &list->v[list->count];

        for (end = i; end < nleft && same_point(&left[i], &left[end]); end++)
            continue;
        if (single.blind && (i == 0 || !same_place(&left[i], &left[i - 1])))
            find_single(f, &left[i], &single);
        if (left[i].comm_size < 2 ||
            !judge(f, &left[i], end - i, &single, v))
            continue;
        v->point = f->points->row;
        while (!same_point(v->point, &left[i]))
            v->point++;
        list->count++;
    }
    chorale_smooth_free(f->smooth);
    f->smooth = NULL;
    free(f->kept);
    return 0;
}

/* All folds of one collective, type and operation. */
static int run_kind(const struct chorale_points *points,
                    const struct chorale_leave_opts *opts,
                    const struct chorale_run_point *like,
                    struct list *list)
{
    const int procs = opts->leave == CHORALE_LEAVE_PROCS;
    struct fold f = { .points = points, .opts = opts, .like = like };
    size_t nvalue;
    long *value = find_values(points, like, opts->leave, &nvalue);
    size_t nfold = opts->leave == CHORALE_LEAVE_SIZES ? 3 : nvalue;
    int rc = value != NULL ? 0 : -1;

    if (opts->leave == CHORALE_LEAVE_LAUNCH ? nvalue < 2 : nvalue < 3)
        nfold = 0;
    for (size_t i = (size_t)procs; i + (size_t)procs < nfold && rc == 0; i++) {
        f.value = opts->leave == CHORALE_LEAVE_SIZES ? (long)i : value[i];
        rc = run_fold(&f, value, nvalue, list);
    }
    free(value);
    return rc;
}

enum chorale_err chorale_leave_out(const struct chorale_points *points,
                                   const struct chorale_leave_opts *opts,
                                   struct chorale_verdict **verdict_p,
                                   size_t *count_p,
                                   struct chorale_errmsg *msg)
{
    static const char *const what[] = { "three process counts", "three sizes",
                                        "two launches" };
    struct list list = { NULL, 0 };
    int rc = 0;

    for (size_t i = 0; i < points->count && rc == 0; i++) {
        size_t k = 0;

        while (k < i && !same_kind(&points->row[k], &points->row[i]))
            k++;
        if (k == i)
            rc = run_kind(points, opts, &points->row[i], &list);
    }
    if (rc != 0 || list.count == 0) {
        free(list.v);
        return rc != 0 ? chorale_fail_memory(msg, "evaluate")
                       : chorale_fail(msg, CHORALE_DATA, "evaluate: "
                                      "--leave-out needs %s of a collective; "
                                      "measure more, with the library's "
                                      "default at each point",
                                      what[opts->leave]);
    }
    *verdict_p = list.v;
    *count_p = list.count;
    return CHORALE_OK;
}
