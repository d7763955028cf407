/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.h - the parameter values of a variant that a plan measures. */
#ifndef CHORALE_TUNER_PLAN_CANDIDATES_H
#define CHORALE_TUNER_PLAN_CANDIDATES_H

#include "db/err.h"
#include "tuner/plan/param_values.h"

/* The set with that name ("core", "model", "all"), or -1. */
int chorale_set_find(const char *name);

/* Call put for each combination of values at a point, in a fixed order; the
 * first error ends it and is returned. at->param is ignored. */
enum chorale_err
chorale_candidates(const struct chorale_alg *alg, enum chorale_set set,
                   const struct chorale_point *at,
                   enum chorale_err (*put)(void *arg, const long *value),
                   void *arg, struct chorale_errmsg *msg);

#endif
