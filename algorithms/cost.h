/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - critical paths that several variants share. Each function has the
 * type of a descriptor's cost (or scratch) and may be named there. */
#ifndef CHORALE_ALGORITHMS_COST_H
#define CHORALE_ALGORITHMS_COST_H

#include "algorithms/alg.h"

/* comm_size - 1 messages of msg_size bytes, one after the other: flat
 * operations at their root, and rings. */
int chorale_cost_in_turn(const struct chorale_point *pt,
                         struct chorale_term *term);

/* A binomial tree in which a message carries the blocks of a whole subtree:
 * gather and scatter. Exact for every comm_size. */
int chorale_cost_binomial_blocks(const struct chorale_point *pt,
                                 struct chorale_term *term);

/* What its busiest rank holds: the root may have its largest subtree once
 * more, if that wraps past the last rank. */
size_t chorale_scratch_binomial_blocks(const struct chorale_point *pt);

#endif
