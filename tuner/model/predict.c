/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c - load a fitted model and replay schedules on it. */
#include "tuner/model/predict.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/fnv1a.h"
#include "algorithms/dtypes.h"
#include "algorithms/schedule/path_cost.h"
#include "tuner/model/model.h"
#include "tuner/model/predict_valid.h"

#define MAX_TAU 64
#define STEPS 8 /* of sharing ports, which take as long as an event */

struct tau {
    char dtype[32], op[32];
    struct chorale_net_regimes regime;
};

/* Cache entry: the hash of a request and its result. */
struct asked {
    uint64_t key;            /* 0: unused entry */
    double seconds;
};

struct chorale_predictor {
    struct chorale_net net;
    struct tau tau[MAX_TAU];
    int ntau;
    struct chorale_crossval *known;
    struct asked *asked;
    size_t room, nasked;
    double work;             /* done so far, in schedule events */
    double most, longest;    /* limits of it, and of the events of one schedule;
                              * 0: none */
    int doubtful;            /* the model as a whole is not trusted */
    double hop;              /* s per link beyond the first */
};

/* --- reading ----------------------------------------------------------- */

static struct chorale_net_regimes *level_of(struct chorale_predictor *p,
                                            const char *name)
{
    struct chorale_net *net = &p->net;
    static const char *const names[] = { "all", "node", "net" };

    for (int l = 0; l < net->nlevel; l++)
        if (strcmp(net->level[l].name, name) == 0)
            return &net->level[l].regime;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0 && net->nlevel < 2) {
            struct chorale_net_level *level = &net->level[net->nlevel++];

            level->name = names[i];
            level->width = i == 1 ? 0 : -1;
            return &level->regime;
        }
    return NULL;
}

static struct chorale_net_regimes *tau_of(struct chorale_predictor *p,
                                          const char *dtype, const char *op)
{
    struct tau *t = p->tau;

    for (int i = 0; i < p->ntau; i++)
        if (strcmp(t[i].dtype, dtype) == 0 && strcmp(t[i].op, op) == 0)
            return &t[i].regime;
    if (p->ntau == MAX_TAU)
        return NULL;
    t += p->ntau++;
    snprintf(t->dtype, sizeof(t->dtype), "%s", dtype);
    snprintf(t->op, sizeof(t->op), "%s", op);
    return &t->regime;
}

enum what_value { ALPHA, BETA, COLD };

/* Set a value of the regime that ends at upto; called in order. */
static void set_value(struct chorale_net_regimes *r, enum what_value what,
                      double upto,
                      double value)
{
    int k = 0;

    if (r == NULL)
        return;
    while (k < r->n && r->upto[k] < upto)
        k++;
    if (k == CHORALE_NET_REGIMES)
        return;
    if (k == r->n) {
        r->upto[k] = upto;
        r->n++;
    }
    *(what == ALPHA  ? &r->alpha[k]
      : what == BETA ? &r->beta[k]
                     : &r->cold[k]) = value;
}

