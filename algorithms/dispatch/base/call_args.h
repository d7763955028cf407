/* SPDX-License-Identifier: BSD-3-Clause */
/* call_args.h - decides whether a variant may serve a call, and computes the
 * point (n, P, type size, ...) to look up. Uses only values that MPI
 * guarantees to be equal on all ranks. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_CALL_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_CALL_ARGS_H

#include "algorithms/alg.h"

/* Arrays of a call with int counts and displacements. struct chorale_call has
 * the wide ones (MPI_Count, MPI_Aint). */
struct chorale_ints {
    const int *sendcounts, *sdispls, *recvcounts, *rdispls;
};

/* 1 if the library reports a block whose address is the same on both sides.
 * Open MPI accepts it. */
#ifdef OPEN_MPI
enum { CHORALE_ARGS_APART = 0 };
#else
enum { CHORALE_ARGS_APART = 1 };
#endif

/* Classes of operations, which differ in the variants that may serve them. The
 * class is the same on all ranks, as MPI requires equal predefined operations
 * and types. */
enum chorale_opclass {
    CHORALE_OP_WRONG,        /* null, or not defined on the type */
    CHORALE_OP_BUILTIN,      /* predefined, on a predefined type: commutes */
    CHORALE_OP_PAIR,         /* MAXLOC or MINLOC on value-index pairs */
    CHORALE_OP_USER          /* created by the application */
};

enum chorale_opclass chorale_op_class(MPI_Op op, MPI_Datatype type);

/* 1 if op is a predefined operation on numbers or bytes. */
int chorale_op_is_builtin(MPI_Op op);

/* Record the range of predefined type handles, so that chorale_type_is_plain()
 * is fast for the application's types. Call once after MPI_Init, before the
 * functions below. */
void chorale_call_args_init(void);

/* 1 if type is predefined and its data begins at the buffer's address. Its
 * handle stays valid until MPI_Finalize. */
int chorale_type_is_plain(MPI_Datatype type);

/* Kind of data in a plain type: 'f' floating point, 'o' logical or complex,
 * 'i' integers or bytes. */
char chorale_type_kind(MPI_Datatype type);

/* 0 if a library rejects the arguments before it sends anything, so that one
 * rank may make the call alone. Such a call is not counted as one that all
 * ranks of comm make. 1 for any other call. ints: arrays that are not in call,
 * or NULL. */
int chorale_call_args_valid(MPI_Comm comm, enum chorale_coll coll,
                            const struct chorale_call *call,
                            const struct chorale_ints *ints);

enum {
    CHORALE_ARGS_SERVED = 1,
    CHORALE_ARGS_NOTHING = 2
};

/* Check a call and compute its point.
 *
 * ints     arrays that are not in call, or NULL
 * ctx      the private communicator, or MPI_COMM_NULL as its comm
 * opclass  out: CHORALE_OP_BUILTIN if the collective reduces nothing
 * pt       zeroed by the caller; filled, except ppn, parameters and network, if
 *          the result is CHORALE_ARGS_SERVED
 *
 * Returns CHORALE_ARGS_SERVED if a variant may serve the call. Otherwise the
 * call goes to the library: CHORALE_ARGS_NOTHING if it moves no data, 0 if an
 * argument is wrong. In a correct program the result, *pt and *opclass are the
 * same on all ranks.
 *
 * n and msg_size stay 0 for barrier and for collectives whose ranks do not know
 * the total size. An operation of the application is treated as not
 * commutative, because ranks may pass different operations. */
int chorale_call_args_check(enum chorale_coll coll,
                            const struct chorale_call *call,
                            const struct chorale_ints *ints,
                            const struct chorale_ctx *ctx,
                            enum chorale_opclass *opclass,
                            struct chorale_point *pt);

#endif
