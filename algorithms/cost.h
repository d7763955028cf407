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

#endif
