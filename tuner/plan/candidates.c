/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.c - the parameter values of a variant that a plan measures.
 *
 * Of a dozen segment sizes most are hopeless at any given point, and those cost
 * most to measure. A megabyte in segments of one kilobyte is a thousand
 * messages per rank. The set `near` omits
 *  - combinations, other than the defaults, that do not run at this point;
 *  - segmentations that are NEAR_CUT times (with few messages NEAR_FEW times)
 *    slower than another by their cost formula, both on a network of low
 *    latency and on a typical one; of equal segmentations all but one;
 *  - choices that take NEAR_BYTES times as long as another choice, of any
 *    variant of the collective, even if only bytes cost time;
 *  - radixes and request limits beyond the number of ranks, and radixes of
 *    shapes that ignore them, all but one.
 * Variants that call the MPI library are not compared, as their cost is
 * unknown. Radixes are not compared otherwise: with overlapping sends a message
 * costs less than the model's latency. */
#include "config.h"

#include "tuner/plan/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_CUT 1.25
#define NEAR_FEW 2.0
#define FEW 64 /* messages on the critical path */
#define NEAR_BYTES 1.5

int chorale_set_find(const char *name)
{
    static const char *const word[] = { "core", "near", "all" };

    for (int i = 0; i < 3; i++)
        if (strcmp(name, word[i]) == 0)
            return i;
    return -1;
}

static double seconds(const struct chorale_alg *alg, struct chorale_point *at,
                      double alpha, double *messages)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c;

    at->alpha = alpha;
    at->beta = TYPICAL_BETA;
    at->tau = TYPICAL_TAU;
    chorale_term_sums(term, alg->cost(at, term), &a, &b, &c);
    if (messages != NULL)
        *messages = a;
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

static int is_radix(const struct chorale_param *par)
{
    static const char *const word[] = { "radix", "fanout", NULL };

    return is_one_of(par->name, word);
}

/* The first combination that differs from k in such parameters only. */
static long without(const struct chorale_values *ls, long k,
                    int (*such)(const struct chorale_param *par))
{
    long rest = k, weight = 1, first = 0;

    for (int i = 0; i < ls->alg->nparam; i++) {
        if (ls->n[i] == 0)
            continue;
        if (!such(&ls->alg->param[i]))
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
    return equal(seconds(alg, &one, HIDDEN_ALPHA, NULL),
                 seconds(alg, &other, HIDDEN_ALPHA, NULL)) &&
           equal(seconds(alg, &one, TYPICAL_ALPHA, NULL),
                 seconds(alg, &other, TYPICAL_ALPHA, NULL));
}

/* 1 if a parameter that counts ranks is at least comm_size, and a smaller
 * listed value has the same effect. reqs: consider request limits too, and do
 * not compare costs. */
static int beyond(const struct chorale_alg *alg,
                  const struct chorale_point *at, int reqs)
{
    static const char *const word[] = { "radix", "fanout", "fanin",
                                        "scatter_radix", "gather_radix",
                                        NULL };
    static const char *const limit[] = { "max_reqs", NULL };

    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *par = &alg->param[i];

        if (at->param[i] < at->comm_size ||
            !(is_one_of(par->name, word) ||
              (reqs && is_one_of(par->name, limit))))
            continue;
        for (int j = 0; j < par->ncandidate; j++)
            if (((par->candidate[j] >= at->comm_size &&
                  par->candidate[j] < at->param[i]) ||
                 (par->candidate[j] == 0 && par->min == 0)) &&
                (reqs || same_cost(alg, at, i, par->candidate[j])))
                return 1;
    }
    return 0;
}

struct choice {
    double hidden, typical; /* seconds; negative: omitted */
    double bytes;           /* seconds of the bytes alone */
    double messages;        /* on the critical path */
    int is_default;
    int unknown;            /* the library does a part: its cost is a guess */
};

static int is_default(const struct chorale_alg *alg, const long *value)
{
    for (int i = 0; i < alg->nparam; i++)
        if (value[i] != alg->param[i].def)
            return 0;
    return 1;
}

static void judge_alone(const struct chorale_values *ls,
                        struct chorale_point *at,
                        struct choice *choice, long n)
{
    const struct chorale_alg *alg = ls->alg;

    for (long k = 0; k < n; k++) {
        chorale_values_get(ls, k, at->param);
        choice[k] = (struct choice){ -1, -1, 0, 0, is_default(alg, at->param),
                                     chorale_alg_by_library(alg, at) };
        if (chorale_alg_refuses(alg, at) != NULL ||
            (!choice[k].is_default && beyond(alg, at, 1)))
            continue;
        choice[k].hidden = seconds(alg, at, HIDDEN_ALPHA, NULL);
        choice[k].typical = seconds(alg, at, TYPICAL_ALPHA,
                                    &choice[k].messages);
        choice[k].bytes = seconds(alg, at, 0, NULL);
    }
}

