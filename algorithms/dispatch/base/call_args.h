/* SPDX-License-Identifier: BSD-3-Clause */
/* call_args.h - is this call one that the catalogue may serve, and what problem
 * does it pose? Judged by what MPI guarantees equal on all ranks. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_CALL_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_CALL_ARGS_H

#include "algorithms/alg.h"

/* Arrays of a call as MPI's functions with int counts have them, where
 * struct chorale_call has wider ones. */
struct chorale_ints {
    const int *sendcounts, *sdispls, *recvcounts, *rdispls;
};

/* 1 if the library tells of a block that is at one address for both sides. Open
 * MPI goes on with it. */
#ifdef OPEN_MPI
enum { CHORALE_ARGS_APART = 0 };
#else
enum { CHORALE_ARGS_APART = 1 };
#endif

/* Operations differ in who may serve them. The class is the same on all
 * ranks: MPI wants predefined operations and their types to be. */
enum chorale_opclass {
    CHORALE_OP_WRONG,        /* none, or not defined on the type */
    CHORALE_OP_BUILTIN,      /* predefined, on a predefined type: commutes */
    CHORALE_OP_PAIR,         /* the same on values with an index */
    CHORALE_OP_USER          /* the application's */
};

enum chorale_opclass chorale_args_opclass(MPI_Op op, MPI_Datatype type);

/* 1 if it is one of MPI's own that are defined on numbers or bytes. */
int chorale_args_named_op(MPI_Op op);

/* To be called once after MPI_Init, before others ask: what follows is quick
 * for the application's types. */
void chorale_args_start(void);

/* 1 if it is a predefined type whose data begins at the buffer's address; its
 * handle means the same as long as MPI runs. */
int chorale_args_plain(MPI_Datatype type);

/* What such a type holds: 'f' floating-point numbers, 'o' logical or complex
 * ones, 'i' whole numbers or bytes. */
char chorale_args_holds(MPI_Datatype type);

/* 0 if a library finds the arguments wrong before it sends anything, so that
 * one rank may make the call alone: then it does not count as one that all
 * ranks of comm make. 1 of any other call. */
int chorale_args_count(MPI_Comm comm, enum chorale_coll coll,
                       const struct chorale_call *call,
                       const struct chorale_ints *ints);

enum {
    CHORALE_ARGS_SERVED = 1,
    CHORALE_ARGS_NOTHING = 2
};

/* CHORALE_ARGS_SERVED, *pt filled (but for ppn and parameters) and *opclass set
 * if the catalogue may serve the call. Otherwise it is the library's: 0, as it
 * is wrong, which the library shall say; CHORALE_ARGS_NOTHING, as it moves
 * nothing. In a correct program the answer, *pt and *opclass are the same on
 * all ranks.
 *
 * Of a collective whose ranks do not know the size n and msg_size are 0. An
 * operation of the application counts as not commutative, whatever it says:
 * ranks may bring different ones.
 *
 * ints  arrays that are not in call, or NULL
 * ctx   the private communicator */
int chorale_args_judge(enum chorale_coll coll,
                       const struct chorale_call *call,
                       const struct chorale_ints *ints,
                       const struct chorale_ctx *ctx,
                       enum chorale_opclass *opclass,
                       struct chorale_point *pt);

#endif
