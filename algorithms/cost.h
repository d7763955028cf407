/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - critical paths shared by several variants.
 *
 * Each function has the type of a descriptor's cost (or scratch) hook and may
 * be used as one. */
#ifndef CHORALE_ALGORITHMS_COST_H
#define CHORALE_ALGORITHMS_COST_H

#include "algorithms/alg.h"

/* comm_size - 1 consecutive messages of msg_size bytes: the root of flat
 * operations, and rings. */
int chorale_cost_in_turn(const struct chorale_point *pt,
                         struct chorale_term *term);

/* A binomial tree whose messages carry the blocks of a whole subtree: gather
 * and scatter. Exact for every comm_size. */
int chorale_cost_binomial_blocks(const struct chorale_point *pt,
                                 struct chorale_term *term);

/* Upper bound on the scratch bytes of the busiest rank in such a tree, at most
 * twice its use. The root may need a copy of its largest subtree if that wraps
 * past the last rank. */
size_t chorale_scratch_binomial_blocks(const struct chorale_point *pt);

#endif