/* 1 if choices k and j cost the same at some other comm_sizes. */
static int same_cost_at_sizes(const struct chorale_values *ls,
                              const struct chorale_point *at,
                              long k, long j)
{
    const struct chorale_alg *alg = ls->alg;
    static const int size[] = { 33, 64, 250 };
    struct chorale_point a = *at, b = *at;

    chorale_values_get(ls, k, a.param);
    chorale_values_get(ls, j, b.param);
    for (int i = 0; i < 3; i++) {
        a.comm_size = b.comm_size = size[i];
        if (!equal(seconds(alg, &a, HIDDEN_ALPHA, NULL),
                   seconds(alg, &b, HIDDEN_ALPHA, NULL)))
            return 0;
    }
    return 1;
}

/* 1 if choice k is dominated by choice j. */
static int is_worse(const struct chorale_values *ls,
                    const struct chorale_point *at,
                    const struct choice *choice, long k, long j)
{
    const struct choice *a = &choice[k], *b = &choice[j];
    double far = a->messages > FEW ? NEAR_CUT : NEAR_FEW;

    if (j < k && without(ls, k, is_radix) == without(ls, j, is_radix) &&
        same_cost_at_sizes(ls, at, k, j))
        return 1;
    if (without(ls, k, cuts) != without(ls, j, cuts))
        return 0;
    if (equal(a->hidden, b->hidden) && equal(a->typical, b->typical))
        return b->is_default || j < k;
    return a->hidden > far * b->hidden && a->typical > far * b->typical;
}

/* The least cost of any variant of the collective at this point, s. */
static double least(enum chorale_coll coll, const struct chorale_point *at)
{
    struct chorale_point pt = *at;
    double best = INFINITY, t;

    for (int i = 0; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        struct chorale_values ls;

        if (alg->coll != coll)
            continue;
        chorale_values_init(&ls, alg, at, CHORALE_SET_NEAR);
        for (long k = 0; k < chorale_values_count(&ls); k++) {
            chorale_values_get(&ls, k, pt.param);
            if (chorale_alg_refuses(alg, &pt) != NULL ||
                chorale_alg_by_library(alg, &pt))
                continue;
            t = seconds(alg, &pt, TYPICAL_ALPHA, NULL);
            if (t < best)
                best = t;
        }
    }
    return best;
}

static int is_near(const struct chorale_values *ls,
                   const struct chorale_point *at,
                   const struct choice *choice, double best, long n, long k)
{
    if (choice[k].is_default)
        return 1;
    if (choice[k].typical < 0 || choice[k].unknown)
        return choice[k].unknown && choice[k].typical >= 0;
    if (choice[k].bytes > NEAR_BYTES * best)
        return 0;
    for (long j = 0; j < n; j++)
        if (j != k && choice[j].typical >= 0 && !choice[j].unknown &&
            is_worse(ls, at, choice, k, j))
            return 0;
    return 1;
}

typedef enum chorale_err put_fn(void *arg, const long *value);

static enum chorale_err put_near(const struct chorale_alg *alg,
                                 const struct chorale_point *at, put_fn *put,
                                 void *arg, struct chorale_errmsg *msg)
{
    struct chorale_values ls;
    chorale_values_init(&ls, alg, at, CHORALE_SET_NEAR);
    long n = chorale_values_count(&ls);
    struct choice *choice = calloc((size_t)n, sizeof(*choice));
    struct chorale_point pt = *at;
    double best = alg->nparam > 0 ? least(alg->coll, at) : 0;
    enum chorale_err err = CHORALE_OK;
    int any = 0;

    if (choice == NULL)
        return chorale_fail_memory(msg, NULL);
    judge_alone(&ls, &pt, choice, n);
    for (long k = 0; k < n && err == CHORALE_OK; k++) {
        if (!is_near(&ls, at, choice, best, n, k))
            continue;
        chorale_values_get(&ls, k, pt.param);
        err = put(arg, pt.param);
        any = 1;
    }
    free(choice);
    if (!any) { /* neither the defaults nor any listed value runs */
        for (int i = 0; i < alg->nparam; i++)
            pt.param[i] = alg->param[i].def;
        err = put(arg, pt.param);
    }
    return err;
}

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
        if (is_default(alg, pt.param) || !beyond(alg, &pt, 0))
            err = put(arg, pt.param);
    }
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
    fastest = seconds(alg, &pt, alpha, NULL) * (1 - 1e-6);
    for (long k = 0; k < chorale_values_count(ls); k++) {
        chorale_values_get(ls, k, pt.param);
        t = seconds(alg, &pt, alpha, NULL);
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
    switch (set) {
    case CHORALE_SET_CORE:
        return put_core(alg, at, put, arg);
    case CHORALE_SET_NEAR:
        return put_near(alg, at, put, arg, msg);
    case CHORALE_SET_ALL:
        break;
    }
    return put_all(alg, at, put, arg);
}
