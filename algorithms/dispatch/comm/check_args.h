/* SPDX-License-Identifier: BSD-3-Clause */
/* check_args.h - CHORALE_CHECK=1: do all ranks make the same call? Tells errors of
 * the application from ours. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CHECK_ARGS_H

#include "algorithms/dispatch/comm/comm_state.h"

/* What a rank says of its call. */
struct chorale_check_record {
    int coll, root, op;      /* op: 0 none, 1 the application's own */
    int pad;
    long long sends, takes;  /* bytes of a block; -1: not significant here,
                              * -2: cannot be right */
    unsigned long long counts; /* a digest of all, where all ranks give all */
    char type[40];           /* the one basic type, "" if not known */
};

/* Collective over st's communicator, before each call on it: compare the
 * collective, the root, the operation, the basic type where there is one, and
 * the bytes that each rank sends and takes, as far as MPI demands that they
 * agree. Returns 1; 0 if they do not: the lowest rank that sees it has said so
 * in one line, and the call is the library's on all ranks. */
int chorale_check_call(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call);

#endif
