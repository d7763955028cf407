/* SPDX-License-Identifier: BSD-3-Clause */
/* node_id.h - which node this process is on. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H

#include <stdint.h>

/* A number for the node this process is on, equal for two processes of
 * MPI_COMM_WORLD where MPI_Comm_split_type says that they share memory. Until
 * chorale_host_learn was called, or where it could not find out, a digest of
 * MPI_Get_processor_name. Local. */
uint64_t chorale_host_id(void);

/* Ask MPI_Comm_split_type on world_dup.h's communicator, if that is made.
 * Collective over its ranks. Makes a communicator and frees it; no attribute
 * callback and no error handler of the application runs. Where this fails on
 * some ranks only (no communicator is left), those look like nodes of their
 * own: the choice may be another then, the same on all ranks. */
void chorale_host_learn(void);

#endif /* CHORALE_ALGORITHMS_DISPATCH_BASE_NODE_ID_H */
