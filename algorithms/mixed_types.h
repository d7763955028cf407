/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_types.h - byte types in place of types with mixed element sizes.
 *
 * MPICH 4.0 over UCX splits a shared-memory message into pieces of about 8 KiB.
 * It splits by the sender's type and requires whole elements of the receiver's
 * type in each piece. A message received as a struct of a double and an int, or
 * as MPI_DOUBLE_INT, is therefore reported as truncated. Variants send packed
 * bytes to ranks that receive typed data, so those ranks receive with a byte
 * type of the same layout. The data layout does not change, so each rank can
 * replace its own types without coordination. */
#ifndef CHORALE_ALGORITHMS_MIXED_TYPES_H
#define CHORALE_ALGORITHMS_MIXED_TYPES_H

#include <mpi.h>

/* Make a byte type with the layout, size and extent of a mixed type, by
 * decoding the type with MPI_Type_get_contents.
 *
 * type     committed, or predefined
 * bytes_p  out: the new type, committed, owned by the caller; unchanged if no
 *          type is made
 *
 * Returns 1 if a type was made; 0 if all elements of type have the same size of
 * 1, 2, 4 or 8 bytes, which divides the piece size; -1 if a constructor is
 * unknown (none of MPI-3's is) or memory is exhausted. */
int chorale_mixed_make(MPI_Datatype type, MPI_Datatype *bytes_p);

/* The same with a cache, so that each type is decoded only once
 * (mixed_cache.c). If type is mixed, *bytes_p becomes the byte type; otherwise,
 * or if it cannot be made, *bytes_p is unchanged. Thread-safe.
 *
 * Returns 1 if the caller must free *bytes_p, 0 if not; a cached byte type
 * lives as long as type does. */
int chorale_mixed_as_bytes(MPI_Datatype type, MPI_Datatype *bytes_p);

#endif
