/* SPDX-License-Identifier: BSD-3-Clause */
/* nested_rings.h - allreduce of long vectors on a torus: a ring reduce-scatter
 * along each dimension in turn, each on what the one before has left, then
 * the allgathers backwards. */
#ifndef CHORALE_ALGORITHMS_NESTED_RINGS_H
#define CHORALE_ALGORITHMS_NESTED_RINGS_H

#include "algorithms/alg.h"

enum { CHORALE_MAX_DIM = 4 };

/* ranks = the product of dim[], 1 <= ndim <= CHORALE_MAX_DIM; ranks that
 * differ by 1 are neighbours in dimension 0, where the first ring runs.
 * Commutative operations. */
int chorale_nested_rings(const struct chorale_call *call, const int *dim,
                         int ndim);

/* Its critical path, exact: part 0, of the largest, travels all the way. */
int chorale_nested_rings_cost(const struct chorale_point *pt, const int *dim,
                              int ndim, struct chorale_term *term);
size_t chorale_nested_rings_scratch(const struct chorale_point *pt,
                                    const int *dim, int ndim);

#endif
