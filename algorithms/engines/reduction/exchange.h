/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - allreduce by exchange of whole vectors in small groups.
 *
 * Recursive doubling, multiplying and exchange, and the latency-optimal Swing.
 * In each round the members of a group combine the same values by the same
 * expression, x0 op (x1 op ( ... )). If the members' earlier groups hold the
 * same values, as with groups by digits, all ranks end with the same bits.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_EXCHANGE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_EXCHANGE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* Groups are ranks that differ in one base-k digit; rank order is preserved.
 * call->ctx->size must be a power of k (use fold.h otherwise). at_once: 1: all
 * messages of a round are in flight together, 0: one in each direction at a
 * time. Returns an MPI error code. */
int chorale_exchange_digits(const struct chorale_call *call, int k,
                            int at_once);

/* Pairs at the distances of Swing, 1, -1, 3, -5, 11, ...: even ranks pair to
 * the right, odd ones to the left. For a power of two ranks and commutative
 * operations. Returns an MPI error code.
 */
int chorale_exchange_swing(const struct chorale_call *call);

/* Critical path and bytes of scratch of both (Swing: k = 2), including the fold
 * for other process counts. The path is exact if messages go one at a time. */
int chorale_exchange_cost(const struct chorale_point *pt, int k,
                          struct chorale_term *term);
size_t chorale_exchange_scratch(const struct chorale_point *pt, int k);

#endif
