/* SPDX-License-Identifier: BSD-3-Clause */
/* world_dup.h - the shim's private communicator over the ranks of
 * MPI_COMM_WORLD.
 *
 * Calls that may fail are made on it instead of on the application's
 * communicators, whose error handlers must never be changed, not even briefly.
 * In MPICH a communicator without a handler of its own uses that of
 * MPI_COMM_WORLD, but reads as MPI_ERRORS_ARE_FATAL, like one where that was
 * set. Restoring the value read would therefore set it for good, and on all
 * communicators made from that one. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_WORLD_DUP_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_WORLD_DUP_H

#include <mpi.h>

/* Make the communicator, unless it was made before or there is only one rank.
 * Collective over MPI_COMM_WORLD, which no other thread may use meanwhile. Its
 * errors are returned (MPI_ERRORS_RETURN). Call it right after MPI_Init, while
 * communicators are available: if they have run out and MPI_COMM_WORLD reads
 * as MPI_ERRORS_ARE_FATAL, the program is aborted. */
void chorale_world_dup_make(void);

/* The communicator; MPI_COMM_NULL if it was not made, failed, or was freed. */
MPI_Comm chorale_world_dup(void);

/* Free the communicator: before MPI_Finalize, or when it is not needed any
 * more. Collective over its ranks. It is not made again. */
void chorale_world_dup_free(void);

/* The same, to leave a context to the application. Returns 1 if it existed. */
int chorale_world_dup_yield(void);

/* 1 after chorale_world_dup_yield() freed it. No more communicators may be made
 * then: few are left, and MPI_COMM_WORLD's handler would receive the error. */
int chorale_world_dup_yielded(void);

/* Make a communicator of group; called by all ranks of group. parent is one
 * of:
 * - chorale_world_dup(): one thread at a time may use it;
 * - a communicator of exactly that group, while enough contexts are left
 *   (chorale_context_count()). An error would go to the handler of parent,
 *   which is not changed, so the application's communicators must not run into
 *   it.
 *
 * Returns MPI's error code. */
int chorale_comm_from_group(MPI_Comm parent, MPI_Group group, MPI_Comm *made);

#endif
