/* SPDX-License-Identifier: BSD-3-Clause */
/* model_breakpoints.c - find the sizes at which the protocol, or for tau the
 * cache level, changes. Schedules are replayed once with a regime between any
 * two candidates; the coefficients of a candidate's regimes are sums of
 * these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/model_internal.h"

#define SOME_ROUNDS 3        /* replays per attempt */
#define MAX_BREAKS 2         /* per level, per tau */
#define EXACT_LACK 1e-6      /* lack of fit of an exact model */
#define WORTH 10.0           /* required improvement of the criterion */

/* Schwarz's criterion for heavy-tailed (Laplace) errors; smaller is better. */
static double criterion(const struct model_job *job, double lack)
{
    double n = 0, k = 0;

    for (size_t i = 0; i < job->ncell; i++)
        n += job->cell[i].use;
    for (size_t j = 0; j < job->ncol; j++)
        k += !job->drop[j];
    return 2 * n * log(lack + EXACT_LACK) + (k + 1) * log(fmax(n, 1));
}

/* The level or tau in which a break is searched. */
struct target {
    int level, tau;          /* one of them; the other is -1 */
    const double *edge;      /* candidates, ascending */
    size_t nedge;
    size_t per;              /* columns per regime */
    double *bin;             /* [nrow * CHORALE_NET_PER * CHORALE_NET_REGIMES]
                              * columns of the regimes between the candidates */
    int npiece;
    double *x;               /* [nrow * CHORALE_FIT_MAX] job->x without a
                              * further break */
};

static struct chorale_net_regimes *regimes(struct chorale_model *model,
                                           const struct target *t)
{
    return t->level >= 0 ? &model->net.level[t->level].regime
                         : &model->tau[t->tau].regime;
}

/* The same parameters, with a regime between any two candidates. */
static void in_pieces(const struct target *t,
                      const struct chorale_net_regimes *r,
                      struct chorale_net_regimes *piece)
{
    piece->n = 0;
    for (size_t e = 0; e <= t->nedge; e++) {
        double upto = e < t->nedge ? t->edge[e] : HUGE_VAL;
        int k = chorale_net_regime(r, upto);

        piece->upto[piece->n] = upto;
        piece->alpha[piece->n] = r->alpha[k];
        piece->beta[piece->n] = r->beta[k];
        piece->cold[piece->n++] = r->cold[k];
    }
}

/* Replay all cells with these regimes. */
static void play_pieces(struct model_job *job, struct target *t)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    double own[CHORALE_NET_COLUMNS];

    for (size_t i = 0; i < job->nrow; i++) {
        const struct model_cell *cell = &job->cell[i];
        struct chorale_net wide = job->model->net;
        double *bin = t->bin + i * CHORALE_NET_PER * CHORALE_NET_REGIMES;
        int at;

        memset(bin, 0, CHORALE_NET_PER * CHORALE_NET_REGIMES * sizeof(*bin));
        wide.tau.n = 0;
        if (cell->tau >= 0)
            wide.tau = job->model->tau[cell->tau].regime;
        if (!cell->use || (t->tau >= 0 && cell->tau != t->tau))
            continue;
        in_pieces(t, r, t->level >= 0 ? &wide.level[t->level].regime
                                      : &wide.tau);
        t->npiece = t->level >= 0 ? wide.level[t->level].regime.n
                                  : wide.tau.n;
        at = t->level >= 0 ? chorale_net_column(&wide, t->level, 0)
                           : chorale_net_column_tau(&wide);
        if (chorale_model_cell_replay(job, cell, &wide, own) > 0)
            memcpy(bin, own + at,
                   t->per * (size_t)t->npiece * sizeof(*bin));
    }
}

