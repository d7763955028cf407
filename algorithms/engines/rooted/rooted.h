/* SPDX-License-Identifier: BSD-3-Clause */
/* rooted.h - the buffers of a gather or scatter as seen by one rank.
 *
 * The root has all blocks, every other rank its own block. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_ROOTED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_ROOTED_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"

/* The significant buffer of this rank. At the root of a v-variant use all;
 * count is undefined there. */
struct chorale_rooted {
    struct chorale_blocks all; /* at the root: all blocks */
    void *buf;
    MPI_Count count;         /* elements of one block */
    MPI_Datatype type;
};

/* coll: gather, gatherv, scatter or scatterv, the collective of call. */
struct chorale_rooted chorale_rooted_at(const struct chorale_call *call,
                                        enum chorale_coll coll);

/* Bytes of this rank's block; in a regular collective, of every block. */
size_t chorale_rooted_bytes(const struct chorale_rooted *r);

#endif
