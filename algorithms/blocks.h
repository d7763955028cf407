/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - a buffer as blocks: equal, given by counts, or an even split.
 *
 * Rings, butterflies and exchanges work on blocks, so one implementation serves
 * regular collectives, their v-variants and vectors. */
#ifndef CHORALE_ALGORITHMS_BLOCKS_H
#define CHORALE_ALGORITHMS_BLOCKS_H

#include <mpi.h>
#include <stddef.h>

struct chorale_blocks {
    char *base;
    MPI_Datatype type;
    MPI_Aint extent;
    int n;                   /* number of blocks */
    MPI_Count count;         /* elements of each block, or of the whole vector
                              * if split */
    int split;               /* 1: count is the whole, split evenly into n
                              * parts */
    MPI_Count each;          /* elements of each equal or split block; */
    int longer;              /* the first longer blocks of a split have one
                              * more */
    const MPI_Count *counts; /* elements of each block, or NULL */
    const MPI_Aint *displs;  /* with counts: displacements in extents; NULL:
                              * contiguous blocks, and chorale_block() is
                              * O(n) */
};

/* n blocks of count elements each, one after the other. */
struct chorale_blocks chorale_blocks_equal(const void *buf, MPI_Count count,
                                           MPI_Datatype type, int n);

/* n blocks with counts and displacements as in the v-collectives. */
struct chorale_blocks chorale_blocks_given(const void *buf,
                                           const MPI_Count *counts,
                                           const MPI_Aint *displs,
                                           MPI_Datatype type, int n);

/* A vector of total elements in n balanced parts, which may be empty. To split
 * bytes, pass MPI_PACKED or MPI_BYTE as the type. */
struct chorale_blocks chorale_blocks_split(const void *buf, MPI_Count total,
                                           MPI_Datatype type, int n);

/* The same blocks in another buffer of the same layout. */
struct chorale_blocks chorale_blocks_at(const struct chorale_blocks *b,
                                        const void *buf);

/* Address of block i; *count is set to its number of elements. */
void *chorale_block(const struct chorale_blocks *b, int i, MPI_Count *count);

/* Blocks first ... first + k - 1 as one contiguous piece. Not valid for blocks
 * given with displacements. */
void *chorale_block_range(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count);

/* Number of elements of all blocks, and of the largest block. */
MPI_Count chorale_blocks_total(const struct chorale_blocks *b);
MPI_Count chorale_blocks_largest(const struct chorale_blocks *b);

#endif
