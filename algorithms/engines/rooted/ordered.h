/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.h - the values of all ranks, combined at one of them. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_ORDERED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_ORDERED_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* call->recvbuf = x0 op (x1 op ( ... )): vectors of call->recvcount elements,
 * n >= 1 of them at x, one each stride bytes, which are only read. Returns an
 * MPI error code. */
int chorale_reduce_ordered(const struct chorale_call *call, const void *x,
                           MPI_Aint stride, int n);

/* The vectors of all ranks by gather, a gather (at call->root: here is 1
 * there) or an allgather (here is 1 everywhere), then combined in rank order
 * where here is 1; its critical path, exact as the part's is; its scratch. */
int chorale_reduce_gathered(const struct chorale_call *call,
                            const struct chorale_alg *gather, int here);
int chorale_cost_gathered(const struct chorale_point *pt,
                          const struct chorale_alg *gather,
                          struct chorale_term *term);
size_t chorale_scratch_gathered(const struct chorale_point *pt,
                                const struct chorale_alg *gather);

#endif
