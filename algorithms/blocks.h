/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - a buffer cut into blocks: equal ones, given ones, or a vector
 * split evenly in whole elements. Rings, butterflies and exchanges work on
 * blocks and so serve regular collectives, their v-variants and vectors. */
#ifndef CHORALE_ALGORITHMS_BLOCKS_H
#define CHORALE_ALGORITHMS_BLOCKS_H

#include <mpi.h>
#include <stddef.h>

struct chorale_blocks {
    char *base;
    MPI_Datatype type;
    MPI_Aint extent;
    int n;                   /* how many blocks */
    MPI_Count count;         /* elements of each, or of the whole split one */
    int split;               /* count is the whole, cut evenly in n parts */
    MPI_Count each;          /* elements of a block that is not given; the */
    int longer;              /* first ones of a split whole have one more */
    const MPI_Count *counts; /* elements of each, or NULL */
    const MPI_Aint *displs;  /* with counts: in extents; NULL: block after
                              * block (then chorale_block is O(n)) */
};

/* n blocks of count elements each, one after the other. */
struct chorale_blocks chorale_blocks_equal(const void *buf, MPI_Count count,
                                           MPI_Datatype type, int n);

/* n blocks as the v-collectives give them. */
struct chorale_blocks chorale_blocks_given(const void *buf,
                                           const MPI_Count *counts,
                                           const MPI_Aint *displs,
                                           MPI_Datatype type, int n);

/* A vector of total elements in n balanced parts; empty parts are legal. To
 * cut bytes, pass MPI_PACKED or MPI_BYTE as the type. */
struct chorale_blocks chorale_blocks_split(const void *buf, MPI_Count total,
                                           MPI_Datatype type, int n);

/* The same blocks in another buffer of that layout. */
struct chorale_blocks chorale_blocks_at(const struct chorale_blocks *b,
                                        const void *buf);

/* Where block i is and how many elements it has. */
void *chorale_block(const struct chorale_blocks *b, int i, MPI_Count *count);

/* Blocks first ... first + k - 1 as one piece. Not for given blocks with
 * displacements. */
void *chorale_block_range(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count);

/* Elements of all blocks; of the largest. */
MPI_Count chorale_blocks_total(const struct chorale_blocks *b);
MPI_Count chorale_blocks_largest(const struct chorale_blocks *b);

#endif
