/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_cells.c - builds the cells of a comparison, their series of launches,
 * and the canaries. */
#include "tuner/compare/comparison.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of one cell, adjacent in the points. */
struct group {
    const struct chorale_run_point *row;
    size_t count;
};

int chorale_cell_compare(const struct chorale_run_point *a,
                         const struct chorale_run_point *b)
{
    int d = (int)a->coll - (int)b->coll;

    d = d != 0 ? d : a->comm_size - b->comm_size;
    d = d != 0 ? d : a->ppn - b->ppn;
    d = d != 0 ? d : strcmp(a->shape, b->shape);
    d = d != 0 ? d : strcmp(a->dtype, b->dtype);
    d = d != 0 ? d : strcmp(a->op, b->op);
    d = d != 0 ? d : (a->msg_size > b->msg_size) - (a->msg_size < b->msg_size);
    d = d != 0 ? d : strcmp(a->provider, b->provider);
    d = d != 0 ? d : strcmp(a->variant, b->variant);
    d = d != 0 ? d : strcmp(a->params, b->params);
    return d != 0 ? d : strcmp(a->conditions, b->conditions);
}

static int by_group(const void *a, const void *b)
{
    return chorale_cell_compare(((const struct group *)a)->row,
                                ((const struct group *)b)->row);
}

/* The sorted cells of a side that have a run in its launches. NULL if out of
 * memory. */
static struct group *groups(const struct chorale_side *side, size_t *count_p)
{
    const struct chorale_points *points = &side->points;
    struct group *list = malloc((points->count + 1) * sizeof(*list));
    size_t n = 0, end;

    for (size_t i = 0; list != NULL && i < points->count; i = end) {
        int in = 0;

        for (end = i; end < points->count &&
                      chorale_cell_compare(&points->row[i],
                                           &points->row[end]) == 0;
             end++) {
            const struct chorale_side_launch *l =
                chorale_side_launch_of(side, points->row[end].launch_id);

            in |= l != NULL && l->in;
        }
        if (in)
            list[n++] = (struct group){ &points->row[i], end - i };
    }
    if (n > 0)
        qsort(list, n, sizeof(*list), by_group);
    *count_p = n;
    return list;
}

/* Merge both lists into cmp->cell. */
static int merge(struct chorale_comparison *cmp, const struct group *base,
                 size_t nbase, const struct group *head, size_t nhead)
{
    size_t i = 0, k = 0;

    cmp->cell = calloc(nbase + nhead + 1, sizeof(*cmp->cell));
    cmp->judged = calloc(nbase + nhead + 1, sizeof(*cmp->judged));
    if (cmp->cell == NULL || cmp->judged == NULL)
        return -1;
    while (i < nbase || k < nhead) {
        struct chorale_cell *c = &cmp->cell[cmp->count++];
        int d = i == nbase ? 1
                : k == nhead ? -1 : by_group(&base[i], &head[k]);

        if (d <= 0) {
            c->at = *base[i].row;
            c->base_row = base[i].row;
            c->nbase = base[i++].count;
        }
        if (d >= 0) {
            c->at = *head[k].row;
            c->head_row = head[k].row;
            c->nhead = head[k++].count;
        }
    }
    return 0;
}

/* Collect the log times of a cell's runs in one measurement of a side, the
 * first or the second, in order of time. launch[] is set to their launches.
 * Returns their number. */
static size_t take(const struct chorale_side *side,
                   const struct chorale_run_point *row, size_t n, int again,
                   double *x, const struct chorale_side_launch **launch)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        const struct chorale_side_launch *l =
            chorale_side_launch_of(side, row[i].launch_id);
        size_t k = count;

        if (l == NULL || !l->in || l->again != again || !row[i].ok)
            continue;
        for (; k > 0 && (strcmp(launch[k - 1]->started, l->started) > 0 ||
                         (strcmp(launch[k - 1]->started, l->started) == 0 &&
                          launch[k - 1]->id > l->id));
             k--) {
            launch[k] = launch[k - 1];
            x[k] = x[k - 1];
        }
        launch[k] = l;
        x[k] = log(row[i].seconds);
        count++;
    }
    return count;
}

/* Pair launches of both sides that are neighbours in time. Returns their number
 * and moves their values to the front of x and y. Launches without a neighbour
 * are left out. */
