/* SPDX-License-Identifier: BSD-3-Clause */
/* context_reclaim.h - where the library has no more communicators ours, of which
 * CHORALE_MAX_COMMS may be held, are the application's.
 *
 * That is foreseen: before a call of the application makes a communicator, as
 * many as it may take are made of the world of our own, whose errors are
 * returned, and freed. If they cannot be made, what is ours goes first. So no
 * call of the application fails for want of what we hold, and none is made
 * twice; error handlers of its communicators are neither asked nor changed,
 * which could not be undone (world_dup.h), and it does not matter how the
 * library ends a call that finds none.
 *
 * All ranks of the call do that, so before it begins each rank decides by what
 * all of them know: where they are, and, on a communicator, the most that any
 * of them has. Far from the end that one reduction is all.
 *
 * Nothing is given back, so that the application gets the library's own error
 * at most CHORALE_MAX_COMMS communicators sooner:
 *
 * - where a rank has MPI_THREAD_MULTIPLE. Other threads may be in collectives
 *   on what is ours, on some ranks before a call and on others after it: no
 *   moment is the same call for all ranks.
 * - by MPI_Comm_idup, which may not wait for other ranks.
 * - by calls on one rank, or with ranks of other worlds: nothing of ours
 *   belongs to just these.
 * - of communicators with ranks beyond those of the call: they know nothing of
 *   it. All is given back where all ranks of MPI_COMM_WORLD call. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CONTEXT_RECLAIM_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CONTEXT_RECLAIM_H

#include <mpi.h>

#include "algorithms/dispatch/comm/fast_path.h"

/* Before a call of all ranks of comm (of both groups if it has two) that needs
 * so many, CHORALE_NEEDS_SOME at most: give back what is needed. What it was
 * made for is the library's from then on and, if all went, every other one.
 * Returns MPI's code: an error if comm is none, of which the application's
 * handler was told. A rank that alone makes a wrong call of the kind waits for
 * the others here.
 *
 * leave  leaves a communicator to the library */
int chorale_give_back(MPI_Comm comm, int needs, void (*leave)(MPI_Comm comm));

/* The same before MPI_Comm_create_group, by the ranks of group. */
void chorale_give_back_group(MPI_Group group, void (*leave)(MPI_Comm comm));

/* 1 if this rank is far from having as many communicators, its own and ours, as
 * the library has: one more can be made, if all ranks are. Those of a program
 * that is linked with libchorale are not known. */
int chorale_give_back_far(void);

/* The application has one more, or less. */
void chorale_give_back_made(void);
void chorale_give_back_freed(void);

#endif
