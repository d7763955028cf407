/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_comm.h - size and shape of the application's communicators, without
 * talking to their other ranks: where each rank of MPI_COMM_WORLD is was
 * gathered when tracing began. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_COMM_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_COMM_H

#include "algorithms/dispatch/trace/trace_key.h"

/* node: of each rank of MPI_COMM_WORLD, now ours; NULL: shapes are unknown.
 * Returns 0 if communicators cannot be told apart: then do not trace. */
int chorale_trace_comm_start(uint64_t *node, int size);

/* The nodes, if they were unknown at the start. */
void chorale_trace_comm_nodes(uint64_t *node);

/* What is known of comm, or NULL: invalid, or out of memory. Valid until comm
 * is freed. Thread-safe as MPI is. */
const struct chorale_trace_comm *chorale_trace_comm_of(MPI_Comm comm);

/* Give back what MPI_COMM_WORLD holds. */
void chorale_trace_comm_stop(void);

#endif
