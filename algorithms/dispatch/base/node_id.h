/* SPDX-License-Identifier: BSD-3-Clause */
/* node_id.h - number of the node that this process runs on. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H

#include <stdint.h>

/* Number of this process's node. Two processes of MPI_COMM_WORLD have the same
 * number if they share memory by MPI_Comm_split_type. Before
 * chorale_node_id_find(), or if that failed, a digest of
 * MPI_Get_processor_name.
 * A local call. */
uint64_t chorale_node_id(void);

/* Find the node by MPI_Comm_split_type on chorale_world_dup(), if that exists.
 * Collective over its ranks. Makes and frees one communicator; runs no
 * attribute callback and no error handler of the application.
 *
 * If it fails on some ranks only (no communicator is left), each of these
 * ranks seems to be on a node of its own. The choice of variants may then
 * differ, but it is the same on all ranks. */
void chorale_node_id_find(void);

#endif /* CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H */
