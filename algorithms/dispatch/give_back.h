/* SPDX-License-Identifier: BSD-3-Clause */
/* give_back.h - the library has no more communicators: ours, of which
 * CHORALE_MAX_COMMS may be held, are the application's then. */
#ifndef CHORALE_ALGORITHMS_GIVE_BACK_H
#define CHORALE_ALGORITHMS_GIVE_BACK_H

#include <mpi.h>

/* After a call of the application that was to make a communicator from comm and
 * returned rc, which quiet.h kept from comm's error handler: 1 if the call is
 * to be made once more.
 *
 * Collective over comm if rc says that there are no more communicators: all
 * ranks find that together, as they settle on one.
 * If comm has all ranks of MPI_COMM_WORLD, then all that is ours goes, with the
 * world of our own, else
 * what belongs to comm: no more is held by just these ranks. What it was made
 * for is the library's from then on and, if all went, every other one.
 *
 * Nothing is given back, and the call is passed on untouched, so that the
 * application gets the library's own error, at most CHORALE_MAX_COMMS
 * communicators sooner:
 *
 * - where a rank has MPI_THREAD_MULTIPLE. Other threads may be in collectives
 *   on what is ours, on some ranks before a call and on others after it: no
 *   moment is the same call for all ranks. And errors of their calls on comm
 *   would miss its handler.
 * - to ranks that hold nothing of ours.
 * - to MPI_Comm_idup: it returns before the library knows; the error is that
 *   of its request, when nothing can be called again.
 * - to MPI_Comm_create_group of a part of comm, and what takes groups of other
 *   communicators: there is nothing by which just these ranks could agree. A
 *   collective on comm needs the others, and messages on comm might be taken
 *   by a receive of the application from any rank with any tag.
 * - to MPI_Dist_graph_create and its kin and to MPI_File_open, where MPICH 4.0
 *   ends the program if it has no communicator for them; to what makes windows
 *   and inter-communicators.
 *
 * started  this process has a table
 * leave    leaves a communicator to the library */
int chorale_give_back(MPI_Comm comm, int rc, int started,
                      void (*leave)(MPI_Comm comm));

/* 1 if group has all ranks of comm, so that MPI_Comm_create_group is a call of
 * all of them. */
int chorale_give_back_all_of(MPI_Comm comm, MPI_Group group);

#endif