static void read_param(struct chorale_predictor *p, sqlite3_stmt *stmt)
{
    const char *param = (const char *)sqlite3_column_text(stmt, 0);
    const char *level = (const char *)sqlite3_column_text(stmt, 1);
    const char *dtype = (const char *)sqlite3_column_text(stmt, 2);
    const char *op = (const char *)sqlite3_column_text(stmt, 3);
    double value = sqlite3_column_double(stmt, 4);
    double upto = sqlite3_column_type(stmt, 5) == SQLITE_NULL
                      ? HUGE_VAL : sqlite3_column_double(stmt, 5);
    int ppn = sqlite3_column_int(stmt, 6);

    p->doubtful |= !sqlite3_column_int(stmt, 7);
    p->net.memory |= strcmp(param, "copy") == 0 || strcmp(param, "cold") == 0;
    if (strcmp(param, "alpha") == 0 && strcmp(level, CHORALE_MODEL_HOP) == 0)
        p->hop = value;
    else if (strcmp(param, "alpha") == 0 &&
             strcmp(level, CHORALE_MODEL_LOCAL) == 0)
        p->net.local = value;
    else if (strcmp(param, "alpha") == 0 || strcmp(param, "beta") == 0)
        set_value(level_of(p, level), param[0] == 'a' ? ALPHA : BETA, upto,
                  value);
    else if (strcmp(param, "cold") == 0 &&
             strcmp(level, CHORALE_MODEL_LOCAL) != 0)
        set_value(level_of(p, level), COLD, upto, value);
    else if (strcmp(param, "tau") == 0)
        set_value(tau_of(p, dtype, op), BETA, upto, value);
    else if (strcmp(param, "send_overhead") == 0)
        p->net.send_overhead = value;
    else if (strcmp(param, "recv_overhead") == 0)
        p->net.recv_overhead = value;
    else if (strcmp(param, "gap") == 0)
        p->net.gap = value;
    else if (strcmp(param, "copy") == 0)
        p->net.copy = value;
    else if (strcmp(param, "cold") == 0)
        p->net.cold = value;
    else if (strcmp(param, "overlapped") == 0 &&
             strcmp(level, CHORALE_MODEL_COPIED) == 0)
        p->net.copied_upto = value >= CHORALE_MODEL_OVERLAPPED ? HUGE_VAL
                                                               : value;
    else if (strcmp(param, "overlapped") == 0)
        p->net.overlap_upto = value <= 0 ? -1
                              : value >= CHORALE_MODEL_OVERLAPPED ? HUGE_VAL
                                                                  : value;
    else if (strcmp(param, "kappa") == 0 && ppn == 0)
        (void)chorale_wiring_read(&p->net.wiring, level, value); /* fails for
                                                       * a pattern */
    else if (strcmp(param, "kappa") == 0 && value >= 1) {
        p->net.ports = fmax(1, ppn / value);
        p->net.inner_shared |= strcmp(level, "node") == 0;
    }
}

enum chorale_err chorale_predictor_load(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_predictor **p,
                                        struct chorale_errmsg *msg)
{
    struct chorale_predictor *got = calloc(1, sizeof(*got));
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    if (got == NULL)
        return chorale_fail_memory(msg, "model");
    got->net.ports = 1;
    got->net.overlap_upto = -1;
    /* Levels from the inside, regimes in ascending order. */
    err = chorale_store_query(
        store, "SELECT param, level, dtype, op, value, upto, ppn, trusted"
        " FROM model WHERE system_id = ?1 ORDER BY level = 'net', param,"
        " upto IS NULL, upto, ppn, model_id",
        CHORALE_FIELDS(system_id), &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg))
        read_param(got, stmt);
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK && got->net.nlevel > 0) {
        struct chorale_net_level *outer =
            &got->net.level[got->net.nlevel - 1];

        outer->width = -1;
        if (got->hop > 0 && outer->regime.alpha[0] > 0)
            got->net.wiring.hop = got->hop / outer->regime.alpha[0];
        err = chorale_crossval_load(store, system_id, got->doubtful,
                                    &got->known,
                                    msg);
    }
    if (err == CHORALE_OK) {
        *p = got->net.nlevel > 0 ? got : NULL;
        got = got->net.nlevel > 0 ? NULL : got;
    }
    chorale_predictor_free(got);
    return err;
}

struct chorale_predictor *
chorale_predictor_of(const struct chorale_model *model)
{
    struct chorale_predictor *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->net = model->net;
    p->known = chorale_crossval_of(model);
    if (p->known == NULL) {
        chorale_predictor_free(p);
        return NULL;
    }
    for (size_t i = 0; i < model->ntau; i++) {
        const struct chorale_model_tau *t = &model->tau[i];
        struct chorale_net_regimes *r =
            t->known ? tau_of(p, t->dtype, t->op) : NULL;

        if (r != NULL)
            *r = t->regime;
    }
    return p;
}

struct chorale_predictor *
chorale_predictor_fit(const struct chorale_points *points)
{
    const struct chorale_model_opts opts = { .no_check = 1 };
    struct chorale_model model;
    struct chorale_predictor *p = NULL;

    memset(&model, 0, sizeof(model));
    if (chorale_model_fit(points, "", &opts, &model, NULL) == CHORALE_OK)
        p = chorale_predictor_of(&model);
    chorale_model_release(&model);
    return p;
}

