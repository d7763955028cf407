/* SPDX-License-Identifier: BSD-3-Clause */
/* check_args.h - CHORALE_CHECK=1: compares the arguments of all ranks before
 * each call, to tell errors of the application from errors of Chorale. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H

#include "algorithms/dispatch/comm/comm_state.h"

/* Compare the call of all ranks: collective, root, operation, basic type if
 * there is exactly one, and the bytes that each rank sends and receives, as
 * far as MPI requires equality. Collective over st's communicator.
 *
 * Returns 1; or 0 on all ranks if calls differ, which the library must then
 * serve. The lowest rank that sees a difference prints one line. */
int chorale_check_call(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call);

#endif
