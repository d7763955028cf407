/* SPDX-License-Identifier: BSD-3-Clause */
/* give_back.h - the library has no more communicators: ours, of which
 * CHORALE_MAX_COMMS may be held, are the application's then. */
#ifndef CHORALE_ALGORITHMS_GIVE_BACK_H
#define CHORALE_ALGORITHMS_GIVE_BACK_H

#include <mpi.h>

/* Round a call of the application that makes a communicator from comm, so
 * that it returns without asking comm's error handler: begin, which returns 1
 * and *handler if that was done; again, which returns 1 if the call is to be
 * made once more; end, with its result and *made, that of the last time.
 *
 * chorale_give_back() is collective over comm if rc says that there are no
 * more communicators: all ranks find that together, as they settle on one.
 * If comm has all ranks of MPI_COMM_WORLD, then all that is ours goes, else
 * what belongs to comm: no more is held by just these ranks. What it was made
 * for is the library's from then on. Nothing is given back while other
 * threads may be in a collective (MPI_THREAD_MULTIPLE).
 *
 * started  this process has a table
 * leave    leaves a communicator to the library */
int chorale_give_back_begin(MPI_Comm comm, MPI_Errhandler *handler);
int chorale_give_back(MPI_Comm comm, int rc, int started,
                      void (*leave)(MPI_Comm comm));
void chorale_give_back_end(MPI_Comm comm, MPI_Errhandler handler, int rc,
                           const MPI_Comm *made);

#endif