void chorale_predictor_free(struct chorale_predictor *p)
{
    if (p == NULL)
        return;
    chorale_crossval_free(p->known);
    free(p->asked);
    free(p);
}

/* --- prediction -------------------------------------------------------- */

static uint64_t question(const struct chorale_alg *alg, const long *param,
                         const struct chorale_where *w)
{
    uint64_t h = CHORALE_FNV1A_START;

    h = chorale_fnv1a(h, &alg, sizeof(alg));
    h = chorale_fnv1a(h, param, CHORALE_MAX_PARAM * sizeof(*param));
    h = chorale_fnv1a(h, &w->comm_size, sizeof(w->comm_size));
    h = chorale_fnv1a(h, &w->ppn, sizeof(w->ppn));
    h = chorale_fnv1a(h, &w->msg_size, sizeof(w->msg_size));
    h = chorale_fnv1a(h, w->shape, strlen(w->shape) + 1);
    h = chorale_fnv1a(h, w->dtype, strlen(w->dtype) + 1);
    h = chorale_fnv1a(h, w->op, strlen(w->op) + 1);
    h = chorale_fnv1a(h, w->op_class, strlen(w->op_class) + 1);
    h = chorale_fnv1a(h, w->root_policy, strlen(w->root_policy) + 1);
    if (w->arrival != NULL) {
        h = chorale_fnv1a(h, w->arrival, strlen(w->arrival) + 1);
        h = chorale_fnv1a(h, &w->skew, sizeof(w->skew));
    }
    h ^= h >> 31;
    return h != 0 ? h : 1;
}

/* The entry of a key, or the free one for it. */
static struct asked *find(struct asked *asked, size_t room, uint64_t key)
{
    size_t i = (size_t)(key & (room - 1));

    while (asked[i].key != 0 && asked[i].key != key)
        i = (i + 1) & (room - 1);
    return &asked[i];
}

static void remember(struct chorale_predictor *p, uint64_t key,
                     double seconds)
{
    if (2 * p->nasked >= p->room) {
        size_t room = p->room > 0 ? 2 * p->room : 1024;
        struct asked *more = calloc(room, sizeof(*more));

        if (more == NULL)
            return;
        for (size_t i = 0; i < p->room; i++)
            if (p->asked[i].key != 0)
                *find(more, room, p->asked[i].key) = p->asked[i];
        free(p->asked);
        p->asked = more;
        p->room = room;
    }
    *find(p->asked, p->room, key) = (struct asked){ key, seconds };
    p->nasked++;
}

/* Use the variant's cost formula where it is exact: one alpha, beta and tau,
 * one port. Else NAN. */
static double formula(const struct chorale_net *net,
                      const struct chorale_alg *alg,
                      const struct chorale_point *pt, const char *policy)
{
    const struct chorale_net_regimes *r = &net->level[0].regime;
    double a, b, c;

    if (net->nlevel > 1 || r->n > 1 || net->tau.n > 1 || net->ports > 1 ||
        net->wiring.kind != CHORALE_WIRING_FLAT || net->overlap_upto >= 0 ||
        net->copied_upto > 0 ||
        !chorale_alg_exact(alg, pt) ||
        !chorale_alg_modelled(alg, pt))
        return NAN;
    chorale_alg_cost_policy(alg, pt, policy, &a, &b, &c);
    if (c > 0 && net->tau.n == 0)
        return NAN;
    return a * r->alpha[0] + b * r->beta[0] +
           (c > 0 ? c * net->tau.beta[0] : 0);
}

/* The delay of each rank, s; NULL: unknown pattern, or out of memory. The
 * caller frees it. */
static double *delays(const struct chorale_where *w)
{
    const int last = w->comm_size - 1;
    double *late = calloc((size_t)w->comm_size, sizeof(*late));

    if (late != NULL && strcmp(w->arrival, "last") == 0)
        late[last] = w->skew;
    else if (late != NULL && strcmp(w->arrival, "ascending") == 0)
        for (int r = 0; r <= last; r++)
            late[r] = w->skew * r / last;
    else {
        free(late);
        late = NULL;
    }
    return late;
}

