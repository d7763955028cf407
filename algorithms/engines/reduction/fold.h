/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h - extends an allreduce for powers of k ranks to any number of ranks.
 *
 * The ranks outside the core first send their vectors to a rank of the core,
 * and receive the result from it at the end. Rank order is preserved. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_FOLD_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_FOLD_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* Run core on a power of k ranks. core is an ordinary allreduce; its call is in
 * place on ranks that have received other ranks' vectors. */
int chorale_fold_run(const struct chorale_call *call, int k,
                     int (*core)(const struct chorale_call *call));

/* Append the cost of the fold to the n terms in term: at most one term. Returns
 * the new number of terms. With r = ceil(P/K) - 1 ranks that fold onto one, K
 * the size of the core: r (2 (alpha + n beta) + n tau), exact. */
int chorale_fold_cost(const struct chorale_point *pt, int k,
                      struct chorale_term *term, int n);

/* Bytes of scratch of the fold. *passing: released before the core runs.
 * Result: kept while the core runs. */
size_t chorale_fold_scratch(const struct chorale_point *pt, int k,
                            size_t *passing);

#endif
