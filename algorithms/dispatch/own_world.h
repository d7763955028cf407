/* SPDX-License-Identifier: BSD-3-Clause */
/* own_world.h - a communicator of our own with the ranks of MPI_COMM_WORLD.
 *
 * What may fail is asked of it and not of the application's communicators,
 * whose error handlers must not be changed, not even for a moment: in MPICH one
 * that was given none follows that of MPI_COMM_WORLD, but reads
 * MPI_ERRORS_ARE_FATAL like one that was given it; setting back what was read
 * would give it to it for good, and to all that are made from it. */
#ifndef CHORALE_ALGORITHMS_OWN_WORLD_H
#define CHORALE_ALGORITHMS_OWN_WORLD_H

#include <mpi.h>

/* Make it, if it was not made before. Collective over MPI_COMM_WORLD, which no other thread may use
 * meanwhile. Its errors are returned. Best right after MPI_Init, when there
 * are communicators left. */
void chorale_own_world_make(void);

/* MPI_COMM_NULL: not made, or it could not be. */
MPI_Comm chorale_own_world(void);

/* Before MPI_Finalize, or where the application needs it. Collective over its
 * ranks. It is not made again. */
void chorale_own_world_free(void);

/* Make a communicator of group, all of whose ranks are here with this tag: in
 * one of several threads no other of theirs is made at once with the same one.
 * Returns MPI's code, which no handler of the application sees; parent is
 * chorale_own_world() or, where ranks have none, a communicator of just that
 * group. There, if it reads MPI_ERRORS_ARE_FATAL, an error ends the program. */
int chorale_own_create(MPI_Comm parent, MPI_Group group, int tag,
                       MPI_Comm *made);

#endif
