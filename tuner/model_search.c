/* SPDX-License-Identifier: BSD-3-Clause */
/* model_search.c - which network: one port or overlapped, how many ranks'
 * worth of bytes a node's port takes, and from what size on another protocol,
 * or for tau another cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model_job.h"

#define ROUNDS 12            /* plays until the paths stand still */
#define SOME_ROUNDS 3        /* of an attempt */
#define MAX_BREAKS 2         /* of a level, of a tau */
#define EXACT_LACK 1e-6      /* below it nothing is left to explain */
#define LITTLE 1e-4          /* below it nothing else is tried */
#define WORTH 10.0           /* by which the criterion must improve */

/* What an attempt changes, to be put back. */
struct state {
    struct chorale_net net;
    size_t ntau;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    double lack;
};

static void save(const struct model_job *job, struct state *s)
{
    s->net = job->model->net;
    memcpy(s->tau, job->model->tau, sizeof(s->tau));
    s->lack = job->lack;
}

static enum chorale_err restore(struct model_job *job, const struct state *s,
                                struct chorale_errmsg *msg)
{
    job->model->net = s->net;
    memcpy(job->model->tau, s->tau, sizeof(s->tau));
    return model_settle(job, 1, msg);
}

/* Schwarz's criterion for errors with heavy tails (Laplace): smaller is
 * better. */
static double criterion(const struct model_job *job, double lack)
{
    double n = 0, k = 0;

    for (size_t i = 0; i < job->ncell; i++)
        n += job->cell[i].use;
    for (size_t j = 0; j < job->ncol; j++)
        k += !job->drop[j];
    return 2 * n * log(lack + EXACT_LACK) + (k + 1) * log(fmax(n, 1));
}

static void set_regime(struct chorale_net_regimes *r, double alpha,
                       double beta)
{
    *r = (struct chorale_net_regimes){ .n = 1, .upto = { HUGE_VAL },
                                       .alpha = { alpha }, .beta = { beta } };
}

/* A typical network with the levels that the cells have. */
static void first_guess(struct model_job *job)
{
    struct chorale_net *net = &job->model->net;
    int inner = 0, outer = 0;

    for (size_t i = 0; i < job->ncell; i++) {
        inner |= job->cell[i].ppn > 1;
        outer |= job->cell[i].nodes > 1;
    }
    memset(net, 0, sizeof(*net));
    net->ports = 1;
    net->nlevel = inner && outer ? 2 : 1;
    net->level[0].name = inner && outer ? "node" : "all";
    net->level[1].name = "net";
    net->level[0].width = inner && outer ? 0 : -1;
    net->level[1].width = -1;
    for (int l = 0; l < 2; l++)
        set_regime(&net->level[l].regime, 1e-6, 1e-9);
    for (size_t t = 0; t < job->model->ntau; t++) {
        set_regime(&job->model->tau[t].regime, 0, 1e-10);
        job->model->tau[t].known = 1;
    }
}

/* How many ranks' worth of bytes a node's port takes: from one on, as long as
 * it fits better. */
static enum chorale_err fit_node(struct model_job *job,
                                 struct chorale_errmsg *msg)
{
    struct state best;
    double most = 1, factor = 2;
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < job->ncell; i++)
        if ((job->cell[i].nodes > 1 || job->model->net.inner_shared) &&
            job->cell[i].ppn > most)
            most = job->cell[i].ppn;
    save(job, &best);
    while (factor > 1.02 && most > 1 && best.lack > LITTLE) {
        double from = best.net.ports;
        int better = 0;

        for (int up = 1; up >= 0 && !better && err == CHORALE_OK; up--) {
            double ports = up ? from * factor : from / factor;

            if (ports < 1 || ports > most)
                continue;
            job->model->net = best.net;
            job->model->net.ports = ports;
            err = model_settle(job, SOME_ROUNDS, msg);
            if (err == CHORALE_OK && job->lack < 0.99 * best.lack) {
                save(job, &best);
                better = 1;
            }
        }
        if (err != CHORALE_OK)
            return err;
        if (!better)
            factor = sqrt(factor);
    }
    return restore(job, &best, msg);
}

