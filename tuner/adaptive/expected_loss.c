/* SPDX-License-Identifier: BSD-3-Clause */
/* expected_loss.c - predict the times at all points of a grid, and the expected
 * loss of a table there. */
#include "tuner/adaptive/adaptive.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/alg_config.h"
#include "tuner/decide/family.h"
#include "tuner/base/kriging.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/model/predict.h"

#define PLAYED 3.5e8     /* limit of the work of replays (predict.h) per round,
                          * beside that for the contenders (contenders.c) */
#define DRAWS 64
#define USUAL_SD 0.3     /* log units: of the formulas' error of a variant, and
                          * of the library's prediction */
#define COMMON 0.9       /* share of the variance of a prediction that all
                          * parameters of a variant have in common */

#define TIE 1e-9         /* log units: equal predictions */

/* One measured cell: the mean of its launches. */
struct seen {
    const struct chorale_alg *alg; /* NULL: the library's default */
    int by_library;          /* the library runs a part of it */
    struct chorale_krige_at at;
    double z;                /* log(measured / model) */
};

/* One collective, type and operation. */
struct group {
    struct chorale_adapt *a;
    size_t index;
    struct chorale_adapt_model model;
    struct seen *seen;
    size_t nseen;
    double squares, df, launches; /* of the variance between launches */
    double offset;           /* mean of z over the variants */
    double late;             /* mean log_late of the library */
    double sd;               /* of the model's error of a variant */
    double length[2];
    size_t nlength;
};

static int hash(const char *text)
{
    unsigned h = 2166136261u;

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return (int)(h >> 1);
}

static struct chorale_krige_at place(size_t n, int comm_size, int ppn,
                                     const char *shape, const char *params)
{
    int alike = strcmp(shape, "single-node") == 0 ||
                strcmp(shape, "one-per-node") == 0;

    return (struct chorale_krige_at){
        .x = log2(fmax((double)n, 1)), .y = log2(comm_size),
        .kin = { hash(params), hash(shape) / 2 + (alike ? 0 : ppn),
                 (comm_size & (comm_size - 1)) == 0 },
    };
}

/* Log seconds of the model, at least those of one message; alg NULL: of the
 * library's default. NAN: the variant does not run at the point. */
static double prior(struct group *g, const struct chorale_alg_config *config,
                    size_t n, int comm_size)
{
    double seconds =
        config->alg == NULL
            ? chorale_adapt_library(&g->model, n, comm_size)
            : chorale_adapt_seconds(&g->model, config, n, comm_size);

    if (isnan(seconds))
        return NAN;
    return log(fmax(isfinite(seconds) ? seconds : 0, g->model.net.alpha));
}

/* 1 if the library runs a part, in unknown time. */
static int by_library(const struct chorale_alg_config *config)
{
    struct chorale_point pt = { .comm_size = 1 };

    memcpy(pt.param, config->value, sizeof(pt.param));
    return config->alg != NULL && chorale_alg_by_library(config->alg, &pt);
}

static int in_group(const struct group *g, const struct chorale_run_point *row)
{
    return row->coll == g->model.run.coll && row->comm_size > 1 &&
           row->type == g->model.run.type &&
           strcmp(row->op, g->model.run.op) == 0 &&
           (row->config.alg != NULL || strcmp(row->provider, "library") == 0);
}

/* Add the runs row[0, n) of one cell. */
static void see(struct group *g, const struct chorale_run_point *row, size_t n)
{
    struct seen *s = &g->seen[g->nseen];
    double sum = 0, squares = 0, k = 0, base;

    for (size_t i = 0; i < n; i++) {
        double t = row[i].ok && row[i].seconds > 0 ? log(row[i].seconds) : NAN;

        if (isnan(t))
            continue;
        sum += t;
        squares += t * t;
        k++;
    }
    g->model.run.shape = row->shape;
    g->model.run.ppn = row->ppn;
    base = prior(g, &row->config, row->n, row->comm_size);
    if (k < 1 || isnan(base))
        return;
    g->squares += fmax(0, squares - sum * sum / k);
    g->df += k - 1;
    g->launches += k;
    *s = (struct seen){
        .alg = row->config.alg, .by_library = by_library(&row->config),
        .at = place(row->n, row->comm_size, row->ppn, row->shape, row->params),
        .z = sum / k - base,
    };
    g->nseen++;
}

