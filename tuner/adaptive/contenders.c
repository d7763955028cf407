/* SPDX-License-Identifier: BSD-3-Clause */
/* contenders.c - how far the model's predictions are from the measurements, and
 * the candidates of a point that may be the best by it.
 *
 * A point has thousands of candidates, and each prediction replays a schedule.
 * So candidates are sorted by a lower bound of their time. They are predicted
 * in this order until the bound passes the limit, which is the best prediction
 * plus the margin. */
#include "tuner/adaptive/adaptive.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/predict.h"

#define SD_QUANTILE 0.9  /* of |log(measured / model)| over all cells, taken as
                          * the standard deviation */
#define SD_LEAST 0.001   /* its minimum */
#define SD_FEW 8         /* cells required; */
#define SD_USUAL 0.4     /* else this is assumed */
#define MARGIN_SD 3.0    /* of a contender, in standard deviations, */
#define MARGIN 0.005     /* and beside them */
#define FEW 4            /* cells that a variant's mean deviation requires */
#define SLACK 0.7        /* factor of bounds: overlapped sends avoid waits for
                          * receivers that stated costs contain */
#define MOST 48          /* contenders of a point */
#define WIDE 2.0         /* slower candidates in pattern sync lose too much */
#define EACH 4           /* candidates of a variant predicted for late ranks */
#define LONGEST 1e6      /* events of a schedule that is compared with its
                          * measurements */
#define WORK 3e8         /* limit of the work of replays (predict.h) of a
                          * round, */
#define POINT 0.02       /* and of a point, as a share of the rest */

/* Log ratio of measured to predicted time of the runs row[0, n) of one cell;
 * NAN: not predicted, or no run is usable. */
static double residual(const struct chorale_adapt_evidence *e,
                       const struct chorale_run_point *row, size_t n)
{
    char policy[16];
    size_t len = strcspn(row->conditions, " ");
    struct chorale_where where = {
        .coll = row->coll, .comm_size = row->comm_size, .ppn = row->ppn,
        .shape = row->shape, .msg_size = row->msg_size, .dtype = row->dtype,
        .op = row->op, .op_class = row->op_class, .root_policy = policy,
    };
    double sum = 0, k = 0, seconds;

    if (row->config.alg == NULL || row->comm_size < 2 || len >= sizeof(policy))
        return NAN;
    memcpy(policy, row->conditions, len);
    policy[len] = '\0';
    for (size_t i = 0; i < n; i++)
        if (row[i].ok && row[i].seconds > 0) {
            sum += log(row[i].seconds);
            k++;
        }
    seconds = k > 0 ? chorale_predict(e->model, row->config.alg,
                                      row->config.value, &where)
                    : NAN;
    return seconds > 0 ? sum / k - log(seconds) : NAN;
}

int chorale_adapt_same_cell(const struct chorale_run_point *a,
                            const struct chorale_run_point *b)
{
    return a->comm_size == b->comm_size && a->ppn == b->ppn &&
           a->shape == b->shape && a->n == b->n && a->coll == b->coll &&
           a->dtype == b->dtype && a->op == b->op &&
           chorale_run_same_candidate(a, b);
}

int chorale_adapt_evidence_init(struct chorale_adapt_evidence *e,
                                const struct chorale_points *points,
                                const char *root, int comm_size)
{
    size_t nalg = 0, nz = 0, end;
    int largest = 0;
    double *z, *count, *low, *high;

    *e = (struct chorale_adapt_evidence){ .root = root, .sd = SD_USUAL };
    if (points->count == 0)
        return 0;
    while (chorale_algs[nalg] != NULL)
        nalg++;
    z = malloc(points->count * sizeof(*z));
    count = calloc(3 * (nalg + 1), sizeof(*count));
    low = count != NULL ? count + nalg + 1 : NULL;
    high = count != NULL ? low + nalg + 1 : NULL;
    e->bias = calloc(2 * (nalg + 1), sizeof(*e->bias));
    e->doubt = e->bias != NULL ? e->bias + nalg + 1 : NULL;
    if (z != NULL && count != NULL && e->bias != NULL)
        e->model = chorale_predictor_fit(points);
    chorale_predict_limit(e->model, 0, LONGEST);
    for (size_t i = 0; e->model != NULL && i < points->count; i = end) {
        const struct chorale_run_point *row = &points->row[i];
        double own;
        int v;

        for (end = i + 1; end < points->count &&
                          chorale_adapt_same_cell(row, &points->row[end]);
             end++)
            continue;
        own = residual(e, row, end - i);
        if (isnan(own))
            continue;
        v = chorale_alg_index(row->config.alg);
        low[v] = count[v] > 0 ? fmin(low[v], own) : own;
        high[v] = count[v] > 0 ? fmax(high[v], own) : own;
        e->bias[v] += own;
        count[v]++;
        largest = row->comm_size > largest ? row->comm_size : largest;
        z[nz++] = fabs(own);
    }
    chorale_predict_limit(e->model, 0, 0);
    e->far = largest < comm_size;
    if (nz >= SD_FEW && !e->far) {
        gsl_sort(z, 1, nz);
        e->sd = fmin(fmax(z[(size_t)(SD_QUANTILE * (double)nz)], SD_LEAST),
                     SD_USUAL);
    }
    for (size_t i = 0; e->model != NULL && i < nalg; i++) {
        e->bias[i] /= fmax(count[i], 1);
        if (e->bias[i] > 0 &&
            (count[i] < FEW || high[i] - low[i] > MARGIN_SD * e->sd))
            e->doubt[i] = e->bias[i];
    }
    free(z);
    free(count);
    return z != NULL && count != NULL && e->bias != NULL ? 0 : -1;
}

