/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.h - an error handler that keeps one error to itself: that there are no
 * more communicators, from a call of the application's that we may repeat. Any
 * other it passes on to the handler of the application, as do calls that
 * callbacks of the application make on the way: MPI_Comm_dup copies attributes.
 * To them the communicator has the handler that the application gave it.
 *
 * One communicator may be in several of these calls, each in a callback of the
 * one before; all of one thread. Only one thread calls MPI at a time. */
#ifndef CHORALE_ALGORITHMS_QUIET_H
#define CHORALE_ALGORITHMS_QUIET_H

#include "algorithms/dispatch/fast.h"

/* One such call. */
struct chorale_quiet {
    chorale_word comm;
    int rc;                  /* MPI's, if it cannot be begun */
    int kept;                /* the error was kept from the application */
    struct chorale_quiet *outer;
};

/* Round a call on comm: 1 if it was begun; 0 if the call is to be passed on as
 * it is; -1 if comm is none: the application's handler was told, and frame->rc
 * is what the call returns. */
int chorale_quiet_begin(struct chorale_quiet *frame, chorale_word comm);

/* Its last result, and what it made or NULL, which inherited our handler. The
 * application's is told now if its error was kept. */
void chorale_quiet_end(struct chorale_quiet *frame, int rc, const void *made);

/* 1 if comm is in such a call. */
int chorale_quiet_open(chorale_word comm);

/* After the application set comm's handler. Does nothing but inside. */
void chorale_quiet_set(chorale_word comm);

/* What MPI_Comm_get_errhandler found; ours is exchanged for the application's,
 * which is to be freed as any that was got. */
void chorale_quiet_get(chorale_word comm, void *handler);

/* rc is MPI's for too few communicators. Never in Open MPI, which has 65532 and
 * no words for it. */
int chorale_quiet_full(int rc);

/* Before MPI_Finalize: nothing is held any more. */
void chorale_quiet_release(void);

#endif
