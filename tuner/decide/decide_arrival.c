/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_arrival.c - combine a run's times in several arrival patterns. */
#include "tuner/decide/decide_arrival.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run of the library in one pattern. best: the smallest difference (<= 0) to
 * the library of a candidate that a table may choose, in that pattern and in
 * launches of that ordinal. */
struct reference {
    const struct chorale_run_point *run;
    double seconds, best;    /* s */
};

struct size {
    struct chorale_run_point *row; /* the runs of one point */
    size_t n;
    struct reference *ref;
    size_t nref;
    const struct chorale_decide_opts *opts;
};

static int is_library(const struct chorale_run_point *row)
{
    return strcmp(row->provider, "library") == 0;
}

static int is_sync(const struct chorale_run_point *row)
{
    return strcmp(row->arrival, "sync") == 0;
}

/* 1 if a table may choose the run's candidate. */
static int selectable(const struct chorale_run_point *row,
                      const struct chorale_decide_opts *opts)
{
    struct chorale_point pt;

    if (is_library(row))
        return 1;
    if (row->config.alg == NULL)
        return 0;
    pt = chorale_decide_point(row, row->config.value, row->n, row->comm_size);
    return chorale_decide_excluded(row->config.alg, &pt, opts) == NULL;
}

/* 1 if two runs belong to the same pattern, conditions and ordinal. */
static int same_pattern(const struct chorale_run_point *a,
                        const struct chorale_run_point *b)
{
    return a->arrival == b->arrival && a->conditions == b->conditions &&
           a->ordinal == b->ordinal;
}

/* The library in the same launch and pattern as that run, or NULL. */
static const struct reference *partner(const struct size *s,
                                       const struct chorale_run_point *row)
{
    for (size_t i = 0; i < s->nref; i++)
        if (same_pattern(s->ref[i].run, row) &&
            s->ref[i].run->launch == row->launch)
            return &s->ref[i];
    return NULL;
}

/* Find the library's runs, and the best difference to each. */
static void find_references(struct size *s)
{
    s->nref = 0;
    for (size_t i = 0; i < s->n; i++)
        if (is_library(&s->row[i]) && s->row[i].ok)
            s->ref[s->nref++] = (struct reference){ &s->row[i],
                                                    s->row[i].seconds, 0 };
    for (size_t i = 0; i < s->n; i++) {
        const struct chorale_run_point *row = &s->row[i];
        const struct reference *lib = row->ok ? partner(s, row) : NULL;

        if (lib == NULL || !selectable(row, s->opts))
            continue;
        for (size_t k = 0; k < s->nref; k++)
            if (same_pattern(s->ref[k].run, row))
                s->ref[k].best = fmin(s->ref[k].best,
                                      row->seconds - lib->seconds);
    }
}

/* The largest loss, s, over the patterns in which the library ran. row[0, n): a
 * candidate's runs of one ordinal and the same conditions. INFINITY if they
 * lack a time in one of these patterns. */
static double worst(const struct size *s, const struct chorale_run_point *row,
                    size_t n)
{
    double most = -INFINITY;

    for (size_t k = 0; k < s->nref; k++) {
        const struct reference *ref = &s->ref[k];
        double loss = -INFINITY;

        if (ref->run->conditions != row->conditions ||
            ref->run->ordinal != row->ordinal)
            continue;
        for (size_t i = 0; i < n; i++) {
            const struct reference *lib = partner(s, &row[i]);

            if (row[i].ok && lib != NULL && same_pattern(ref->run, &row[i]))
                loss = fmax(loss, row[i].seconds - lib->seconds - ref->best);
        }
        if (loss == -INFINITY)
            return INFINITY;
        most = fmax(most, loss);
    }
    return most;
}

/* 1 if the library ran in another pattern than sync. */
static int is_late(const struct size *s)
{
    for (size_t i = 0; i < s->nref; i++)
        if (!is_sync(s->ref[i].run))
            return 1;
    return 0;
}

/* 1 if two runs in another pattern than sync exist: one of the library with the
 * ordinal and conditions of the row, and one of the row's candidate at the
 * point. Else times of the row in sync are not comparable with combined
 * times. */
static int has_late(const struct size *s, const struct chorale_run_point *row)
{
    int library = 0, own = 0;

    for (size_t i = 0; i < s->nref; i++)
        library |= !is_sync(s->ref[i].run) &&
                   s->ref[i].run->ordinal == row->ordinal &&
                   s->ref[i].run->conditions == row->conditions;
    for (size_t i = 0; i < s->n && !own; i++)
        own = !is_sync(&s->row[i]) &&
              chorale_run_same_candidate(&s->row[i], row);
    return library && own;
}

/* Append the combined runs of the point to kept. */
static void combine_robust(const struct size *s,
                           struct chorale_run_point *kept, size_t *nkept)
{
    size_t end;

