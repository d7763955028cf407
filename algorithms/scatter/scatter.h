/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter.h - the variants of scatter, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_SCATTER_H
#define CHORALE_ALGORITHMS_SCATTER_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_scatter_linear;
extern const struct chorale_alg chorale_scatter_linear_nb;
extern const struct chorale_alg chorale_scatter_binomial;

#endif