/* The mean log_late of the library where it is known; 0: nowhere. */
static double library_late(const struct group *g)
{
    double sum = 0, n = 0;

    for (size_t p = 0; p < g->a->npoint; p++) {
        const struct chorale_adapt_cell *cell =
            &g->a->grid->cell[g->a->point[p].first];

        if (g->a->point[p].group == g->index && isfinite(cell->log_late)) {
            sum += cell->log_late;
            n++;
        }
    }
    return sum / fmax(n, 1);
}

static int gather(struct group *g, const struct chorale_points *points)
{
    double n = 0;
    size_t end;

    g->seen = malloc((points->count + 1) * sizeof(*g->seen));
    if (g->seen == NULL)
        return -1;
    for (size_t i = 0; i < points->count; i = end) {
        for (end = i + 1; end < points->count &&
                          chorale_adapt_same_cell(&points->row[i],
                                                  &points->row[end]); end++)
            continue;
        if (in_group(g, &points->row[i]))
            see(g, &points->row[i], end - i);
    }
    for (size_t i = 0; i < g->nseen; i++)
        if (g->seen[i].alg != NULL) {
            g->offset += g->seen[i].z;
            n++;
        }
    g->offset /= fmax(n, 1);
    g->late = library_late(g);
    g->sd = g->model.played != NULL ? g->a->evidence->sd : USUAL_SD;
    return 0;
}

/* Standard deviation of a cell's mean over its launches. */
static double noise(const struct group *g)
{
    double runs = g->nseen > 0 ? g->launches / (double)g->nseen : 1;

    return g->df > 0 ? sqrt(g->squares / g->df / runs) : 0;
}

/* 1 if a table must not choose a cell. */
static int is_barred(const struct group *g,
                     const struct chorale_adapt_cell *cell)
{
    const struct chorale_alg_config *config = &cell->config;
    const struct chorale_point pt = chorale_decide_point(
        &g->model.run, config->value, cell->n, cell->comm_size);

    return config->alg != NULL &&
           chorale_decide_excluded(config->alg, &pt,
                                   &g->a->opts->decide) != NULL;
}

/* 1 if cells of these parameters were measured. If not, the mean deviation of
 * the variant's others may not hold for them: a model can fit one way to run a
 * variant and fail for another. */
static int has_parameters(const struct chorale_krige *k,
                          const struct chorale_krige_at *at)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->at[i].kin[0] == at->kin[0])
            return 1;
    return 0;
}

static void expect(struct group *g, const struct chorale_krige *k,
                   struct chorale_adapt_cell *cell)
{
    struct chorale_krige_at at;
    double base;

    cell->log_seconds = INFINITY;
    cell->sd = 0;
    g->model.run.shape = cell->shape;
    g->model.run.ppn = cell->ppn;
    if (cell->failed || is_barred(g, cell))
        return;
    base = prior(g, &cell->config, cell->n, cell->comm_size);
    if (isnan(base))
        return;
    at = place(cell->n, cell->comm_size, cell->ppn, cell->shape,
               cell->params);
    cell->log_seconds = base + chorale_krige_expect(k, &at, &cell->sd);
    if (k->n == 0 && cell->config.alg != NULL)
        cell->log_seconds += g->offset;
    else if (!has_parameters(k, &at))
        cell->sd = hypot(cell->sd, k->mean);
    if (isfinite(cell->log_late))
        cell->log_seconds += cell->log_late;
    else if (cell->config.alg == NULL)
        cell->log_seconds += g->late;
}

/* 1 if one Gaussian process serves both. */
static int same_process(const struct chorale_alg_config *a,
                        const struct chorale_alg *alg, int part)
{
    return a->alg == alg && by_library(a) == part;
}