void chorale_adapt_evidence_release(struct chorale_adapt_evidence *e)
{
    chorale_predictor_free(e->model);
    free(e->bias);
    *e = (struct chorale_adapt_evidence){ .model = NULL };
}

/* --- contenders of a point ---------------------------------------------- */

enum { PATTERNS = 3 };       /* of arrivals robust */

struct entry {
    size_t cell;
    double bound, seconds;   /* INFINITY: not predicted */
};

static int by_bound(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static int by_seconds(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* A lower bound of the predicted seconds. Of the messages on the critical path
 * one takes its latency. Each of the others takes at least the time after which
 * a rank may send or receive again, since its latency may overlap with others.
 * The bytes of a path pass through one port after the other in any case. */
static double bound_of(const struct chorale_alg *alg, struct chorale_point pt,
                       const struct chorale_predict_least *least)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c, latency, within = 1;

    if (chorale_alg_by_library(alg, &pt))
        return 0;
    pt.alpha = least->alpha;
    pt.beta = least->beta;
    pt.tau = least->tau;
    chorale_term_sums(term, alg->cost(&pt, term), &a, &b, &c);
    if (!chorale_alg_exact(alg, &pt))
        within = alg->within > 0 ? alg->within : CHORALE_WITHIN;
    latency = least->alpha * fmin(a, 1);
    if (a > 1)
        latency += (a - 1) * (chorale_alg_overlaps(alg, &pt) ? least->overlapped
                                                             : least->step);
    return SLACK / within *
           (latency + b * least->beta + c * least->tau);
}

/* The factor by which the model may be too fast for a variant, at least. */
static double deviation(const struct chorale_adapt_evidence *e,
                        const struct chorale_alg *alg)
{
    const int v = chorale_alg_index(alg);

    return exp(e->bias[v] - e->doubt[v]);
}

static double margin_of(const struct chorale_adapt_evidence *e)
{
    return (e->far ? 1 : exp(MARGIN_SD * e->sd)) * (1 + MARGIN);
}

static double work_of(const struct chorale_adapt_evidence *e)
{
    return e->work > 0 ? fmin(e->work, WORK) : WORK;
}

/* Predict entries in the order of their bounds, up to that factor of the best.
 * Returns the limit in seconds. */
static double predict(const struct chorale_adapt_evidence *e,
                      const struct chorale_adapt_model *model,
                      const struct chorale_adapt_cell *cell,
                      struct entry *entry, size_t n, double margin)
{
    const double begin = chorale_predict_work(e->model);
    const double most = POINT * (work_of(e) - begin);
    double best = INFINITY;

    for (size_t i = 0; i < n && entry[i].bound <= best * margin; i++) {
        const struct chorale_adapt_cell *c = &cell[entry[i].cell];
        const struct chorale_alg *alg = c->config.alg;
        const struct chorale_point pt = chorale_decide_point(
            &model->run, c->config.value, c->n, c->comm_size);
        double seconds = chorale_adapt_seconds(model, &c->config, c->n,
                                               c->comm_size);

        if (isnan(seconds))
            continue;
        entry[i].seconds = seconds * deviation(e, alg);
        seconds *= exp(e->bias[chorale_alg_index(alg)]);
        if (!chorale_alg_by_library(alg, &pt))
            best = fmin(best, seconds);
        if (model->played != NULL &&
            chorale_predict_work(e->model) - begin > most)
            break;
    }
    return best * margin;
}

/* Replace the seconds of entries, sorted by their time in pattern sync, by
 * those with the largest loss over sync, last and ascending, and set log_late.
 * Returns the limit in seconds. */
static double add_losses(const struct chorale_adapt_evidence *e,
                         struct chorale_adapt_model *model,
                         struct chorale_adapt_cell *cell, struct entry *entry,
                         size_t n, double limit)
{
    static const char *const name[PATTERNS] = { NULL, "last", "ascending" };
    double (*seconds)[PATTERNS] = malloc((n + 1) * sizeof(*seconds));
    double least[PATTERNS] = { INFINITY, INFINITY, INFINITY }, best = INFINITY;
    size_t taken = 0;

    model->skew = chorale_adapt_library(model, cell->n, cell->comm_size);
    for (size_t i = 0; seconds != NULL && i < n; i++) {
        const struct chorale_adapt_cell *c = &cell[entry[i].cell];
        size_t alike = 0;

        for (size_t k = 0; k < i; k++)
            alike += isfinite(entry[k].seconds) &&
                     cell[entry[k].cell].config.alg == c->config.alg;
        seconds[i][0] = entry[i].seconds;
        if (taken == MOST || alike >= EACH || !(entry[i].seconds <= limit)) {
            entry[i].seconds = INFINITY;
            continue;
        }
        taken++;
        for (int k = 1; k < PATTERNS; k++) {
            model->arrival = name[k];
            seconds[i][k] = chorale_adapt_seconds(model, &c->config, c->n,
                                                  c->comm_size);
            if (isnan(seconds[i][k]))
                seconds[i][k] = seconds[i][0] + model->skew;
        }
        for (int k = 0; k < PATTERNS; k++)
            least[k] = fmin(least[k], seconds[i][k]);
    }
    model->arrival = NULL;
    for (size_t i = 0; seconds != NULL && i < n; i++) {
        struct chorale_adapt_cell *c = &cell[entry[i].cell];
        double loss = 0;

        for (int k = 0; k < PATTERNS; k++)
            loss = fmax(loss, seconds[i][k] - least[k]);
        if (!isfinite(entry[i].seconds))
            continue;
        entry[i].seconds = least[0] + loss;
        if (isnan(c->log_late))
            c->log_late = log(entry[i].seconds / seconds[i][0]);
        best = fmin(best, entry[i].seconds);
    }
    free(seconds);
    return best * margin_of(e);
}

size_t chorale_adapt_contenders(const struct chorale_adapt_evidence *e,
                                const struct chorale_decide_opts *decide,
                                struct chorale_adapt_cell *cell, size_t n)
{
    struct chorale_adapt_model model = { .run = chorale_adapt_run(cell),
                                         .root = e->root };
    struct entry *entry = malloc((n + 1) * sizeof(*entry));
    unsigned char *keep = calloc(n + 1, 1);
    struct chorale_predict_least least;
    size_t nentry = 0, kept = SIZE_MAX;
    const int robust = decide->arrivals == CHORALE_ARRIVALS_ROBUST;
    double limit;

    if (entry == NULL || keep == NULL ||
        chorale_predict_least(e->model, model.run.dtype, model.run.op,
                              &least) != 0)
        goto end;
    model.net = chorale_family_network(e->model, &model.run);
    if (chorale_predict_work(e->model) < work_of(e))
        model.played = e->model;
    keep[0] = 1;
    for (size_t i = 1; i < n; i++) {
        const struct chorale_alg *alg = cell[i].config.alg;
        const struct chorale_point pt = chorale_decide_point(
            &model.run, cell[i].config.value, cell[i].n, cell[i].comm_size);

        keep[i] = cell[i].known != 0;
        if (chorale_decide_excluded(alg, &pt, decide) == NULL)
            entry[nentry++] = (struct entry){
                i, bound_of(alg, pt, &least) * deviation(e, alg), INFINITY
            };
    }
    qsort(entry, nentry, sizeof(*entry), by_bound);
    limit = predict(e, &model, cell, entry, nentry,
                    robust ? WIDE * margin_of(e) : margin_of(e));
    qsort(entry, nentry, sizeof(*entry), by_seconds);
    if (robust && model.played != NULL) {
        limit = add_losses(e, &model, cell, entry, nentry, limit);
        qsort(entry, nentry, sizeof(*entry), by_seconds);
    }
    for (size_t i = 0; i < nentry && i < MOST &&
                       isfinite(entry[i].seconds) && entry[i].seconds <= limit;
         i++)
        keep[entry[i].cell] = 1;
    kept = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i])
            cell[kept++] = cell[i];
end:
    free(entry);
    free(keep);
    return kept;
}

double chorale_adapt_expected(const struct chorale_adapt_evidence *e,
                              const struct chorale_adapt_cell *cell)
{
    struct chorale_adapt_model model = {
        .run = chorale_adapt_run(cell), .root = e->root, .played = e->model,
    };

    model.net = chorale_family_network(e->model, &model.run);
    if (!(model.net.alpha > 0))
        model.net = chorale_adapt_typical;
    return deviation(e, cell->config.alg) *
           chorale_adapt_seconds(&model, &cell->config, cell->n,
                                 cell->comm_size);
}
