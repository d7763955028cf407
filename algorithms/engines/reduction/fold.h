/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h - an allreduce on any number of processes by a core that takes only
 * powers of k: the others hand their vectors to a survivor of the core first
 * and get the result from it at the end. Rank order is kept. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_FOLD_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_FOLD_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* Run core on a power of k ranks; it is an allreduce like any other, on the
 * call that it gets (in place, where others have folded onto the rank). */
int chorale_fold_run(const struct chorale_call *call, int k,
                     int (*core)(const struct chorale_call *call));

/* What the fold itself costs: adds at most one term to the n that term holds
 * and returns how many there are. With r = ceil(P/K) - 1 ranks that fold onto
 * one: r (2 (alpha + n beta) + n tau), exact. */
int chorale_fold_cost(const struct chorale_point *pt, int k,
                      struct chorale_term *term, int n);

/* What it takes of scratch: memory that is given back before the core runs
 * (*passing), and what stays (returned). */
size_t chorale_fold_scratch(const struct chorale_point *pt, int k,
                            size_t *passing);

#endif
