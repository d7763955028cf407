/* SPDX-License-Identifier: BSD-3-Clause */
/* world_dup.h - a communicator of our own with the ranks of MPI_COMM_WORLD.
 *
 * What may fail is asked of it and not of the application's communicators,
 * whose error handlers must not be changed, not even for a moment: in MPICH one
 * that was given none follows that of MPI_COMM_WORLD, but reads
 * MPI_ERRORS_ARE_FATAL like one that was given it; setting back what was read
 * would give it to it for good, and to all that are made from it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_WORLD_DUP_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_WORLD_DUP_H

#include <mpi.h>

/* Make it, if it was not made before and has several ranks. Collective over
 * MPI_COMM_WORLD, which no other thread may use meanwhile. Its errors are
 * returned. To be called right after MPI_Init, when there are communicators
 * left: if there are not and MPI_COMM_WORLD reads MPI_ERRORS_ARE_FATAL, that is
 * what happens. */
void chorale_own_world_make(void);

/* MPI_COMM_NULL: not made, or it could not be. */
MPI_Comm chorale_own_world(void);

/* Before MPI_Finalize, or where it is not needed any more. Collective over its
 * ranks. It is not made again. */
void chorale_own_world_free(void);

/* The same, where the application needs it: 1 if it was there. */
int chorale_own_world_give(void);

/* 1 once that was done. Nothing more is to be made then: there are too few, and
 * errors on a communicator without a handler would be told to
 * MPI_COMM_WORLD's. */
int chorale_own_world_given(void);

/* Make a communicator of group, of all its ranks. parent: chorale_own_world(),
 * from which one thread makes them at a time, or a communicator of just that
 * group, where the library has enough (chorale_give_back_far()): an error goes
 * to the handler of parent, which is not touched, so that of the application's
 * there must be none. Returns MPI's code. */
int chorale_own_create(MPI_Comm parent, MPI_Group group, MPI_Comm *made);

#endif