static size_t neighbours(const struct chorale_side_launch **a, double *x,
                         size_t na, const struct chorale_side_launch **b,
                         double *y, size_t nb)
{
    size_t i = 0, k = 0, n = 0;

    while (i < na && k < nb) {
        int d = strcmp(a[i]->started, b[k]->started);

        /* A later launch of a's side is closer to b[k]. */
        if (d < 0 && i + 1 < na &&
            strcmp(a[i + 1]->started, b[k]->started) < 0) {
            i++;
            continue;
        }
        if (d > 0 && k + 1 < nb &&
            strcmp(b[k + 1]->started, a[i]->started) < 0) {
            k++;
            continue;
        }
        x[n] = x[i++];
        y[n++] = y[k++];
    }
    return n;
}

/* Treat the second measurement as paired if most of its launches have a
 * neighbour on the other side. A launch that one side lacks thus does not
 * affect the others. */
static void pair_up(struct chorale_comparison *cmp, struct chorale_sides *s,
                    const struct chorale_side_launch **a,
                    const struct chorale_side_launch **b)
{
    size_t least = s->again_base.n < s->again_head.n ? s->again_base.n
                                                     : s->again_head.n, n;
    double *x, *y, *keep;

    if (least == 0)
        return;
    x = cmp->pool + (s->again_base.x - cmp->pool);
    y = cmp->pool + (s->again_head.x - cmp->pool);
    keep = malloc((s->again_base.n + s->again_head.n) * sizeof(*keep));
    if (keep == NULL)
        return;
    memcpy(keep, x, s->again_base.n * sizeof(*keep));
    memcpy(keep + s->again_base.n, y, s->again_head.n * sizeof(*keep));
    n = neighbours(a, x, s->again_base.n, b, y, s->again_head.n);
    if (2 * n > least) {
        s->again_base.n = s->again_head.n = n;
        s->paired = 1;
    } else {
        memcpy(x, keep, s->again_base.n * sizeof(*keep));
        memcpy(y, keep + s->again_base.n, s->again_head.n * sizeof(*keep));
    }
    free(keep);
}

/* Memory for the launches of one cell on both sides. */
struct room {
    const struct chorale_side_launch **a, **b;
    double *next;            /* next free value of the pool */
};

static struct chorale_series series(const struct chorale_side *side,
                                    const struct chorale_run_point *row,
                                    size_t n, int again,
                                    const struct chorale_side_launch **launch,
                                    struct room *room)
{
    struct chorale_series s = { room->next, 0 };

    s.n = take(side, row, n, again, room->next, launch);
    room->next += s.n;
    return s;
}

static void fill(struct chorale_comparison *cmp, size_t i, struct room *room)
{
    struct chorale_cell *c = &cmp->cell[i];
    struct chorale_sides *s = &cmp->judged[i].sides;

    s->base = series(&cmp->base, c->base_row, c->nbase, 0, room->a, room);
    s->head = series(&cmp->head, c->head_row, c->nhead, 0, room->b, room);
    s->again_base = series(&cmp->base, c->base_row, c->nbase, 1, room->a,
                           room);
    s->again_head = series(&cmp->head, c->head_row, c->nhead, 1, room->b,
                           room);
    pair_up(cmp, s, room->a, room->b);
    c->failed = c->nbase > 0 && c->nhead > 0 && s->base.n > 0 &&
                s->head.n + s->again_head.n == 0;
}

/* The calls per repetition of a cell; 0 if no launch counts. */
static int batch_of(const struct chorale_side *side,
                    const struct chorale_run_point *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct chorale_side_launch *l =
            chorale_side_launch_of(side, row[i].launch_id);

        if (l != NULL && l->in && row[i].ok)
            return row[i].batch;
    }
    return 0;
}

/* Leave cells with different batches on the two sides undecided, and count
 * them. Calls in a row overlap with the barrier between them, so times of
 * different batches are not comparable. */
static size_t mark_unlike_batches(struct chorale_comparison *cmp)
{
    size_t n = 0;

    for (size_t i = 0; i < cmp->count; i++) {
        struct chorale_cell *c = &cmp->cell[i];
        int base = batch_of(&cmp->base, c->base_row, c->nbase);
        int head = batch_of(&cmp->head, c->head_row, c->nhead);

        if (base == 0 || head == 0 || base == head)
            continue;
        c->batch_base = base;
        c->batch_head = head;
        cmp->judged[i].verdict = CHORALE_UNDECIDED;
        cmp->judged[i].looks_slower = 0;
        n++;
    }
    return n;
}

static size_t most_runs(const struct chorale_comparison *cmp)
{
    size_t most = 1;

    for (size_t i = 0; i < cmp->count; i++) {
        most = cmp->cell[i].nbase > most ? cmp->cell[i].nbase : most;
        most = cmp->cell[i].nhead > most ? cmp->cell[i].nhead : most;
    }
    return most + cmp->base.nlaunch + cmp->head.nlaunch;
}

