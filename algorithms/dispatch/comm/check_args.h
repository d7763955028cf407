/* SPDX-License-Identifier: BSD-3-Clause */
/* check_args.h - CHORALE_CHECK=1: compares the arguments of all ranks before
 * each call, to tell errors of the application from errors of Chorale. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H

#include "algorithms/dispatch/comm/comm_state.h"

/* Summary of one rank's call. */
struct chorale_check_record {
    int coll, root, op;      /* op: 0 unset, 1 user-defined */
    int pad;
    long long sends, takes;  /* bytes of a block; -1: not significant here, -2:
                              * invalid */
    unsigned long long counts; /* digest of all counts, where every rank passes
                                * all of them */
    char type[40];           /* its only basic type; "" if unknown */
};

/* Compare the call of all ranks: collective, root, operation, basic type if
 * there is exactly one, and the bytes that each rank sends and receives, as
 * far as MPI requires equality. Collective over st's communicator.
 *
 * Returns 1; or 0 on all ranks if calls differ, which the library must then
 * serve. The lowest rank that sees a difference prints one line. */
int chorale_check_call(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call);

#endif
