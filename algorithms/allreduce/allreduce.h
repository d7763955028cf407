/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce.h - the variants of allreduce, for the registry
 * and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_ALLREDUCE_H
#define CHORALE_ALGORITHMS_ALLREDUCE_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_allreduce_recursive_doubling;
extern const struct chorale_alg chorale_allreduce_reduce_bcast;

#endif
