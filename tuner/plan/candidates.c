/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.c - the parameter values of a variant that a plan measures. */
#include "config.h"

#include "tuner/plan/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int chorale_set_find(const char *name)
{
    static const char *const word[] = { "core", "model", "all" };

    for (int i = 0; i < 3; i++)
        if (strcmp(name, word[i]) == 0)
            return i;
    return -1;
}

static double seconds(const struct chorale_alg *alg, struct chorale_point *at,
                      double alpha)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c;

    at->alpha = alpha;
    at->beta = TYPICAL_BETA;
    at->tau = TYPICAL_TAU;
    chorale_term_sums(term, alg->cost(at, term), &a, &b, &c);
    return a * alpha + b * at->beta + c * at->tau;
}

static int is_one_of(const char *name, const char *const *word)
{
    for (; *word != NULL; word++)
        if (strcmp(name, *word) == 0)
            return 1;
    return 0;
}

static int cuts(const struct chorale_param *par)
{
    static const char *const word[] = { "segsize", "first_segsize", "nblocks",
                                        NULL };

    return is_one_of(par->name, word);
}

/* The first combination that differs from k in segmentations only. */
static long without_cuts(const struct chorale_values *ls, long k)
{
    long rest = k, weight = 1, first = 0;

    for (int i = 0; i < ls->alg->nparam; i++) {
        if (ls->n[i] == 0)
            continue;
        if (!cuts(&ls->alg->param[i]))
            first += rest % ls->n[i] * weight;
        weight *= ls->n[i];
        rest /= ls->n[i];
    }
    return first;
}

static int equal(double a, double b)
{
    return a <= b * (1 + 1e-9) && b <= a * (1 + 1e-9);
}

/* 1 if the cost is the same with another value of parameter i. */
static int same_cost(const struct chorale_alg *alg,
                     const struct chorale_point *at, int i, long value)
{
    struct chorale_point one = *at, other = *at;

    other.param[i] = value;
    return equal(seconds(alg, &one, HIDDEN_ALPHA),
                 seconds(alg, &other, HIDDEN_ALPHA)) &&
           equal(seconds(alg, &one, TYPICAL_ALPHA),
                 seconds(alg, &other, TYPICAL_ALPHA));
}

/* 1 if a parameter that counts ranks is at least comm_size, and a smaller
 * listed value has the same effect. */
static int beyond(const struct chorale_alg *alg,
                  const struct chorale_point *at)
{
    static const char *const word[] = { "radix", "fanout", "fanin",
                                        "scatter_radix", "gather_radix",
                                        NULL };

    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *par = &alg->param[i];

        if (at->param[i] < at->comm_size || !is_one_of(par->name, word))
            continue;
        for (int j = 0; j < par->ncandidate; j++)
            if (((par->candidate[j] >= at->comm_size &&
                  par->candidate[j] < at->param[i]) ||
                 (par->candidate[j] == 0 && par->min == 0)) &&
                same_cost(alg, at, i, par->candidate[j]))
                return 1;
    }
    return 0;
}

static int is_default(const struct chorale_alg *alg, const long *value)
{
    for (int i = 0; i < alg->nparam; i++)
        if (value[i] != alg->param[i].def)
            return 0;
    return 1;
}

typedef enum chorale_err put_fn(void *arg, const long *value);

static enum chorale_err put_all(const struct chorale_alg *alg,
                                const struct chorale_point *at, put_fn *put,
                                void *arg)
{
    struct chorale_point pt = *at;
    struct chorale_values ls;
    enum chorale_err err = CHORALE_OK;

    chorale_values_init(&ls, alg, at, CHORALE_SET_ALL);
    for (long k = 0; k < chorale_values_count(&ls) && err == CHORALE_OK; k++) {
        memset(pt.param, 0, sizeof(pt.param));
        chorale_values_get(&ls, k, pt.param);
        if (is_default(alg, pt.param) || !beyond(alg, &pt))
            err = put(arg, pt.param);
    }
    return err;
}

/* Costs of a combination, seconds. */
struct cost {
    double hidden, typical;
};

/* 1 if an earlier combination differs from k in segmentations only and costs
 * the same, since segments do not cut the data. */
static int is_repeated(const struct chorale_values *ls,
                       const struct cost *cost, long k)
{
    long first = without_cuts(ls, k);

    for (long j = first; j < k; j++)
        if (equal(cost[j].hidden, cost[k].hidden) &&
            equal(cost[j].typical, cost[k].typical) &&
            without_cuts(ls, j) == first)
            return 1;
    return 0;
}

/* The set for predictions: all combinations that run at the point, and of equal
 * segmentations one. */
