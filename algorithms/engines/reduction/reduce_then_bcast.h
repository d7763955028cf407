/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_then_bcast.h - an allreduce made of a reduction to rank 0 and a
 * broadcast from there, so that all ranks get the same bits. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_REDUCE_THEN_BCAST_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_REDUCE_THEN_BCAST_H

#include "algorithms/engines/part.h"

/* The descriptor's functions of such an allreduce; the parts run with their
 * default parameters. The cost is the sum of the parts': exact if theirs are,
 * and rank 0 is the last to leave the reduction. */
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

/* The same where both parts have the allreduce's own parameters, and run with
 * their values. */
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
