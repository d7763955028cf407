/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.h - the variants of reduce, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_REDUCE_H
#define CHORALE_ALGORITHMS_REDUCE_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_reduce_binomial;

#endif
