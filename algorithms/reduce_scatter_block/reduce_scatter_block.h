/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_block.h - the variants of reduce_scatter_block, for the
 * registry and for variants made of others. */
#ifndef CHORALE_ALGORITHMS_REDUCE_SCATTER_BLOCK_H
#define CHORALE_ALGORITHMS_REDUCE_SCATTER_BLOCK_H

#include "algorithms/alg.h"

extern const struct chorale_alg chorale_reduce_scatter_block_ring;

#endif