/* Add a canary for launches of one shape; NULL if the list is full. */
static struct chorale_canary *add_canary(struct chorale_comparison *cmp,
                                         const char *what,
                                         const struct chorale_side_launch *l)
{
    struct chorale_canary *c = &cmp->canary[cmp->ncanary];

    if (cmp->ncanary == CHORALE_CANARIES)
        return NULL;
    snprintf(cmp->canary_name[cmp->ncanary], sizeof(cmp->canary_name[0]),
             "%s, P = %d", what, l->comm_size);
    *c = (struct chorale_canary){ .name = cmp->canary_name[cmp->ncanary] };
    cmp->ncanary++;
    return c;
}

static int same_kind(const struct chorale_side_launch *a,
                     const struct chorale_side_launch *b)
{
    return a->comm_size == b->comm_size && a->ppn == b->ppn &&
           strcmp(a->shape, b->shape) == 0;
}

static int same_placement(const struct chorale_run_point *at,
                          const struct chorale_side_launch *l)
{
    return at->comm_size == l->comm_size && at->ppn == l->ppn &&
           strcmp(at->shape, l->shape) == 0;
}

/* The common shift of the library's cells in a launch: the median of their
 * differences from each cell's mean in base. NAN without such cells. */
static double library_of(const struct chorale_comparison *cmp,
                         const struct chorale_side *side,
                         const struct chorale_side_launch *l, double *work)
{
    size_t n = 0;

    for (size_t i = 0; i < cmp->count; i++) {
        const struct chorale_cell *c = &cmp->cell[i];
        int head = side == &cmp->head;
        const struct chorale_run_point *row = head ? c->head_row : c->base_row;
        size_t count = head ? c->nhead : c->nbase;
        const struct chorale_series *base = &cmp->judged[i].sides.base;
        double sum = 0;

        if (base->n == 0 || strcmp(c->at.provider, "library") != 0 ||
            !same_placement(&c->at, l))
            continue;
        for (size_t k = 0; k < base->n; k++)
            sum += base->x[k];
        for (size_t k = 0; k < count; k++)
            if (row[k].launch_id == l->id && row[k].ok)
                work[n++] = log(row[k].seconds) - sum / (double)base->n;
    }
    if (n == 0)
        return NAN;
    gsl_sort(work, 1, n);
    return (work[(n - 1) / 2] + work[n / 2]) / 2;
}

enum canary_kind { MESSAGES, BYTES, COPIES, LIBRARY, NKIND };

/* Block size in bytes from which copying takes a relevant part of the time. */
enum { COPIED = 8192 };

static int canary_applies(enum canary_kind kind,
                          const struct chorale_run_point *at)
{
    if (kind == LIBRARY)
        return strcmp(at->provider, "library") != 0;
    return kind != COPIES || at->msg_size >= COPIED;
}

static struct chorale_series
canary_series(const struct chorale_comparison *cmp,
              const struct chorale_side *side, enum canary_kind kind,
              int again, const struct chorale_side_launch *as,
              const struct chorale_side_launch **to, struct room *room,
              double *work)
{
    struct chorale_series s = { room->next, 0 };

    for (size_t i = 0; i < side->nlaunch; i++) {
        const struct chorale_side_launch *l = &side->launch[i];
        double x;

        if (!l->in || l->again != again || !same_kind(l, as))
            continue;
        x = kind == MESSAGES ? l->alpha
            : kind == BYTES ? l->beta
            : kind == COPIES ? l->copy : library_of(cmp, side, l, work);
        if (!isfinite(x))
            continue;
        to[s.n] = l;
        room->next[s.n++] = x;
    }
    room->next += s.n;
    return s;
}

/* Add the canaries of launches of one kind: things measured with every launch
 * that did not change. */
static void add_canaries(struct chorale_comparison *cmp,
                         const struct chorale_side_launch *as,
                         struct room *room, double *work)
{
    static const char *const name[] = { "messages", "bytes", "copies in memory",
                                        "library" };
    int same = strcmp(cmp->base.mpi, cmp->head.mpi) == 0 &&
               cmp->settings_differ == 0;

    for (int kind = MESSAGES; kind < NKIND; kind++) {
        struct chorale_canary *c;
        unsigned long long bit = 1ull << cmp->ncanary;
        struct chorale_sides *s;

        if (kind == LIBRARY && !same)
            continue;
        c = add_canary(cmp, name[kind], as);
        if (c == NULL)
            return;
        s = &c->sides;
        s->base = canary_series(cmp, &cmp->base, (enum canary_kind)kind, 0, as,
                                room->a, room, work);
        s->head = canary_series(cmp, &cmp->head, (enum canary_kind)kind, 0, as,
                                room->b, room, work);
        s->again_base = canary_series(cmp, &cmp->base, (enum canary_kind)kind,
                                      1, as, room->a, room, work);
        s->again_head = canary_series(cmp, &cmp->head, (enum canary_kind)kind,
                                      1, as, room->b, room, work);
        pair_up(cmp, s, room->a, room->b);
        for (size_t i = 0; i < cmp->count; i++)
            if (same_placement(&cmp->cell[i].at, as) &&
                canary_applies((enum canary_kind)kind, &cmp->cell[i].at))
                cmp->judged[i].canaries |= bit;
    }
}

