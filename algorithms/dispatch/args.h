/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - is this call one that the catalogue may serve, and what problem
 * does it pose? Judged by what MPI guarantees equal on all ranks. */
#ifndef CHORALE_ALGORITHMS_ARGS_H
#define CHORALE_ALGORITHMS_ARGS_H

#include "algorithms/alg.h"

/* 1 for a predefined operation on a predefined type that MPI defines it for,
 * value-with-index pairs excepted. Such operations commute. */
int chorale_args_builtin(MPI_Op op, MPI_Datatype type);

/* 1 if it is a predefined type whose data begins at the buffer's address; its
 * handle means the same as long as MPI runs. */
int chorale_args_plain(MPI_Datatype type);

/* 1 and *pt filled (without parameters) if the catalogue may serve the call.
 * 0: it is the library's, because it is wrong (which the library shall say),
 * empty, or of a kind that nobody measures. In a correct program the answer
 * and *pt are the same on all ranks. */
int chorale_args_judge(enum chorale_coll coll,
                       const struct chorale_call *call, int rank, int size,
                       struct chorale_point *pt);

#endif
