/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.h - check stated cost bounds against the recorded table bounds.inc.
 *
 * The cost of some variants is an upper bound of their schedule's time. Such a
 * bound is loose at many points: a coefficient that is wrong by a tenth may
 * still give a bound. The ratio of bound to schedule then changes, and the
 * table shows it.
 *
 * The smallest ratio is above 1 where messages of a rank overlap. The order in
 * which a port takes them depends on the latency and the bytes of each message,
 * and ports wait longest where both count. The bound is valid there too; with
 * latency or bandwidth alone the schedule never reaches it. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_BOUNDS_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_BOUNDS_H

#include <stdio.h>

#include "algorithms/alg.h"

/* Smallest and largest ratio of stated cost to schedule time, on networks where
 * only latency, only bandwidth or only reductions take time, in this order.
 * most is 0 if no point takes time on that network. */
enum { BOUNDS_NNET = 3 };
struct bounds {
    double least[BOUNDS_NNET], most[BOUNDS_NNET];
};

/* Add one point on one of these networks; both times in seconds. */
void bounds_add(struct bounds *b, const struct chorale_point *pt,
                double stated, double taken);

/* Returns 1 if the ratios equal the row of alg within 0.1 %, or if the row is
 * missing; else 0, with the difference in wrong[size]. */
int bounds_hold(const struct chorale_alg *alg, const struct bounds *b,
                char *wrong, size_t size);

/* Print the row in the format of bounds.inc; nothing for exact costs. */
void bounds_print(const struct chorale_alg *alg, const struct bounds *b,
                  FILE *out);

#endif
