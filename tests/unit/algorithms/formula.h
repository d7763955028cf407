/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.h - what a descriptor's formula comes to at a point. The words and
 * signs a formula may have are told above struct chorale_alg. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_FORMULA_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_FORMULA_H

#include "algorithms/alg.h"

enum formula_is {
    FORMULA_WRONG,   /* it cannot be read: why tells */
    FORMULA_WORDS,   /* at this point it says in words what it costs */
    FORMULA_AUTO,    /* a parameter is chosen by the variant here */
    FORMULA_EXACT,   /* the sums are the cost */
    FORMULA_BOUND    /* the cost is at most that: "<=" */
};

/* Evaluate alg->formula at pt into sum: messages, bytes, reduced bytes. why
 * has room for size bytes. */
enum formula_is formula_at(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double sum[3],
                           char *why, size_t size);

#endif
