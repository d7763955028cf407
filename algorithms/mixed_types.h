/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_types.h - types of elements of unlike sizes, as types of bytes.
 *
 * A message over shared memory comes in pieces of some 8 KiB. MPICH 4.0 over
 * UCX cuts one by the sender's type and wants whole elements of the receiver's
 * in each: bytes that are received as a struct of a double and an int, or as
 * MPI_DOUBLE_INT, it calls truncated. Variants send packed bytes to ranks that
 * receive types, so they receive bytes, laid out alike. As no data moves
 * elsewhere each rank can see to its own types alone. */
#ifndef CHORALE_ALGORITHMS_MIXED_TYPES_H
#define CHORALE_ALGORITHMS_MIXED_TYPES_H

#include <mpi.h>

/* A type of bytes with the layout, size and extent of a mixed one: the type is
 * taken apart as MPI tells it.
 *
 * type     committed, or predefined
 * bytes_p  out: the new one, committed, the caller's; untouched otherwise
 *
 * Returns 1 if one was made; 0 if type's elements are all of one size, which
 * pieces are whole multiples of (1, 2, 4 or 8 bytes); -1 if it was made in a
 * way that cannot be made again (there is none among MPI-3's functions), or if
 * there is no memory. */
int chorale_mixed_make(MPI_Datatype type, MPI_Datatype *bytes_p);

/* The same, but that a type is taken apart once in its life; see mixed_cache.c.
 * *bytes_p becomes the type of bytes if type is mixed and one could be made,
 * and stays as it is otherwise. Any thread may call it.
 *
 * Returns 1 if it is the caller's to free, 0 if not. One that is not lives as
 * long as type does. */
int chorale_mixed_as_bytes(MPI_Datatype type, MPI_Datatype *bytes_p);

#endif