/* Predict all cells of the group with the variant of cell `first`. */
static int expect_variant(struct group *g, size_t first)
{
    struct chorale_adapt_grid *grid = g->a->grid;
    const struct chorale_alg *alg = grid->cell[first].config.alg;
    int part = by_library(&grid->cell[first].config);
    struct chorale_krige_at *at = malloc((g->nseen + 1) * sizeof(*at));
    double *z = malloc((g->nseen + 1) * sizeof(*z));
    struct chorale_krige k = { .n = 0 };
    size_t n = 0;
    int rc = -1;

    for (size_t i = 0; at != NULL && z != NULL && i < g->nseen; i++) {
        if (g->seen[i].alg != alg || g->seen[i].by_library != part)
            continue;
        at[n] = g->seen[i].at;
        z[n++] = g->seen[i].z;
    }
    if (at != NULL && z != NULL)
        rc = chorale_krige_fit(&k, at, z, n, noise(g),
                               alg == NULL || part ? USUAL_SD : g->sd, NULL,
                               NULL);
    for (size_t p = 0; rc == 0 && p < g->a->npoint; p++) {
        const struct chorale_adapt_point *pt = &g->a->point[p];

        if (pt->group != g->index)
            continue;
        for (size_t c = pt->first; c < pt->first + pt->ncell; c++)
            if (same_process(&grid->cell[c].config, alg, part))
                expect(g, &k, &grid->cell[c]);
    }
    if (rc == 0 && n > 1) {
        g->length[0] += log(k.length[0]);
        g->length[1] += log(k.length[1]);
        g->nlength++;
    }
    chorale_krige_release(&k);
    free(at);
    free(z);
    return rc;
}

/* Predict all cells of the group, by variant; NAN marks those not yet done. */
static int expect_all(struct group *g)
{
    struct chorale_adapt *a = g->a;

    for (size_t p = 0; p < a->npoint; p++)
        for (size_t c = 0; a->point[p].group == g->index &&
                           c < a->point[p].ncell; c++)
            a->grid->cell[a->point[p].first + c].log_seconds = NAN;
    for (size_t p = 0; p < a->npoint; p++)
        for (size_t c = 0; a->point[p].group == g->index &&
                           c < a->point[p].ncell; c++)
            if (isnan(a->grid->cell[a->point[p].first + c].log_seconds) &&
                expect_variant(g, a->point[p].first + c) != 0)
                return -1;
    for (int i = 0; i < 2; i++)
        a->length[g->index][i] =
            g->nlength > 0 ? exp(g->length[i] / (double)g->nlength)
                           : i == 0 ? 8 : 4;
    return 0;
}

/* How well a cell represents the choice of a row: 3 by name, 2 as a candidate
 * that is equal there, 1 as its variant with other parameters, else 0. */
static int likeness(const struct chorale_adapt_cell *cell,
                    const struct chorale_decision *row)
{
    const int alike = cell->config.alg == row->run->config.alg;
    struct chorale_run_point run = *row->run;
    struct chorale_class_point at;

    if (row->run->config.alg == NULL || isinf(cell->log_seconds))
        return 0;
    if (alike && strcmp(cell->params, row->run->params) == 0)
        return 3;
    run.comm_size = cell->comm_size;
    run.n = cell->n;
    run.msg_size = (size_t)cell->msg_size;
    at = chorale_run_class_point(&run);
    return chorale_classes_equal(&at, &cell->config, &row->run->config) ? 2
                                                                        : alike;
}

/* The cell of a point that the table chooses, by default the library's. */
static size_t choice(const struct chorale_adapt *a,
                     const struct chorale_adapt_point *pt,
                     const struct chorale_decision *row, size_t nrow)
{
    const struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];
    const char *op = cell->op >= 0 ? chorale_opkind(cell->op)->name : "";
    size_t like = 0;
    int most = 0;

    for (size_t i = 0; i < nrow; i++) {
        const struct chorale_decision *r = &row[i];

        if (r->coll != cell->coll || r->comm_size > cell->comm_size ||
            r->comm_size_hi < cell->comm_size || r->n_lo > cell->n ||
            r->n_hi < cell->n || r->ppn != cell->ppn ||
            strcmp(r->shape, cell->shape) != 0 ||
            strcmp(r->op, op) != 0 ||
            strcmp(r->dtype, chorale_dtype(cell->dtype)->name) != 0)
            continue;
        for (size_t c = 1; c < pt->ncell; c++) {
            int mine = likeness(&cell[c], r);

            like = mine > most ? c : like;
            most = mine > most ? mine : most;
        }
    }
    return like;
}