/* Set the job's rows to those of the model with regime k split at edge. */
static void split_rows(struct model_job *job, const struct target *t,
                       size_t column, double from, double edge, double upto)
{
    size_t per = t->per, after = job->ncol - column - per;

    for (size_t i = 0; i < job->nrow; i++) {
        const double *x = t->x + i * CHORALE_FIT_MAX;
        const double *bin = t->bin + i * CHORALE_NET_PER * CHORALE_NET_REGIMES;
        double *to = job->x + i * CHORALE_FIT_MAX;

        memcpy(to, x, column * sizeof(*to));
        memset(to + column, 0, 2 * per * sizeof(*to));
        memcpy(to + column + 2 * per, x + column + per,
               after * sizeof(*to));
        for (int p = 0; p < t->npiece; p++) {
            double end = (size_t)p < t->nedge ? t->edge[p] : HUGE_VAL;

            if (end <= from || end > upto)
                continue;
            for (size_t c = 0; c < per; c++)
                to[column + (end <= edge ? 0 : per) + c] +=
                    bin[(size_t)p * per + c];
        }
    }
}

/* Lack of fit of values computed from the job's rows, without a replay. */
static double row_lack(const struct model_job *job, const double *value)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < job->ncell; i++) {
        double seconds = 0;

        if (!job->cell[i].use)
            continue;
        for (size_t j = 0; j < job->ncol; j++)
            seconds += job->x[i * CHORALE_FIT_MAX + j] * value[j];
        sum += seconds > 0
                   ? fmin(0.5, fabs(log(job->cell[i].seconds / seconds)))
                   : 0.5;
        n++;
    }
    return n > 0 ? sum / (double)n : HUGE_VAL;
}

/* Of the columns [first, first + n) drop those that are zero in all rows: one
 * side of a break may have no cold bytes. */
static void drop_empty(struct model_job *job, size_t first, size_t n)
{
    memset(job->drop + first, 1, n);
    for (size_t i = 0; i < job->nrow; i++)
        for (size_t j = first; j < first + n && job->cell[i].use; j++)
            if (job->x[i * CHORALE_FIT_MAX + j] > 0)
                job->drop[j] = 0;
}

/* Try a break at edge inside regime k. Returns the lack of fit; HUGE_VAL if the
 * measurements do not separate the two sides. */
static double try_edge(struct model_job *job, const struct target *t, int k,
                       double edge, const double *value, double *split)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    size_t column = t->level >= 0
                        ? (size_t)chorale_net_column(&job->model->net,
                                                     t->level, k)
                        : chorale_model_column_tau(job->model, (size_t)t->tau) +
                              (size_t)k;
    double from = k > 0 ? r->upto[k - 1] : -1;
    unsigned char drop[CHORALE_FIT_MAX];
    size_t ncol = job->ncol, per = t->per;
    double lack = HUGE_VAL;

    split_rows(job, t, column, from, edge, r->upto[k]);
    memcpy(drop, job->drop, sizeof(drop));
    memcpy(split, value, (column + per) * sizeof(*split));
    memcpy(split + column + per, value + column,
           (ncol - column) * sizeof(*split));
    memmove(job->drop + column + per, drop + column, ncol - column);
    job->ncol = ncol + per;
    drop_empty(job, column, 2 * per);
    job->cold = 1; /* values for one side alone may be far from the start */
    if (chorale_model_fit_rows(job, NULL, -1, split, NULL, NULL) == CHORALE_OK)
        lack = row_lack(job, split);
    job->cold = 0;
    job->ncol = ncol;
    memcpy(job->drop, drop, sizeof(drop));
    return lack;
}

/* The best break so far. */
struct found {
    double lack, edge;
    int regime;
    long at;                 /* index of the candidate */
    double value[CHORALE_FIT_MAX];
};

/* Try a break at candidate e in the regime that contains it. */
static void try_at(struct model_job *job, const struct target *t, size_t e,
                   const double *value, struct found *best)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    double split[CHORALE_FIT_MAX] = { 0 }, lack;
    int k = chorale_net_regime(r, t->edge[e]);

    if (t->edge[e] >= r->upto[k])
        return;
    lack = try_edge(job, t, k, t->edge[e], value, split);
    if (lack < best->lack) {
        *best = (struct found){ lack, t->edge[e], k, (long)e, { 0 } };
        memcpy(best->value, split, sizeof(split));
    }
}

/* Find the best break of a target; lack is HUGE_VAL if there is no candidate.
 * Every third candidate is tried, then the neighbours of the best. */
