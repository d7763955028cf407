/* SPDX-License-Identifier: BSD-3-Clause */
/* freed_comms.h - communicators that an application is freeing. Their attributes go
 * one after the other, and a callback of the application's may still call
 * collectives on them. What is ours may be gone by then, and what we set anew
 * would stay behind, for the next communicator that gets the handle: so these
 * calls are the library's, on all ranks. No mpi.h: see fast_path.h. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_FREED_COMMS_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_FREED_COMMS_H

#include "algorithms/dispatch/comm/fast_path.h"

/* One call that frees a communicator; in a callback there may be another. */
struct chorale_dying {
    chorale_word comm;
    struct chorale_dying *outer;
};

/* Round it, in the thread that makes it. */
void chorale_dying_begin(struct chorale_dying *frame, chorale_word comm);
void chorale_dying_end(const struct chorale_dying *frame);

/* 1 inside of such a call for that communicator. */
int chorale_is_dying(chorale_word comm);

#endif
