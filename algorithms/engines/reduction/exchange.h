/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h - allreduce by exchanges of whole vectors in small groups, all
 * ranks at once: recursive doubling, multiplying, exchange, and the
 * latency-optimal Swing.
 *
 * In each round the members of a group combine the same values by the same
 * expression, x0 op (x1 op ( ... )). Where their groups are the same in the
 * rounds before, as they are for digits, all ranks end with the same bits.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_EXCHANGE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_EXCHANGE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* Groups are ranks that differ in one digit to the base k; keeps rank order.
 * call->ctx->size must be a power of k: see fold.h. at_once: all messages of
 * a round are in flight together, else one in and one out at a time. */
int chorale_exchange_digits(const struct chorale_call *call, int k,
                            int at_once);

/* Pairs at the distances of Swing, 1, -1, 3, -5, 11, ...: even ranks to the
 * right, odd ones to the left. A power of two ranks; commutative operations.
 */
int chorale_exchange_swing(const struct chorale_call *call);

/* The critical path and the scratch of both (swing: k = 2), the fold for
 * other numbers of processes included: exact where messages go in turn. */
int chorale_exchange_cost(const struct chorale_point *pt, int k,
                          struct chorale_term *term);
size_t chorale_exchange_scratch(const struct chorale_point *pt, int k);

#endif
