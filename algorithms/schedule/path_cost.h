/* SPDX-License-Identifier: BSD-3-Clause */
/* path_cost.h - what a variant costs at a point: its stated cost where that is
 * exact or no schedule is available, else the critical path of its schedule.
 *
 * Seconds = A alpha + B beta + C tau with A messages, B bytes and C reduced
 * bytes. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_PATH_COST_H
#define CHORALE_ALGORITHMS_SCHEDULE_PATH_COST_H

#include "algorithms/alg.h"

/* The critical path of alg at pt as terms, like chorale_alg.cost. Returns how
 * many of the CHORALE_MAX_TERM entries of term are set. */
int chorale_alg_cost(const struct chorale_alg *alg,
                     const struct chorale_point *pt,
                     struct chorale_term *term);

/* The sums A, B and C of chorale_alg_cost(). */
void chorale_alg_cost_sums(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double *messages,
                           double *bytes, double *reduced);

/* The sums for a campaign's root policy: "first", "middle" or "last" root, or
 * for "rotate" the one of these three with the median time. With any other
 * policy the root is pt->root. */
void chorale_alg_cost_policy(const struct chorale_alg *alg,
                             const struct chorale_point *pt,
                             const char *policy, double *messages,
                             double *bytes, double *reduced);

#endif
