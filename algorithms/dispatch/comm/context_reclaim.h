/* SPDX-License-Identifier: BSD-3-Clause */
/* context_reclaim.h - gives private communicators back before the library runs
 * out of context ids.
 *
 * A process holds up to CHORALE_MAX_COMMS private communicators. Before a call
 * of the application makes communicators, the shim makes as many as the call
 * may need and frees them. It makes them from chorale_world_dup(), whose
 * errors are returned. If that fails, the private communicators are freed
 * first. Therefore:
 * - No call of the application fails because of private communicators, and no
 *   call is made twice.
 * - Error handlers of the application are neither called nor changed, which
 *   could not be undone (world_dup.h).
 * - It does not matter how the library ends a call that finds no context.
 *
 * All ranks of the call take part, and each must take the same decision. It
 * depends on whether all ranks are inside MPI_COMM_WORLD and on the largest
 * number of communicators that any rank has. Far from the limit that one
 * reduction is the whole cost.
 *
 * Private communicators are not given back in these cases, where the
 * application gets the library's error up to CHORALE_MAX_COMMS communicators
 * sooner:
 * - Open MPI, which has 65532 communicators (shim_call.c).
 * - A rank has MPI_THREAD_MULTIPLE. Other threads may be inside collectives on
 *   private communicators, and no moment is the same call on all ranks.
 * - MPI_Comm_idup, which must not wait for other ranks.
 * - Calls on one rank, or with ranks of another MPI_COMM_WORLD: no private
 *   communicator has exactly these ranks.
 * - Communicators with ranks that do not take part in the call. All are given
 *   back if all ranks of MPI_COMM_WORLD call. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CONTEXT_RECLAIM_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CONTEXT_RECLAIM_H

#include <mpi.h>

#include "algorithms/dispatch/comm/comm_state.h"

/* Free private communicators if the library cannot make needs more. Call it
 * before a call of all ranks of comm (of both groups of an
 * inter-communicator).
 *
 * needs  communicators that the call may make, at most CHORALE_NEEDS_SOME
 * leave  leaves a communicator to the library
 *
 * Returns MPI's error code. comm is invalid on an error, which the
 * application's error handler has received. A rank that makes a wrong call of
 * this kind alone waits here for the others. */
int chorale_context_reclaim(MPI_Comm comm, int needs,
                            void (*leave)(MPI_Comm comm));

/* The same before MPI_Comm_create_group; called by the ranks of group. */
void chorale_context_reclaim_group(MPI_Group group,
                                   void (*leave)(MPI_Comm comm));

#endif