    for (size_t i = 0; i < s->n; i = end) {
        const struct chorale_run_point *row = &s->row[i];
        double loss;

        for (end = i; end < s->n && row->ordinal == s->row[end].ordinal &&
                      row->conditions == s->row[end].conditions &&
                      chorale_run_same_candidate(row, &s->row[end]); end++)
            continue;
        if (!has_late(s, row))
            continue;
        loss = worst(s, row, end - i);
        for (size_t k = i; k < end; k++) {
            const struct reference *lib = partner(s, &s->row[k]);
            struct chorale_run_point *to = &kept[*nkept];

            if (!is_sync(&s->row[k]))
                continue;
            (*nkept)++;
            *to = s->row[k];
            to->arrival = "robust";
            to->slower = to->slower_robust;
            to->ok &= loss < INFINITY;
            if (to->ok && lib != NULL)
                to->seconds = lib->seconds + lib->best + loss;
        }
    }
}

int chorale_arrival_subtracts(const char *arrival, double seconds,
                              double skew)
{
    return strncmp(arrival, "random", 6) != 0 && seconds > skew;
}

/* 1 if the skew can be subtracted from all times of the point. */
static int exceeds_skew(const struct size *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!is_sync(&s->row[i]) && s->row[i].ok &&
            !chorale_arrival_subtracts(s->row[i].arrival, s->row[i].seconds,
                                       s->row[i].skew))
            return 0;
    return 1;
}

/* Append the runs in pattern sync, or in the traced pattern if late is 1. Then
 * subtract the skew, if that is possible. */
static void keep(const struct size *s, int late,
                 struct chorale_run_point *kept, size_t *nkept)
{
    const int subtract = late && exceeds_skew(s);

    for (size_t i = 0; i < s->n; i++) {
        if (is_sync(&s->row[i]) == late)
            continue;
        kept[*nkept] = s->row[i];
        if (subtract && s->row[i].ok)
            kept[*nkept].seconds -= s->row[i].skew;
        (*nkept)++;
    }
}

/* same_point() for rows of two loads. */
static int same_place(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->n == b->n && a->ppn == b->ppn &&
           a->comm_size == b->comm_size && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

static int same_point(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->n == b->n && a->ppn == b->ppn &&
           a->comm_size == b->comm_size && a->shape == b->shape &&
           a->dtype == b->dtype && a->op == b->op;
}

/* The library's run in the launch, pattern and conditions of that run, among
 * row[0, n); or NULL. */
static const struct chorale_run_point *
library_of(const struct chorale_run_point *row, size_t n,
           const struct chorale_run_point *run)
{
    for (size_t i = 0; i < n; i++)
        if (is_library(&row[i]) && row[i].ok && same_pattern(&row[i], run) &&
            row[i].launch == run->launch)
            return &row[i];
    return NULL;
}

double chorale_arrival_lead(const struct chorale_points *runs,
                            const struct chorale_decide_opts *opts,
                            const struct chorale_run_point *at,
                            const char *arrival)
{
    size_t begin = 0, count = 0, end;
    double lead = 0;

    while (begin < runs->count && !same_place(&runs->row[begin], at))
        begin++;
    while (begin + count < runs->count &&
           same_place(&runs->row[begin + count], at))
        count++;
    for (size_t i = begin; i < begin + count; i = end) {
        double sum = 0;
        size_t n = 0;

        for (end = i; end < begin + count &&
                      chorale_run_same_candidate(&runs->row[i],
                                                 &runs->row[end]); end++) {
            const struct chorale_run_point *row = &runs->row[end];
            const struct chorale_run_point *library =
                row->ok && strcmp(row->arrival, arrival) == 0
                    ? library_of(&runs->row[begin], count, row) : NULL;

            if (library != NULL) {
                sum += row->seconds - library->seconds;
                n++;
            }
        }
        if (n > 0 && selectable(&runs->row[i], opts))
            lead = fmin(lead, sum / (double)n);
    }
    return lead;
}

int chorale_arrivals_combine(struct chorale_points *points,
                             const struct chorale_decide_opts *opts,
                             struct chorale_arrival_count *count_p)
{
    struct chorale_run_point *kept = calloc(points->count + 1, sizeof(*kept));
    struct reference *ref = calloc(points->count + 1, sizeof(*ref));
    struct chorale_arrival_count count = { 0, 0 };
    const int ok = kept != NULL && ref != NULL;
    size_t nkept = 0, end;

    for (size_t i = 0; ok && i < points->count; i = end) {
        struct size s = { .row = &points->row[i], .ref = ref, .opts = opts };
        int late;

        for (end = i; end < points->count &&
                      same_point(&points->row[i], &points->row[end]); end++)
            continue;
        s.n = end - i;
        find_references(&s);
        late = is_late(&s);
        count.points += s.row->comm_size > 1;
        count.late += late && s.row->comm_size > 1;
        if (late && opts->arrivals == CHORALE_ARRIVALS_ROBUST)
            combine_robust(&s, kept, &nkept);
        else
            keep(&s, late, kept, &nkept);
    }
    if (ok)
        points->count = nkept;
    if (nkept > 0)
        memcpy(points->row, kept, nkept * sizeof(*kept));
    free(kept);
    free(ref);
    if (count_p != NULL)
        *count_p = count;
    return ok ? 0 : -1;
}