/* Standard normal random numbers: Box-Muller on splitmix64. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    double u = uniform(state);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(state));
}

/* Draw log times of all cells of a point. */
static void draw(const struct chorale_adapt *a,
                 const struct chorale_adapt_point *pt, int number, double *t)
{
    const struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];
    uint64_t seed = (uint64_t)a->opts->seed * 1000003u + pt->first * 64u +
                    (uint64_t)number;
    uint64_t state = seed << 20;

    for (size_t c = 0; c < pt->ncell; c++) {
        uint64_t common = seed * 4096u + (uint64_t)chorale_alg_index(
                                             cell[c].config.alg);

        t[c] = cell[c].log_seconds +
               cell[c].sd * (sqrt(COMMON) * normal(&common) +
                             sqrt(1 - COMMON) * normal(&state));
    }
}

/* Compute the expected loss of the choice, and how often each cell wins.
 * t[ncell]: scratch. */
static void lose(const struct chorale_adapt *a,
                 struct chorale_adapt_point *pt, size_t pick, double *t)
{
    struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];

    pt->loss = 0;
    for (size_t c = 0; c < pt->ncell; c++) {
        cell[c].wins = 0;
        cell[c].gain = 0;
    }
    if (cell->comm_size < 2)
        return;
    for (int d = 0; d < DRAWS; d++) {
        double best = INFINITY, second = INFINITY;
        size_t winner = 0;

        draw(a, pt, d, t);
        for (size_t c = 0; c < pt->ncell; c++) {
            second = fmin(second, fmax(t[c], best));
            if (t[c] < best) {
                best = t[c];
                winner = c;
            }
        }
        cell[winner].wins++;
        cell[winner].gain += isfinite(second) ? (second - best) / DRAWS : 1;
        if (isfinite(t[pick]))
            pt->loss += (t[pick] - best) / DRAWS;
    }
}

/* The known cell of a point with the least expected time; 0 without one. */
static size_t best_known(const struct chorale_adapt *a,
                         const struct chorale_adapt_point *pt)
{
    const struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];
    size_t best = 0;

    for (size_t c = 1; c < pt->ncell; c++)
        if (cell[c].known && (!cell[best].known ||
                              cell[c].log_seconds < cell[best].log_seconds))
            best = c;
    return best;
}

/* The candidate with the least expected time, 0 if none may be chosen. */
static size_t fastest(const struct chorale_adapt_cell *cell, size_t ncell)
{
    size_t best = 0;

    for (size_t c = 1; c < ncell; c++)
        if (isfinite(cell[c].log_seconds) &&
            (best == 0 || cell[c].log_seconds < cell[best].log_seconds))
            best = c;
    return best;
}

/* The simplest of the unmeasured cells of a variant that are predicted to take
 * as long as cell `same`. */
static size_t simplest(const struct chorale_adapt_cell *cell, size_t ncell,
                       size_t same)
{
    size_t best = same;

    for (size_t c = 1; c < ncell; c++)
        if (cell[c].config.alg == cell[same].config.alg && !cell[c].known &&
            !cell[c].chosen &&
            fabs(cell[c].log_seconds - cell[same].log_seconds) < TIE &&
            chorale_alg_config_place(&cell[c].config) <
                chorale_alg_config_place(&cell[best].config))
            best = c;
    return best;
}

/* The unmeasured cell with the largest expected lead over the draws least[]. t:
 * [DRAWS][ncell]. *lead_p: the lead in log units. */
