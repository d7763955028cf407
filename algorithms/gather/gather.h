/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h - the variants of gather, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_GATHER_H
#define CHORALE_ALGORITHMS_GATHER_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_gather_linear;
extern const struct chorale_alg chorale_gather_binomial;

#endif
