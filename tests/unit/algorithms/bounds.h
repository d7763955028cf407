/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.h - how far the stated bounds are above what schedules take, kept in
 * a table: a bound is loose at many points, so that a coefficient which is
 * wrong by a tenth is still one. As a share of its schedule it is another.
 *
 * The least is above 1 where messages of a rank overlap: the order in which a
 * port takes them depends on what a message takes in latency and in bytes, and
 * ports wait longest where both count. The bound holds there, too; of one alone
 * it is reached nowhere. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_BOUNDS_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_BOUNDS_H

#include <stdio.h>

#include "algorithms/alg.h"

/* Of latency, bandwidth and reductions, each by itself on a network where it
 * is all that takes time: the least and the most times its schedule that is
 * stated. Most 0: nowhere. */
enum { BOUNDS_NNET = 3 };
struct bounds {
    double least[BOUNDS_NNET], most[BOUNDS_NNET];
};

/* One more point, on one of these networks. */
void bounds_add(struct bounds *b, const struct chorale_point *pt,
                double stated, double taken);

/* 1 if they are those of the table, within 0.1 %, and neither has what the
 * other has not; else 0, with what is wrong. */
int bounds_hold(const struct chorale_alg *alg, const struct bounds *b,
                char *wrong, size_t size);

/* The row of the table, as bounds.inc has it; none for exact costs. */
void bounds_print(const struct chorale_alg *alg, const struct bounds *b,
                  FILE *out);

#endif
