/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h - parameter values that tests try: the candidates of all plans.
 * Parameters whose values are words add those of the full set, because each
 * word has code of its own. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_VALUES_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_VALUES_H

#include "algorithms/alg.h"

static inline int values_count(const struct chorale_param *param)
{
    return param->ncandidate + (param->word != NULL ? param->nmore : 0);
}

/* The k-th value, k < values_count(). */
static inline long values_get(const struct chorale_param *param, int k)
{
    return k < param->ncandidate ? param->candidate[k]
                                 : param->more[k - param->ncandidate];
}

#endif