/* From overheads of zero the paths may lead to others than from some: the
 * better of the two. */
static enum chorale_err try_parts(struct model_job *job,
                                  struct chorale_errmsg *msg)
{
    struct chorale_net *net = &job->model->net;
    double alpha = net->level[net->nlevel - 1].regime.alpha[0];
    struct state before;
    enum chorale_err err;

    if (net->overlap_upto < 0 || job->lack < LITTLE)
        return CHORALE_OK;
    save(job, &before);
    net->send_overhead = net->recv_overhead = 0.2 * alpha;
    net->gap = 0.01 * alpha;
    err = model_settle(job, ROUNDS, msg);
    if (err == CHORALE_OK && job->lack > before.lack)
        err = restore(job, &before, msg);
    return err;
}

static int any_inner(const struct model_job *job)
{
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].ppn > 1)
            return 1;
    return 0;
}

/* Of one port model the best network: where ranks share nodes, with messages
 * inside of a node that share its ports, and that do not. */
static enum chorale_err fit_ports(struct model_job *job, double overlap_upto,
                                  struct state *best,
                                  struct chorale_errmsg *msg)
{
    int ways = any_inner(job) ? 2 : 1;
    enum chorale_err err = CHORALE_OK;

    best->lack = HUGE_VAL;
    for (int shared = 0; shared < ways && best->lack > LITTLE &&
                         err == CHORALE_OK; shared++) {
        first_guess(job);
        job->model->net.overlap_upto = overlap_upto;
        job->model->net.inner_shared = shared;
        err = model_settle(job, ROUNDS, msg);
        if (err == CHORALE_OK)
            err = try_parts(job, msg);
        if (err == CHORALE_OK && job->lack < 2 * best->lack)
            err = fit_node(job, msg);
        if (err == CHORALE_OK && job->lack < best->lack)
            save(job, best);
    }
    return err;
}

/* One port, overlapped, or (where neither fits) overlapped up to a size. */
static enum chorale_err choose_ports(struct model_job *job,
                                     const double *edge, size_t nedge,
                                     struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    struct state best = { .lack = HUGE_VAL }, one;
    enum chorale_err err = CHORALE_OK;

    model->lack[0] = model->lack[1] = NAN;
    for (int over = 0; over < 2 && err == CHORALE_OK; over++) {
        if (job->opts.ports == 2 - over)
            continue;
        err = fit_ports(job, over ? HUGE_VAL : -1, &one, msg);
        model->lack[over] = one.lack;
        if (err == CHORALE_OK &&
            one.lack < (over ? 0.98 : 1) * best.lack - (over ? 1e-9 : 0))
            best = one;
    }
    for (size_t i = 2; err == CHORALE_OK && job->opts.ports == 0 &&
                       best.lack > 0.02 && i < nedge; i += 3) {
        model->net = best.net;
        model->net.overlap_upto = edge[i];
        err = model_settle(job, SOME_ROUNDS, msg);
        if (err == CHORALE_OK && job->lack < 0.9 * best.lack)
            save(job, &best);
    }
    return err == CHORALE_OK ? restore(job, &best, msg) : err;
}

/* --- breakpoints ------------------------------------------------------- */

/* What a break is looked for in. */
struct target {
    int level, tau;          /* one of them; the other is -1 */
    const double *edge;      /* candidates, ascending */
    size_t nedge;
    size_t per;              /* columns of a regime */
    double *bin;             /* [ncell * 2 * CHORALE_NET_REGIMES] columns of
                              * the pieces between the candidates */
    int npiece;
    double *x;               /* [ncell * CHORALE_FIT_MAX] job->x without it */
};

static struct chorale_net_regimes *regimes(struct chorale_model *model,
                                           const struct target *t)
{
    return t->level >= 0 ? &model->net.level[t->level].regime
                         : &model->tau[t->tau].regime;
}

/* The same parameters with a piece between any two candidates. */
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
        piece->beta[piece->n++] = r->beta[k];
    }
}

