/* SPDX-License-Identifier: BSD-3-Clause */
/* freed_comms.h - communicators that the application is freeing in this
 * thread.
 *
 * MPI_Comm_free deletes attributes one after the other, and a callback of the
 * application may still call collectives on the communicator. The shim's state
 * may be freed by then; a new one would survive and be found by the next
 * communicator with that handle. Therefore such calls go to the library, on
 * all ranks. Does not include mpi.h: see fast_path.h. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_FREED_COMMS_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_FREED_COMMS_H

#include "algorithms/dispatch/comm/fast_path.h"

/* One running call that frees a communicator. Its callbacks may make
 * another. */
struct chorale_freeing {
    chorale_word comm;
    struct chorale_freeing *outer;
};

/* Call before and after the freeing call, in the same thread. frame must stay
 * valid in between. */
void chorale_freeing_begin(struct chorale_freeing *frame, chorale_word comm);
void chorale_freeing_end(const struct chorale_freeing *frame);

/* 1 while this thread is freeing that communicator. */
int chorale_freeing_comm(chorale_word comm);

#endif
