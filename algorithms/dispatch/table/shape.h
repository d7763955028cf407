/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.h - classifies how the ranks of a communicator are placed on nodes.
 * Calls no MPI function. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SHAPE_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SHAPE_H

#include <stdint.h>

#include "algorithms/dispatch/table/table.h"

/* Classify node[size], the node number of each rank; size >= 1. Block: ranks
 * fill one node after the other, the same number on each (the last may have
 * fewer). Cyclic: with N nodes, rank i is on the node of rank i - N.
 * sorted[size]: out, the node numbers in ascending order. */
enum chorale_shape chorale_shape_of(const uint64_t *node, int size,
                                    uint64_t *sorted);

/* Map nodes to small numbers: id[i] == id[j] if node[i] == node[j];
 * sorted[size] as chorale_shape_of() filled it. Returns the ranks per node if
 * the shape is block on several nodes, else 0. */
int chorale_shape_nodes(const uint64_t *node, int size,
                        const uint64_t *sorted, int *id);

#endif