/* Play all cells in pieces. */
static void play_pieces(struct model_job *job, struct target *t)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    double own[CHORALE_NET_COLUMNS];

    for (size_t i = 0; i < job->ncell; i++) {
        const struct model_cell *cell = &job->cell[i];
        struct chorale_net wide = job->model->net;
        double *bin = t->bin + i * 2 * CHORALE_NET_REGIMES;
        int at;

        memset(bin, 0, 2 * CHORALE_NET_REGIMES * sizeof(*bin));
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
        if (model_cell_play(job, cell, &wide, own) > 0)
            memcpy(bin, own + at,
                   t->per * (size_t)t->npiece * sizeof(*bin));
    }
}

/* Set the job's rows to those of the model with regime k split at edge. */
static void split_rows(struct model_job *job, const struct target *t,
                       size_t column, double from, double edge, double upto)
{
    size_t per = t->per, after = job->ncol - column - per;

    for (size_t i = 0; i < job->ncell; i++) {
        const double *x = t->x + i * CHORALE_FIT_MAX;
        const double *bin = t->bin + i * 2 * CHORALE_NET_REGIMES;
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

/* Lack of fit of values by the job's rows, without playing. */
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

/* Try a break at edge inside regime k: the lack of fit, HUGE_VAL if what is
 * measured does not tell the two sides apart. */
static double try_edge(struct model_job *job, const struct target *t, int k,
                       double edge, const double *value, double *split)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    size_t column = t->level >= 0
                        ? (size_t)chorale_net_column(&job->model->net,
                                                     t->level, k)
                        : model_column_tau(job->model, (size_t)t->tau) +
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
    memset(job->drop + column, 0, 2 * per);
    job->ncol = ncol + per;
    job->cold = 1; /* what one side alone explains was far off so far */
    if (model_fit_rows(job, NULL, -1, split, NULL, NULL) == CHORALE_OK)
        lack = row_lack(job, split);
    job->cold = 0;
    job->ncol = ncol;
    memcpy(job->drop, drop, sizeof(drop));
    return lack;
}

/* The best break of a target, and the values with it; *lack_p HUGE_VAL if
 * there is none to try. */
static void best_edge(struct model_job *job, struct target *t, int *regime_p,
                      double *edge_p, double *lack_p, double *best)
{
    const struct chorale_net_regimes *r = regimes(job->model, t);
    double value[CHORALE_FIT_MAX] = { 0 }, split[CHORALE_FIT_MAX] = { 0 };

    *lack_p = HUGE_VAL;
    model_values_get(job->model, value);
    memcpy(t->x, job->x, job->ncell * CHORALE_FIT_MAX * sizeof(*t->x));
    play_pieces(job, t);
    for (int k = 0; k < r->n; k++)
        for (size_t e = 0; e < t->nedge; e++) {
            double lack;

            if (t->edge[e] >= r->upto[k] ||
                (k > 0 && t->edge[e] <= r->upto[k - 1]))
                continue;
            lack = try_edge(job, t, k, t->edge[e], value, split);
            if (lack < *lack_p) {
                memcpy(best, split, sizeof(split));
                *lack_p = lack;
                *edge_p = t->edge[e];
                *regime_p = k;
            }
        }
    memcpy(job->x, t->x, job->ncell * CHORALE_FIT_MAX * sizeof(*t->x));
}

static void insert_break(struct chorale_net_regimes *r, int k, double edge)
{
    for (int i = r->n; i > k; i--) {
        r->upto[i] = r->upto[i - 1];
        r->alpha[i] = r->alpha[i - 1];
        r->beta[i] = r->beta[i - 1];
    }
    r->upto[k] = edge;
    r->n++;
}

/* One more break where it explains most: *done_p if none is worth it. */
static enum chorale_err add_break(struct model_job *job, struct target *t,
                                  int *done_p, struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    double was = criterion(job, job->lack), least = was - WORTH, at = 0, now;
    double value[CHORALE_FIT_MAX] = { 0 }, one[CHORALE_FIT_MAX] = { 0 };
    int level = -1, tau = -1, regime = 0;
    struct state before;
    enum chorale_err err;

    *done_p = 1;
    for (int i = 0; i < model->net.nlevel + (int)model->ntau; i++) {
        double edge = 0, lack;
        int k = 0;

        t->level = i < model->net.nlevel ? i : -1;
        t->tau = i < model->net.nlevel ? -1 : i - model->net.nlevel;
        t->per = t->tau < 0 ? 2 : 1;
        if (regimes(model, t)->n > MAX_BREAKS ||
            (t->tau >= 0 && !model->tau[t->tau].known) ||
            job->ncol + t->per > CHORALE_FIT_MAX)
            continue;
        best_edge(job, t, &k, &edge, &lack, one);
        now = criterion(job, lack) + (double)t->per * log((double)job->ncell);
        if (now < least) {
            least = now;
            level = t->level;
            tau = t->tau;
            regime = k;
            at = edge;
            memcpy(value, one, sizeof(value));
        }
    }
    if (level < 0 && tau < 0)
        return CHORALE_OK;
    t->level = level;
    t->tau = tau;
    save(job, &before);
    insert_break(regimes(model, t), regime, at);
    model_values_set(model, value);
    err = model_settle(job, SOME_ROUNDS, msg);
    if (err != CHORALE_OK && err != CHORALE_DATA)
        return err;
    now = err == CHORALE_OK ? criterion(job, job->lack) : HUGE_VAL;
    if (!(now < was - WORTH))
        return restore(job, &before, msg);
    *done_p = 0;
    return CHORALE_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Geometric midpoints of the measured block sizes, at most as many as a level
 * may have regimes, less one. */
static size_t candidates(const struct model_job *job, double *edge)
{
    double *size = malloc((job->ncell + 1) * sizeof(*size));
    size_t n = 0, k = 0, every;

    if (size == NULL)
        return 0;
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].pt.msg_size > 0)
            size[n++] = (double)job->cell[i].pt.msg_size;
    qsort(size, n, sizeof(*size), compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || size[i] > size[k - 1])
            size[k++] = size[i];
    every = k / (CHORALE_NET_REGIMES - 1) + 1;
    n = 0;
    for (size_t i = every; i < k; i += every)
        edge[n++] = floor(sqrt(size[i - 1] * size[i]));
    free(size);
    return n;
}