static void best_edge(struct model_job *job, struct target *t,
                      struct found *best)
{
    double value[CHORALE_FIT_MAX] = { 0 };
    long near;

    *best = (struct found){ .lack = HUGE_VAL, .at = -1 };
    chorale_model_values_get(job->model, value);
    memcpy(t->x, job->x, job->nrow * CHORALE_FIT_MAX * sizeof(*t->x));
    play_pieces(job, t);
    for (size_t e = t->nedge > 1; e < t->nedge; e += 3)
        try_at(job, t, e, value, best);
    near = best->at;
    for (long e = near - 2; near >= 0 && e <= near + 2; e++)
        if (e >= 0 && e < (long)t->nedge && e != near)
            try_at(job, t, (size_t)e, value, best);
    memcpy(job->x, t->x, job->nrow * CHORALE_FIT_MAX * sizeof(*t->x));
}

static void insert_break(struct chorale_net_regimes *r, int k, double edge)
{
    for (int i = r->n; i > k; i--) {
        r->upto[i] = r->upto[i - 1];
        r->alpha[i] = r->alpha[i - 1];
        r->beta[i] = r->beta[i - 1];
        r->cold[i] = r->cold[i - 1];
    }
    r->upto[k] = edge;
    r->n++;
}

/* Whether a target may have one more break. */
static int has_room(const struct model_job *job, const struct target *t)
{
    return regimes(job->model, t)->n <= MAX_BREAKS &&
           (t->tau < 0 || job->model->tau[t->tau].known) &&
           job->ncol + t->per <= CHORALE_FIT_MAX;
}

static void set_target(const struct model_job *job, struct target *t, int i)
{
    int nlevel = job->model->net.nlevel;

    t->level = i < nlevel ? i : -1;
    t->tau = i < nlevel ? -1 : i - nlevel;
    t->per = i < nlevel ? CHORALE_NET_PER : 1;
}

/* Add the break that explains most; *done_p: none is good enough. */
static enum chorale_err add_break(struct model_job *job, struct target *t,
                                  int *done_p, struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    double was = criterion(job, job->lack), least = was - WORTH, now;
    struct found best = { .lack = HUGE_VAL }, one;
    struct model_state before;
    enum chorale_err err;
    int target = -1;

    *done_p = 1;
    for (int i = 0; i < model->net.nlevel + (int)model->ntau; i++) {
        set_target(job, t, i);
        if (!has_room(job, t))
            continue;
        best_edge(job, t, &one);
        now = criterion(job, one.lack) +
              (double)t->per * log((double)job->ncell);
        if (now < least) {
            least = now;
            best = one;
            target = i;
        }
    }
    if (target < 0)
        return CHORALE_OK;
    set_target(job, t, target);
    chorale_model_save(job, &before);
    insert_break(regimes(model, t), best.regime, best.edge);
    chorale_model_values_set(model, best.value);
    err = chorale_model_converge(job, SOME_ROUNDS, msg);
    if (err != CHORALE_OK && err != CHORALE_DATA)
        return err;
    now = err == CHORALE_OK ? criterion(job, job->lack) : HUGE_VAL;
    if (!(now < was - WORTH))
        return chorale_model_restore(job, &before, msg);
    *done_p = 0;
    return CHORALE_OK;
}

enum chorale_err chorale_model_add_breaks(struct model_job *job,
                                          const double *edge,
                                          size_t nedge,
                                          struct chorale_errmsg *msg)
{
    struct target t = { .edge = edge, .nedge = nedge };
    enum chorale_err err = CHORALE_OK;
    int done = 0;

    t.bin = malloc((job->nrow + 1) * CHORALE_NET_PER * CHORALE_NET_REGIMES *
                   sizeof(*t.bin));
    t.x = malloc((job->nrow + 1) * CHORALE_FIT_MAX * sizeof(*t.x));
    if (t.bin == NULL || t.x == NULL)
        err = chorale_fail_memory(msg, "fit");
    while (err == CHORALE_OK && !done && job->lack > 10 * EXACT_LACK)
        err = add_break(job, &t, &done, msg);
    free(t.bin);
    free(t.x);
    return err;
}
