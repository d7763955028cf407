/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_comm.h - size and shape of the application's communicators, found
 * without messages: the node of each rank of MPI_COMM_WORLD is gathered when
 * tracing starts. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_COMM_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_COMM_H

#include "algorithms/dispatch/trace/trace_key.h"

/* Start. node: node number of each rank of MPI_COMM_WORLD, owned by this
 * module from now on; NULL: shapes are unknown. size: of MPI_COMM_WORLD.
 * Returns 0 if no attribute key can be made; tracing is impossible then. */
int chorale_trace_comm_start(uint64_t *node, int size);

/* Set the nodes if they were unknown at the start. */
void chorale_trace_comm_nodes(uint64_t *node);

/* Size and shape of comm; NULL if comm is invalid or memory ran out. Valid
 * until comm is freed. Thread-safe as MPI is. */
const struct chorale_trace_comm *chorale_trace_comm_of(MPI_Comm comm);

/* Free the attribute of MPI_COMM_WORLD, and the key. */
void chorale_trace_comm_stop(void);

#endif