static enum chorale_err put_model(const struct chorale_alg *alg,
                                  const struct chorale_point *at, put_fn *put,
                                  void *arg, struct chorale_errmsg *msg)
{
    struct chorale_point pt = *at;
    struct chorale_values ls;
    struct cost *cost;
    enum chorale_err err = CHORALE_OK;
    long n;

    chorale_values_init(&ls, alg, at, CHORALE_SET_MODEL);
    n = chorale_values_count(&ls);
    cost = malloc((size_t)n * sizeof(*cost));
    if (cost == NULL)
        return chorale_fail_memory(msg, NULL);
    for (long k = 0; k < n && err == CHORALE_OK; k++) {
        chorale_values_get(&ls, k, pt.param);
        cost[k] = (struct cost){ NAN, NAN };
        if (chorale_alg_refuses(alg, &pt) != NULL || beyond(alg, &pt))
            continue;
        cost[k].hidden = seconds(alg, &pt, HIDDEN_ALPHA);
        cost[k].typical = seconds(alg, &pt, TYPICAL_ALPHA);
        if (!is_repeated(&ls, cost, k))
            err = put(arg, pt.param);
    }
    free(cost);
    return err;
}

/* The combination with the least cost at that latency; the defaults if none is
 * cheaper. */
static void find_fastest(const struct chorale_values *ls,
                         const struct chorale_point *at, double alpha,
                         long *best)
{
    const struct chorale_alg *alg = ls->alg;
    struct chorale_point pt = *at;
    double fastest, t;

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = best[i] = alg->param[i].def;
    fastest = seconds(alg, &pt, alpha) * (1 - 1e-6);
    for (long k = 0; k < chorale_values_count(ls); k++) {
        chorale_values_get(ls, k, pt.param);
        t = seconds(alg, &pt, alpha);
        if (t < fastest) {
            fastest = t;
            memcpy(best, pt.param, sizeof(pt.param));
        }
    }
}

/* Replace segment sizes by the next smaller listed ones that cut the data. */
static void cut_finer(const struct chorale_values *ls,
                      const struct chorale_point *at,
                      long *value)
{
    for (int i = 0; i < ls->alg->nparam; i++) {
        long finer = 0;

        if (strcmp(ls->alg->param[i].name, "segsize") != 0)
            continue;
        for (int j = 0; j < ls->n[i]; j++)
            if (ls->value[i][j] < value[i] && ls->value[i][j] > finer)
                finer = ls->value[i][j];
        value[i] = finer > 0 && (size_t)finer < at->n ? finer : value[i];
    }
}

/* Replace segment sizes by the next larger listed ones, unless `most` has no
 * longer segments (0: whole messages). */
static void cut_coarser(const struct chorale_values *ls,
                        const struct chorale_point *at,
                        const long *most, long *value)
{
    for (int i = 0; i < ls->alg->nparam; i++) {
        long coarser = 0, end = most[i] > 0 ? most[i] : (long)at->n;

        if (strcmp(ls->alg->param[i].name, "segsize") != 0 || value[i] == 0)
            continue;
        for (int j = 0; j < ls->n[i]; j++)
            if (ls->value[i][j] > value[i] && ls->value[i][j] < end &&
                (coarser == 0 || ls->value[i][j] < coarser))
                coarser = ls->value[i][j];
        value[i] = coarser > 0 ? coarser : value[i];
    }
}

/* The core set: the defaults; the fastest on a typical network; the fastest if
 * most latency is hidden by overlap; the latter with finer segments and, if
 * there is a gap to the typical ones, with coarser ones. */
static enum chorale_err put_core(const struct chorale_alg *alg,
                                 const struct chorale_point *at, put_fn *put,
                                 void *arg)
{
    enum { NVALUE = 5 };
    long value[NVALUE][CHORALE_MAX_PARAM] = { { 0 } };
    struct chorale_values ls;
    enum chorale_err err = CHORALE_OK;

    chorale_values_init(&ls, alg, at, CHORALE_SET_CORE);
    for (int i = 0; i < alg->nparam; i++)
        value[0][i] = alg->param[i].def;
    if (alg->nparam > 0) {
        find_fastest(&ls, at, TYPICAL_ALPHA, value[1]);
        find_fastest(&ls, at, HIDDEN_ALPHA, value[2]);
        memcpy(value[3], value[2], sizeof(value[3]));
        cut_finer(&ls, at, value[3]);
        memcpy(value[4], value[2], sizeof(value[4]));
        cut_coarser(&ls, at, value[1], value[4]);
    }
    for (int k = 0; k < (alg->nparam > 0 ? NVALUE : 1) && err == CHORALE_OK;
         k++) {
        int same = 0;

        while (memcmp(value[same], value[k], sizeof(value[k])) != 0)
            same++;
        if (same == k)
            err = put(arg, value[k]);
    }
    return err;
}

enum chorale_err
chorale_candidates(const struct chorale_alg *alg, enum chorale_set set,
                   const struct chorale_point *at,
                   enum chorale_err (*put)(void *arg, const long *value),
                   void *arg, struct chorale_errmsg *msg)
{
    if (set == CHORALE_SET_CORE)
        return put_core(alg, at, put, arg);
    if (set == CHORALE_SET_MODEL)
        return put_model(alg, at, put, arg, msg);
    return put_all(alg, at, put, arg);
}