static size_t leader(const struct chorale_adapt_cell *cell, size_t ncell,
                     const double *t, const double *least, double *lead_p)
{
    size_t best = 0;

    *lead_p = 0;
    for (size_t c = 1; c < ncell; c++) {
        double lead = 0;

        if (cell[c].known || cell[c].chosen || isinf(cell[c].log_seconds))
            continue;
        for (int d = 0; d < DRAWS; d++)
            lead += fmin(1, fmax(0, least[d] - t[(size_t)d * ncell + c])) /
                    DRAWS;
        if (lead > *lead_p) {
            *lead_p = lead;
            best = c;
        }
    }
    return best > 0 ? simplest(cell, ncell, best) : 0;
}

int chorale_adapt_settle(struct chorale_adapt *a, size_t point, double goal)
{
    struct chorale_adapt_point *pt = &a->point[point];
    struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];
    double *t = malloc(DRAWS * pt->ncell * sizeof(*t)), least[DRAWS], lead = 1;
    size_t best;

    if (t == NULL)
        return -1;
    for (int d = 0; d < DRAWS; d++) {
        draw(a, pt, d, t + (size_t)d * pt->ncell);
        least[d] = INFINITY;
        for (size_t c = 0; c < pt->ncell; c++)
            if (cell[c].known)
                least[d] = fmin(least[d], t[(size_t)d * pt->ncell + c]);
    }
    best = isinf(least[0]) ? fastest(cell, pt->ncell)
                           : leader(cell, pt->ncell, t, least, &lead);
    while (best > 0 && lead > goal) {
        cell[best].chosen = pt->taken = 1;
        for (int d = 0; d < DRAWS; d++)
            least[d] = fmin(least[d], t[(size_t)d * pt->ncell + best]);
        best = leader(cell, pt->ncell, t, least, &lead);
    }
    free(t);
    return 0;
}

/* Estimate the schedule events (network.h) of all cells of a group: messages of
 * the critical path, times ranks. */
static double notes_of(const struct group *g)
{
    const struct chorale_adapt *a = g->a;
    double sum = 0;

    for (size_t p = 0; p < a->npoint; p++)
        for (size_t c = 0; a->point[p].group == g->index &&
                           c < a->point[p].ncell; c++) {
            const struct chorale_adapt_cell *cell =
                &a->grid->cell[a->point[p].first + c];
            const struct chorale_alg *alg = cell->config.alg;
            struct chorale_run_point run = g->model.run;
            struct chorale_term term[CHORALE_MAX_TERM];
            struct chorale_point pt;
            double messages, bytes, reduced;

            if (alg == NULL)
                continue;
            run.shape = cell->shape;
            run.ppn = cell->ppn;
            pt = chorale_decide_point(&run, cell->config.value, cell->n,
                                      cell->comm_size);
            if (chorale_alg_refuses(alg, &pt) != NULL)
                continue;
            chorale_term_sums(term, alg->cost(&pt, term), &messages, &bytes,
                              &reduced);
            sum += 2 * messages * cell->comm_size;
        }
    return sum;
}

int chorale_adapt_guess(struct chorale_adapt *a,
                        const struct chorale_points *points,
                        const struct chorale_decision *row, size_t nrow)
{
    struct chorale_predictor *model = a->evidence->model;
    const double before = chorale_predict_work(model);
    double *t = malloc((a->grid->ncell + 1) * sizeof(*t));
    int rc = t != NULL ? 0 : -1;

    for (size_t i = 0; i < a->ngroup && rc == 0; i++) {
        struct group g = { .a = a, .index = i };
        size_t p = 0;

        while (a->point[p].group != i)
            p++;
        g.model.run = chorale_adapt_run(&a->grid->cell[a->point[p].first]);
        g.model.root = a->evidence->root;
        g.model.net = chorale_family_network(model, &g.model.run);
        if (!(g.model.net.alpha > 0))
            g.model.net = chorale_adapt_typical;
        else if (chorale_predict_work(model) - before + notes_of(&g) <= PLAYED)
            g.model.played = model;
        rc = gather(&g, points);
        if (rc == 0)
            rc = expect_all(&g);
        free(g.seen);
    }
    for (size_t p = 0; p < a->npoint && rc == 0; p++)
        lose(a, &a->point[p],
             a->opts->every ? best_known(a, &a->point[p])
                            : choice(a, &a->point[p], row, nrow), t);
    free(t);
    return rc;
}
