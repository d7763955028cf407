/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.h - the parameter values of a variant that a plan measures. */
#ifndef CHORALE_TUNER_PLAN_CANDIDATES_H
#define CHORALE_TUNER_PLAN_CANDIDATES_H

#include "algorithms/alg.h"
#include "db/err.h"

enum chorale_set {
    CHORALE_SET_CORE, /* the defaults, and the values that the cost model
                       * favours where it distinguishes them */
    CHORALE_SET_NEAR, /* all but those that cannot be the best (see
                       * candidates.c) */
    CHORALE_SET_ALL   /* every combination of the listed values and of values
                       * derived from the point: the square root of P as a
                       * radix, all meshes, the best number of blocks */
};

/* The set with that name ("core", "near", "all"), or -1. */
int chorale_set_find(const char *name);

/* Call put for each combination of values at a point, in a fixed order; the
 * first error ends it and is returned. at->param is ignored. */
enum chorale_err
chorale_candidates(const struct chorale_alg *alg, enum chorale_set set,
                   const struct chorale_point *at,
                   enum chorale_err (*put)(void *arg, const long *value),
                   void *arg, struct chorale_errmsg *msg);

#endif
