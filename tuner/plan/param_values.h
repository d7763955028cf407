/* SPDX-License-Identifier: BSD-3-Clause */
/* param_values.h - the values of a variant's parameters at a point: what its
 * descriptor lists, and what that takes from the number of ranks and the size
 * (enum chorale_by). */
#ifndef CHORALE_TUNER_PLAN_PARAM_VALUES_H
#define CHORALE_TUNER_PLAN_PARAM_VALUES_H

#include "algorithms/alg.h"
#include "tuner/plan/candidates.h"

#define CHORALE_MAX_VALUES 40

/* Seconds a message, a byte and a reduced byte on a fast network; a message
 * where most of its latency is hidden behind others. */
#define TYPICAL_ALPHA 1e-6
#define HIDDEN_ALPHA 1e-7
#define TYPICAL_BETA 1e-10
#define TYPICAL_TAU 1e-10

struct chorale_values {
    const struct chorale_alg *alg;
    long value[CHORALE_MAX_PARAM][CHORALE_MAX_VALUES];
    int n[CHORALE_MAX_PARAM]; /* 0: the default only */
};

/* set: the full one has more than the others. */
void chorale_values_init(struct chorale_values *ls,
                         const struct chorale_alg *alg,
                         const struct chorale_point *at,
                         enum chorale_set set);

/* Combinations of the parameters' values, at most a few thousand; number k of
 * them as value[CHORALE_MAX_PARAM], in the descriptor's order. */
long chorale_values_count(const struct chorale_values *ls);
void chorale_values_get(const struct chorale_values *ls, long k, long *value);

#endif
