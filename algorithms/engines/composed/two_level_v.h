/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level_v.h - gatherv and scatterv on two levels.
 *
 * Only the root knows all block sizes, so each leader has to receive those of
 * its node. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_V_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_V_H

#include "algorithms/engines/composed/two_level.h"

#include <stdint.h>

/* Names of the algorithms on either level: a binomial tree that first moves the
 * sizes, or one block after the other. */
extern const char *const chorale_level_v_word[CHORALE_OUTERS];

/* Consecutive blocks: their bytes and displacements. */
struct chorale_sizes_v {
    MPI_Count *count;
    MPI_Aint *displ;
    size_t bytes;            /* total of all blocks */
};

/* Set *s for the blocks of a leader's node, whose bytes are in size. Takes
 * scratch. Returns an MPI error code. */
int chorale_sizes_v_node(struct chorale_sizes_v *s, struct chorale_ctx *ctx,
                         const struct chorale_topology *t,
                         const int64_t *size);

/* Read the bytes of n of the root's blocks, ordered by node, from position
 * first on. */
void chorale_sizes_v_read(const struct chorale_topology *t,
                          const struct chorale_blocks *whole, int first,
                          int n, int64_t *size);

/* State of one rank. */
struct chorale_level_v {
    const struct chorale_call *call;
    struct chorale_topology *t;
    const struct chorale_blocks *whole; /* at the root: the blocks of all
                                         * ranks */
    struct chorale_sizes_v node;        /* at a leader: the blocks of its
                                         * node */
};

/* Run part, a gatherv (gathers = 1) or scatterv, among the leaders between b's
 * mine and all. Takes scratch. Returns an MPI error code. */
int chorale_level_v_outer(const struct chorale_level_v *st,
                          const struct chorale_node_blocks *b, int gathers,
                          const struct chorale_alg *part);

/* Cost, scratch and overlap of the whole variant. The cost is an upper bound of
 * the data's critical path for the blocks of chorale_ramp(). inner, outer:
 * indices into chorale_level_v_word. count_bytes: bytes per rank of the sizes
 * that a binomial tree moves first. overlaps is 1 if a leader has several
 * messages in flight. */
int chorale_two_level_v_cost(const struct chorale_point *pt, long inner,
                             long outer, double count_bytes,
                             struct chorale_term *term);
size_t chorale_two_level_v_scratch(const struct chorale_point *pt);
int chorale_two_level_v_overlaps(const struct chorale_point *pt);

#endif
