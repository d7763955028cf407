/* SPDX-License-Identifier: BSD-3-Clause */
/* param_values.h - the values of a variant's parameters at a point: those
 * listed in its descriptor and those derived from P and n (enum chorale_by). */
#ifndef CHORALE_TUNER_PLAN_PARAM_VALUES_H
#define CHORALE_TUNER_PLAN_PARAM_VALUES_H

#include "algorithms/alg.h"

#define CHORALE_MAX_VALUES 40

/* Which values a plan measures. */
enum chorale_set {
    CHORALE_SET_CORE, /* the defaults, and the values that the cost model
                       * favours where it distinguishes them */
    CHORALE_SET_MODEL, /* all, and values in between; candidates for the
                        * prediction that selects cells (adaptive.h) */
    CHORALE_SET_ALL   /* every combination of the listed values and of values
                       * derived from the point: the square root of P as a
                       * radix, all meshes, the best number of blocks */
};

/* Seconds per message, byte and reduced byte on a fast network; HIDDEN_ALPHA:
 * per message whose latency mostly overlaps with others. */
#define TYPICAL_ALPHA 1e-6
#define HIDDEN_ALPHA 1e-7
#define TYPICAL_BETA 1e-10
#define TYPICAL_TAU 1e-10

struct chorale_values {
    const struct chorale_alg *alg;
    long value[CHORALE_MAX_PARAM][CHORALE_MAX_VALUES];
    int n[CHORALE_MAX_PARAM]; /* 0: the default only */
};

/* Set the values at a point. Set ALL has more values than CORE, and MODEL also
 * has values between them. */
void chorale_values_init(struct chorale_values *ls,
                         const struct chorale_alg *alg,
                         const struct chorale_point *at,
                         enum chorale_set set);

/* Number of combinations of values, at most 4096; combination k, in the
 * descriptor's order, as value[alg->nparam]. */
long chorale_values_count(const struct chorale_values *ls);
void chorale_values_get(const struct chorale_values *ls, long k, long *value);

#endif
