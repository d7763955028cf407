/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.h - evaluate a descriptor's cost formula at a point. The comment at
 * struct chorale_alg defines the words and signs of a formula. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_FORMULA_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_FORMULA_H

#include "algorithms/alg.h"

enum formula_is {
    FORMULA_WRONG,   /* it cannot be parsed: see why */
    FORMULA_WORDS,   /* at this point the formula is prose: no sums */
    FORMULA_AUTO,    /* the variant chooses a parameter itself here */
    FORMULA_EXACT,   /* the sums are the cost */
    FORMULA_BOUND    /* "<=": the sums are an upper bound of the cost */
};

/* Evaluate alg->formula at pt into sum: messages, bytes, reduced bytes.
 * why[size] receives the error of FORMULA_WRONG. */
enum formula_is formula_at(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double sum[3],
                           char *why, size_t size);

#endif