/* Replay with the root of the policy; for "rotate" the median of three
 * roots. late: NULL, or the delay of each rank. */
static double played(struct chorale_predictor *p, struct chorale_net net,
                     const struct chorale_alg *alg,
                     const struct chorale_point *pt, int ppn,
                     enum chorale_net_place place, const char *policy,
                     const double *late)
{
    static const char *const name[3] = { "first", "middle", "last" };
    const int root[3] = { 0, pt->comm_size / 2, pt->comm_size - 1 };
    int rooted = chorale_coll_info(alg->coll)->rooted, n = 0;
    double t[3];

    for (int i = 0; i < (rooted ? 3 : 1); i++) {
        struct chorale_point at = *pt;
        struct chorale_score *score;

        if (rooted && strcmp(policy, "rotate") != 0 &&
            strcmp(policy, name[i]) != 0)
            continue;
        at.root = root[i];
        score = chorale_recording_new(alg, &at, ppn, place,
                                      pt->msg_size >= CHORALE_NET_COLD_FROM,
                                      NULL);
        if (score == NULL)
            return NAN;
        t[n++] = late != NULL
                     ? chorale_recording_replay_late(score, &net, late)
                     : chorale_recording_replay(score, &net, NULL);
        p->work += (double)chorale_recording_events(score) +
                   chorale_recording_shared(score) / STEPS;
        chorale_recording_free(score);
    }
    if (n < 3)
        return n > 0 ? t[0] : NAN;
    return fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
}

/* 1 if a schedule is not to be replayed. Recording it may take as long as an
 * event for each pair of ranks, as each rank may write down all blocks. */
static int is_too_long(const struct chorale_predictor *p,
                       const struct chorale_alg *alg,
                       const struct chorale_point *pt)
{
    const double pairs = (double)pt->comm_size * pt->comm_size;

    return p->longest > 0 &&
           fmax(pairs, chorale_recording_estimate(alg, pt)) > p->longest;
}

static double predict(struct chorale_predictor *p,
                      const struct chorale_alg *alg, const long *param,
                      const struct chorale_where *w)
{
    struct chorale_net net = p->net;
    struct chorale_point pt = {
        .comm_size = w->comm_size, .msg_size = w->msg_size,
        .n = chorale_coll_n(w->coll, w->msg_size, w->comm_size),
        .type_size = chorale_dtype_size(w->dtype),
        .commutative = strcmp(w->op_class, "noncommutative") != 0,
        .ppn = strcmp(w->shape, "block") == 0 ||
                       strcmp(w->shape, "irregular") == 0 ? w->ppn : 0,
    };
    int ppn = strcmp(w->shape, "single-node") == 0 ? w->comm_size
              : strcmp(w->shape, "one-per-node") == 0 ? 1 : w->ppn;
    int cyclic = strcmp(w->shape, "cyclic") == 0;
    double *late = NULL, seconds = NAN;

    if (w->comm_size < 1 || ppn < 1)
        return NAN;
    memcpy(pt.param, param, sizeof(pt.param));
    if (chorale_alg_refuses(alg, &pt) != NULL)
        return NAN;
    if (w->comm_size == 1)
        return 0;
    for (int i = 0; i < p->ntau; i++)
        if (strcmp(p->tau[i].dtype, w->dtype) == 0 &&
            strcmp(p->tau[i].op, w->op) == 0)
            net.tau = p->tau[i].regime;
    if (chorale_coll_info(w->coll)->reduces && net.tau.n == 0)
        return NAN;
    if (w->arrival == NULL)
        seconds = formula(&net, alg, &pt, w->root_policy);
    else if ((late = delays(w)) == NULL)
        return NAN;
    if (isnan(seconds) && is_too_long(p, alg, &pt))
        seconds = NAN;
    else if (isnan(seconds))
        seconds = played(p, net, alg, &pt, ppn,
                         cyclic ? CHORALE_NET_CYCLIC : CHORALE_NET_BLOCK,
                         w->root_policy, late);
    free(late);
    return seconds;
}

