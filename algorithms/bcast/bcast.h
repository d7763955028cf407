/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.h - the variants of bcast, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_BCAST_H
#define CHORALE_ALGORITHMS_BCAST_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_bcast_linear;
extern const struct chorale_alg chorale_bcast_binomial;
extern const struct chorale_alg chorale_bcast_scatter_ring_allgather;

#endif
