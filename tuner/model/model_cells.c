/* SPDX-License-Identifier: BSD-3-Clause */
/* model_cells.c - group runs into cells, and record the schedules of a sample
 * of the cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/fnv1a.h"
#include "algorithms/alg.h"
#include "db/quantiles.h"
#include "tuner/model/model_internal.h"

#define MANY_LAUNCHES 32 /* with more, the geometric mean is used */
#define TWO_STATES 1.5   /* ratio of times above which they have two states */
#define LONGEST 40000 /* recorded events that any cell may have, */
#define LONGEST_ALONE 2e6 /* if fewer leave one message size only */
#define COARSE 6 /* 1/COARSE of the sample chooses the kind of network */
#define SOME_COARSE 100 /* with more variants, one cell of each chooses it */

static int same_cell(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->n == b->n &&
           chorale_run_same_candidate(a, b) && a->conditions == b->conditions;
}

/* Index of the tau of that type and operation, added if new; -1: no room. */
static int find_tau(struct chorale_model *model,
                    const struct chorale_run_point *run)
{
    struct chorale_model_tau *tau = model->tau;

    for (size_t i = 0; i < model->ntau; i++)
        if (tau[i].dtype == run->dtype && tau[i].op == run->op)
            return (int)i;
    if (model->ntau == CHORALE_MODEL_TAUS)
        return -1;
    tau[model->ntau] = (struct chorale_model_tau){
        .dtype = run->dtype, .op = run->op,
        .type_size = chorale_run_type_size(run), .known = 1,
        .regime = { .n = 1, .upto = { HUGE_VAL } },
    };
    return (int)model->ntau++;
}

/* Set the placement of a run's ranks; -1: unknown shape. An irregular shape is
 * treated as blocks, since usually only the last node is not full. */
static int set_place(struct model_cell *cell,
                     const struct chorale_run_point *run)
{
    int p = run->comm_size;

    cell->place = CHORALE_NET_BLOCK;
    cell->ppn = run->ppn;
    if (strcmp(run->shape, "single-node") == 0)
        cell->ppn = p;
    else if (strcmp(run->shape, "one-per-node") == 0)
        cell->ppn = 1;
    else if (strcmp(run->shape, "cyclic") == 0)
        cell->place = CHORALE_NET_CYCLIC;
    else if (strcmp(run->shape, "block") != 0 &&
             strcmp(run->shape, "irregular") != 0)
        return -1;
    if (cell->ppn < 1)
        return -1;
    cell->nodes = (p + cell->ppn - 1) / cell->ppn;
    return 0;
}

/* Describe a run's cell; -1: unknown variant, parameters, type or shape, or too
 * many types and operations. */
static int describe(struct chorale_model *model,
                    const struct chorale_run_point *run,
                    struct model_cell *cell)
{
    cell->alg = run->config.alg;
    cell->pt = (struct chorale_point){
        .comm_size = run->comm_size, .msg_size = run->msg_size, .n = run->n,
        .type_size = chorale_run_type_size(run),
        .commutative = strcmp(run->op_class, "noncommutative") != 0,
        .ppn = strcmp(run->shape, "block") == 0 ||
                       strcmp(run->shape, "irregular") == 0 ? run->ppn : 0,
    };
    memcpy(cell->pt.param, run->config.value, sizeof(cell->pt.param));
    if (cell->alg == NULL || run->type == NULL || set_place(cell, run) != 0 ||
        chorale_alg_refuses(cell->alg, &cell->pt) != NULL)
        return -1;
    cell->tau = -1;
    if (chorale_coll_info(run->coll)->reduces) {
        cell->tau = find_tau(model, run);
        if (cell->tau < 0)
            return -1;
    }
    return 0;
}

/* Centre of n ascending values: with few values the median, else the
 * Hodges-Lehmann estimator (median of pairwise means), which is more efficient.
 * Values far apart come from two states of the machine, as if virtual
 * processors share a cache at times. Then the median is a time of the more
 * frequent state; the estimator would break down at 29 % of the other state. */
static double centre(const double *x, size_t n)
{
    double mean[MANY_LAUNCHES * (MANY_LAUNCHES + 1) / 2];
    size_t k = 0;

    if (n < 5 || x[n - 1] - x[0] > log(TWO_STATES))
        return chorale_quantile(x, n, 0.5);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            mean[k++] = (x[i] + x[j]) / 2;
    chorale_sort(mean, k);
    return chorale_quantile(mean, k, 0.5);
}