static enum chorale_err all_breaks(struct model_job *job, const double *edge,
                                   size_t nedge, struct chorale_errmsg *msg)
{
    struct target t = { .edge = edge, .nedge = nedge };
    enum chorale_err err = CHORALE_OK;
    int done = 0;

    t.bin = malloc((job->ncell + 1) * 2 * CHORALE_NET_REGIMES *
                   sizeof(*t.bin));
    t.x = malloc((job->ncell + 1) * CHORALE_FIT_MAX * sizeof(*t.x));
    if (t.bin == NULL || t.x == NULL)
        err = chorale_fail(msg, CHORALE_ENV, "fit: out of memory");
    while (err == CHORALE_OK && !done && job->lack > 10 * EXACT_LACK)
        err = add_break(job, &t, &done, msg);
    free(t.bin);
    free(t.x);
    return err;
}

enum chorale_err model_search(struct model_job *job,
                              struct chorale_errmsg *msg)
{
    double edge[CHORALE_NET_REGIMES];
    size_t nedge = candidates(job, edge);
    enum chorale_err err;

    job->coarse = 1;
    err = choose_ports(job, edge, nedge, msg);
    job->coarse = 0;
    for (size_t t = 0; t < job->model->ntau; t++)
        if (!job->model->tau[t].known) {
            set_regime(&job->model->tau[t].regime, 0, 1e-10);
            job->model->tau[t].known = 1;
        }
    if (err == CHORALE_OK)
        err = model_settle(job, ROUNDS, msg);
    if (err == CHORALE_OK && !job->opts.no_breaks)
        err = all_breaks(job, edge, nedge, msg);
    return err;
}