int chorale_predict_refuses(const struct chorale_predictor *p,
                            const struct chorale_alg *alg,
                            const struct chorale_point *pt)
{
    return p != NULL && ((p->most > 0 && p->work > p->most) ||
                         is_too_long(p, alg, pt));
}

double chorale_predict(struct chorale_predictor *p,
                       const struct chorale_alg *alg, const long *param,
                       const struct chorale_where *where)
{
    uint64_t key;
    double seconds;

    if (p == NULL)
        return NAN;
    key = question(alg, param, where);
    if (p->room > 0 && find(p->asked, p->room, key)->key == key)
        return find(p->asked, p->room, key)->seconds;
    if (p->most > 0 && p->work > p->most)
        return NAN;
    seconds = predict(p, alg, param, where);
    remember(p, key, seconds);
    return seconds;
}

void chorale_predict_limit(struct chorale_predictor *p, double work,
                           double longest)
{
    if (p != NULL) {
        p->most = work;
        p->longest = longest;
    }
}

double chorale_predict_work(const struct chorale_predictor *p)
{
    return p != NULL ? p->work : 0;
}

int chorale_predict_flat(const struct chorale_predictor *p, const char *shape,
                         const char *dtype, const char *op, double *alpha,
                         double *beta, double *tau)
{
    const struct chorale_net_regimes *r;

    if (p == NULL || p->net.nlevel == 0)
        return -1;
    r = &p->net.level[strcmp(shape, "single-node") == 0 ? 0
                      : p->net.nlevel - 1].regime;
    *alpha = r->alpha[0];
    *beta = r->beta[r->n - 1];
    *tau = 0;
    for (int i = 0; i < p->ntau; i++)
        if (strcmp(p->tau[i].dtype, dtype) == 0 &&
            strcmp(p->tau[i].op, op) == 0)
            *tau = p->tau[i].regime.beta[p->tau[i].regime.n - 1];
    return 0;
}

/* The least of the first n values. */
static double least_of(const double *value, int n)
{
    double least = n > 0 ? value[0] : 0;

    for (int i = 1; i < n; i++)
        least = fmin(least, value[i]);
    return least;
}

int chorale_predict_least(const struct chorale_predictor *p,
                          const char *dtype, const char *op,
                          struct chorale_predict_least *least)
{
    const struct chorale_net *net = p != NULL ? &p->net : NULL;

    if (p == NULL || net->nlevel == 0)
        return -1;
    least->alpha = least->beta = HUGE_VAL;
    least->tau = 0;
    for (int l = 0; l < net->nlevel; l++) {
        const struct chorale_net_regimes *r = &net->level[l].regime;

        least->alpha = fmin(least->alpha, least_of(r->alpha, r->n));
        least->beta = fmin(least->beta, least_of(r->beta, r->n));
    }
    for (int i = 0; i < p->ntau; i++)
        if (strcmp(p->tau[i].dtype, dtype) == 0 &&
            strcmp(p->tau[i].op, op) == 0)
            least->tau = least_of(p->tau[i].regime.beta, p->tau[i].regime.n);
    least->overlapped =
        net->overlap_upto < 0
            ? net->gap
            : fmax(net->gap, fmin(net->send_overhead, net->recv_overhead));
    least->step = net->overlap_upto < 0 ? least->alpha : least->overlapped;
    if (net->copied_upto > 0) /* a sender may spend no time on a message */
        least->beta = least->step = least->overlapped = 0;
    return 0;
}

int chorale_predict_lacks(const struct chorale_predictor *p,
                          const struct chorale_alg *alg,
                          const struct chorale_where *where, char *why,
                          size_t size)
{
    return p != NULL && chorale_crossval_lacks(p->known, alg, where, why, size);
}

int chorale_predict_may(struct chorale_predictor *p,
                        const struct chorale_alg *alg,
                        const struct chorale_where *where, char *why,
                        size_t size)
{
    if (p == NULL) {
        snprintf(why, size, "no model is fitted");
        return 0;
    }
    return chorale_crossval_may(p->known, alg, where, why, size);
}