double chorale_model_cell_seconds(const struct model_job *job,
                                  const struct model_cell *cell, int ordinal)
{
    const struct chorale_run_point *row = job->points->row;
    double log_of[MANY_LAUNCHES], sum = 0;
    size_t n = 0;

    if (cell->memory)
        return chorale_model_memory_seconds(job, cell, ordinal);
    for (size_t i = cell->first; i < cell->last; i++) {
        double l;

        if (!row[i].ok || (ordinal >= 0 && row[i].ordinal != ordinal))
            continue;
        l = log(row[i].seconds);
        if (n < MANY_LAUNCHES)
            log_of[n] = l;
        sum += l;
        n++;
    }
    if (n < 3 || n > MANY_LAUNCHES)
        return n > 0 ? exp(sum / (double)n) : 0;
    chorale_sort(log_of, n);
    return exp(centre(log_of, n));
}

/* A pseudo-random number for a cell: FNV-1a of its texts, mixed with the size.
 * The order of these numbers decides which of many cells a fit uses. */
static uint64_t hash(const struct chorale_run_point *run)
{
    const char *text[] = { run->params, run->conditions, run->dtype, run->op };
    uint64_t h = CHORALE_FNV1A_START;

    for (size_t i = 0; i < 4; i++)
        h = chorale_fnv1a(h, text[i], strlen(text[i]));
    h = (h ^ run->msg_size) * UINT64_C(0x100000001b3);
    return (h ^ (h >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
}

static const struct chorale_run_point *run_of(const struct model_job *job,
                                              const struct model_cell *cell)
{
    return &job->points->row[cell->first];
}

/* Order by variant. */
static int compare_group(const struct model_cell *a,
                         const struct model_cell *b)
{
    int ia = chorale_alg_index(a->alg), ib = chorale_alg_index(b->alg);

    return (ia > ib) - (ia < ib);
}

static int by_place(const void *va, const void *vb)
{
    const struct model_cell *a = va, *b = vb;
    int c = compare_group(a, b);

    if (c == 0)
        c = (a->pt.comm_size > b->pt.comm_size) -
            (a->pt.comm_size < b->pt.comm_size);
    if (c == 0)
        c = (a->ppn > b->ppn) - (a->ppn < b->ppn);
    if (c == 0)
        c = (a->order > b->order) - (a->order < b->order);
    return c != 0 ? c : (a->first > b->first) - (a->first < b->first);
}

static int by_order(const void *va, const void *vb)
{
    const struct model_cell *a = va, *b = vb;
    int c = compare_group(a, b);

    if (c == 0)
        c = (a->order > b->order) - (a->order < b->order);
    return c != 0 ? c : (a->first > b->first) - (a->first < b->first);
}

/* Sort the cells by variant; within a variant take one cell of each process
 * count before the second of any, with sizes in pseudorandom order. */
static void shuffle(struct model_job *job)
{
    struct model_cell *cell = job->cell;
    uint64_t k = 0;

    for (size_t i = 0; i < job->ncell; i++)
        cell[i].order = hash(run_of(job, &cell[i]));
    qsort(cell, job->ncell, sizeof(*cell), by_place);
    for (size_t i = 0; i < job->ncell; i++) {
        k = i > 0 && compare_group(&cell[i - 1], &cell[i]) == 0 &&
                    cell[i - 1].pt.comm_size == cell[i].pt.comm_size &&
                    cell[i - 1].ppn == cell[i].ppn ? k + 1 : 0;
        cell[i].order = k;
    }
    qsort(cell, job->ncell, sizeof(*cell), by_order);
}

/* Record a cell's schedule for each root of its policy. Returns the number of
 * events, 0 if it has no schedule. */
static size_t write_down(const struct model_job *job, struct model_cell *cell)
{
    const int root[3] = { 0, cell->pt.comm_size / 2, cell->pt.comm_size - 1 };
    static const char *const name[3] = { "first", "middle", "last" };
    const char *policy = run_of(job, cell)->conditions;
    int rooted = chorale_coll_info(cell->alg->coll)->rooted;
    int cold = strstr(policy, " warm") == NULL;
    size_t length = strcspn(policy, " "), notes = 0;

    for (int i = 0; i < 3; i++) {
        struct chorale_point at = cell->pt;

        at.root = root[i];
        if (rooted && strncmp(policy, "rotate", length) != 0 &&
            strncmp(policy, name[i], length) != 0)
            continue;
        if (!rooted && i > 0)
            break;
        cell->score[i] = chorale_recording_new(cell->alg, &at, cell->ppn,
                                               cell->place, cold, NULL);
        if (cell->score[i] == NULL)
            return 0;
        notes += 1 + chorale_recording_events(cell->score[i]);
    }
    return notes;
}

static void forget(struct model_cell *cell)
{
    for (int i = 0; i < 3; i++) {
        chorale_recording_free(cell->score[i]);
        cell->score[i] = NULL;
    }
}

/* Record the cells [first, last) of one variant in order, up to its share of
 * cells and events. Cells without a schedule are counted. Returns the number of
 * cells that are left out, since they may have more than `longest` events. */
static size_t sample_variant(struct model_job *job, size_t first, size_t last,
                             size_t groups, double longest)
{
    size_t max_cells = CHORALE_MODEL_CELLS / groups;
    size_t max_notes = CHORALE_MODEL_NOTES / groups;
    size_t some = groups < SOME_COARSE / 3 ? 3 : groups < SOME_COARSE ? 2 : 1;
    size_t cells = 0, notes = 0, nlong = 0;

    for (size_t i = first; i < last; i++) {
        struct model_cell *cell = &job->cell[i];
        size_t n;

        if (cells > 2 && (cells >= max_cells || notes >= max_notes))
            break;
        if (chorale_recording_estimate(cell->alg, &cell->pt) >
            fmax(4 * (double)max_notes, longest)) {
            nlong++;
            continue;
        }
        n = write_down(job, cell);
        cell->use = n > 0;
        if (n == 0) {
            forget(cell);
            job->model->nopaque += cell->last - cell->first;
            continue;
        }
        cell->coarse = cells < some || (cells * COARSE < max_cells &&
                                     notes * COARSE < max_notes);
        notes += n;
        cells++;
    }
    return nlong;
}

/* Sample cells of up to `longest` events. Returns 1 if longer ones are needed:
 * cells were left out, and the sample has one message size only. */
static int sample_all(struct model_job *job, double longest)
{
    const struct model_cell *one = NULL;
    size_t groups = 0, nlong = 0, end;
    int differ = 0;

    for (size_t i = 0; i < job->ncell; i++)
        groups += i == 0 ||
                  compare_group(&job->cell[i - 1], &job->cell[i]) != 0;
    for (size_t i = 0; i < job->ncell; i = end) {
        for (end = i + 1; end < job->ncell &&
                          compare_group(&job->cell[i], &job->cell[end]) == 0;
             end++)
            continue;
        nlong += sample_variant(job, i, end, groups, longest);
    }
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].use) {
            one = one != NULL ? one : &job->cell[i];
            differ |= job->cell[i].pt.msg_size != one->pt.msg_size;
        }
    return nlong > 0 && !differ;
}

