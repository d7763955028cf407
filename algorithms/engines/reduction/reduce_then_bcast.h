/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_then_bcast.h - allreduce by reduction to rank 0 and broadcast.
 *
 * All ranks get the same bits, because the result is computed on rank 0
 * only. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_REDUCE_THEN_BCAST_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_REDUCE_THEN_BCAST_H

#include "algorithms/engines/part.h"

/* Descriptor functions of such an allreduce. The sub-algorithms run with their
 * default parameters. The cost is the sum of their costs. It is exact if both
 * are exact and rank 0 finishes the reduction last. */
int chorale_reduce_then_bcast(const struct chorale_call *call,
                              const struct chorale_alg *reduce,
                              const struct chorale_alg *bcast);
int chorale_reduce_then_bcast_cost(const struct chorale_point *pt,
                                   const struct chorale_alg *reduce,
                                   const struct chorale_alg *bcast,
                                   struct chorale_term *term);
size_t chorale_reduce_then_bcast_scratch(const struct chorale_point *pt,
                                         const struct chorale_alg *reduce,
                                         const struct chorale_alg *bcast);
const char *chorale_reduce_then_bcast_refuses(
    const struct chorale_point *pt, const struct chorale_alg *reduce,
    const struct chorale_alg *bcast);
enum chorale_order chorale_reduce_then_bcast_order(
    const struct chorale_point *pt, const struct chorale_alg *reduce);

/* The same for sub-algorithms that have the allreduce's own parameters; they
 * run with the allreduce's values. */
int chorale_reduce_then_bcast_alike(const struct chorale_call *call,
                                    const struct chorale_alg *reduce,
                                    const struct chorale_alg *bcast);
int chorale_reduce_then_bcast_alike_cost(const struct chorale_point *pt,
                                         const struct chorale_alg *reduce,
                                         const struct chorale_alg *bcast,
                                         struct chorale_term *term);
size_t chorale_reduce_then_bcast_alike_scratch(
    const struct chorale_point *pt, const struct chorale_alg *reduce,
    const struct chorale_alg *bcast);

#endif
