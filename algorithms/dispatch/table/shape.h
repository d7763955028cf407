/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.h - how the ranks of a communicator lie on nodes. No MPI. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SHAPE_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SHAPE_H

#include <stdint.h>

#include "algorithms/dispatch/table/table.h"

/* Classify node[size], a number for each rank's node, size >= 1. Block: ranks
 * fill one node after the other, equally many on each (the last may have
 * fewer). Cyclic: with N nodes, rank i is on the node of rank i - N.
 * sorted[size] is overwritten. */
enum chorale_shape chorale_shape_of(const uint64_t *node, int size,
                                    uint64_t *sorted);

/* Small numbers for the nodes, id[size], equal where node is; sorted[size] as
 * chorale_shape_of left it. Returns the ranks a node if they lie in blocks of
 * that many on several nodes, else 0. */
int chorale_shape_nodes(const uint64_t *node, int size,
                        const uint64_t *sorted, int *id);

#endif