static void sample(struct model_job *job)
{
    const size_t opaque = job->model->nopaque;
    size_t kept = 0;

    if (sample_all(job, LONGEST)) { /* as with 1024 ranks */
        for (size_t i = 0; i < job->ncell; i++) {
            job->cell[i].use = 0;
            forget(&job->cell[i]);
        }
        job->model->nopaque = opaque;
        sample_all(job, LONGEST_ALONE);
    }
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].use)
            job->cell[kept++] = job->cell[i];
    job->ncell = kept;
}

enum chorale_err chorale_model_cells_find(struct model_job *job,
                                          struct chorale_errmsg *msg)
{
    const struct chorale_run_point *row = job->points->row;
    size_t i = 0, end;

    job->cell = calloc(job->points->count + 1 +
                           chorale_model_memory_count(job->points),
                       sizeof(*job->cell));
    if (job->cell == NULL)
        return chorale_fail_memory(msg, "fit");
    for (; i < job->points->count; i = end) {
        struct model_cell cell = { .first = i };
        size_t nok = 0;

        for (end = i; end < job->points->count &&
                      same_cell(&row[i], &row[end]); end++)
            nok += row[end].ok != 0;
        cell.last = end;
        if (nok == 0 || row[i].inherited ||
            strcmp(row[i].provider, "chorale") != 0 ||
            row[i].comm_size < 2)
            continue;
        if (describe(job->model, &row[i], &cell) != 0) {
            job->model->nskipped += nok;
            continue;
        }
        cell.seconds = chorale_model_cell_seconds(job, &cell, -1);
        job->cell[job->ncell++] = cell;
    }
    job->model->ncell = job->ncell;
    shuffle(job);
    sample(job);
    return chorale_model_memory_rows(job, msg);
}