static void find_canaries(struct chorale_comparison *cmp, struct room *room,
                          double *work)
{
    for (size_t i = 0; i < cmp->head.nlaunch; i++) {
        size_t k = 0;

        while (k < i && !same_kind(&cmp->head.launch[k], &cmp->head.launch[i]))
            k++;
        if (k == i)
            add_canaries(cmp, &cmp->head.launch[i], room, work);
    }
}

/* Most values of all series together. */
static size_t pool_size(const struct chorale_comparison *cmp)
{
    return cmp->base.points.count + cmp->head.points.count +
           (cmp->base.nlaunch + cmp->head.nlaunch) * CHORALE_CANARIES + 1;
}

static int fill_all(struct chorale_comparison *cmp)
{
    size_t most = most_runs(cmp);
    struct room room = { malloc(most * sizeof(*room.a)),
                         malloc(most * sizeof(*room.b)), NULL };
    double *work = malloc((cmp->base.points.count + cmp->head.points.count +
                           1) * sizeof(*work));
    int rc = -1;

    cmp->pool = malloc(pool_size(cmp) * sizeof(*cmp->pool));
    room.next = cmp->pool;
    if (room.a != NULL && room.b != NULL && work != NULL &&
        cmp->pool != NULL) {
        for (size_t i = 0; i < cmp->count; i++)
            fill(cmp, i, &room);
        if (!cmp->opts.exact && !cmp->unlike)
            find_canaries(cmp, &room, work);
        rc = 0;
    }
    free(room.a);
    free(room.b);
    free(work);
    return rc;
}

/* Fail if a side has cells of other kinds only (throughput, late ranks,
 * siblings, tables), which are not compared. */
static enum chorale_err check_kinds(const struct chorale_side *side,
                                    size_t ngroup, struct chorale_errmsg *msg)
{
    char kinds[160] = "";
    enum chorale_err err = ngroup > 0 || side->nother == 0
        ? CHORALE_OK
        : chorale_cells_uncompared(chorale_shard_store(side->shard),
                                   side->system_id, kinds, sizeof(kinds), msg);

    if (err == CHORALE_OK && kinds[0] != '\0')
        err = chorale_fail(msg, CHORALE_DATA, "%s: only durations are "
                           "compared, but the cells measured are %s; plan "
                           "cells without --metric, --arrival and --siblings",
                           side->path, kinds);
    return err;
}

enum chorale_err chorale_comparison_cells(struct chorale_comparison *cmp,
                                          struct chorale_errmsg *msg)
{
    size_t nbase = 0, nhead = 0, unlike;
    enum chorale_err err;
    struct group *base = groups(&cmp->base, &nbase);
    struct group *head = groups(&cmp->head, &nhead);
    int bad = base == NULL || head == NULL;

    bad = bad || merge(cmp, base, nbase, head, nhead) != 0 ||
          fill_all(cmp) != 0 ||
          chorale_compare_judge(cmp->judged, cmp->count, cmp->canary,
                                cmp->ncanary, &cmp->opts) != 0;
    free(base);
    free(head);
    if (bad)
        return chorale_fail_memory(msg, "compare");
    err = check_kinds(&cmp->base, nbase, msg);
    if (err == CHORALE_OK)
        err = check_kinds(&cmp->head, nhead, msg);
    if (err != CHORALE_OK)
        return err;
    if (nbase + nhead == 0)
        return chorale_fail(msg, CHORALE_DATA, "%s, %s: no run is measured; "
                            "run `chorale run`", cmp->base.path,
                            cmp->head.path);
    if (nbase > 0 && nhead > 0)
        chorale_comparison_unpaired(cmp);
    err = chorale_comparison_invalid(cmp, msg);
    if (err != CHORALE_OK)
        return err;
    unlike = mark_unlike_batches(cmp);
    if (unlike > 0)
        chorale_comparison_note(cmp, "%zu cell%s timed in other batches "
                                "in head: undecided; `chorale plan --batch` "
                                "sets it for both", unlike,
                                unlike == 1 ? " was" : "s were");
    return CHORALE_OK;
}
