/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.h - reduces the gathered vectors of all ranks in rank order. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_ORDERED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_ORDERED_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* call->recvbuf = x0 op (x1 op ( ... )) for n >= 1 vectors of
 * call->recvcount elements at x, stride bytes apart; x is only read. Returns
 * an MPI error code. */
int chorale_reduce_ordered(const struct chorale_call *call, const void *x,
                           MPI_Aint stride, int n);

/* Collect the vectors of all ranks with the variant gather, then combine them
 * in rank order on the ranks where here is 1. gather is a gather (here is 1 at
 * call->root only) or an allgather (here is 1 on every rank). The cost is exact
 * if that of gather is. */
int chorale_reduce_gathered(const struct chorale_call *call,
                            const struct chorale_alg *gather, int here);
int chorale_cost_gathered(const struct chorale_point *pt,
                          const struct chorale_alg *gather,
                          struct chorale_term *term);
size_t chorale_scratch_gathered(const struct chorale_point *pt,
                                const struct chorale_alg *gather);

#endif
