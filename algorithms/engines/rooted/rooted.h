/* SPDX-License-Identifier: BSD-3-Clause */
/* rooted.h - a gather or a scatter as one rank sees it: the root all blocks,
 * every other rank its own one. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_ROOTED_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_ROOTED_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"

/* The buffer that counts here: what a rank brings, gets, or hands out. At the
 * root of a v-variant count says nothing: see all. */
struct chorale_rooted {
    struct chorale_blocks all; /* at the root */
    void *buf;
    MPI_Count count;         /* elements of one block */
    MPI_Datatype type;
};

/* coll: gather, gatherv, scatter or scatterv, whose arguments call has. */
struct chorale_rooted chorale_rooted_at(const struct chorale_call *call,
                                        enum chorale_coll coll);

/* Bytes of one block: those of all, of a regular one. */
size_t chorale_rooted_bytes(const struct chorale_rooted *r);

#endif
