/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.h - the variants of allgather, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_ALLGATHER_H
#define CHORALE_ALGORITHMS_ALLGATHER_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_allgather_ring;
extern const struct chorale_alg chorale_allgather_gather_bcast;

#endif
