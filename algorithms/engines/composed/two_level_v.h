/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level_v.h - gatherv and scatterv on two levels: blocks whose sizes all
 * together only the root knows. A leader has to learn those of its node. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_V_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_V_H

#include "algorithms/engines/composed/two_level.h"

#include <stdint.h>

/* How they travel at either level, by these words: up or down a binomial tree
 * after their sizes, or one after the other. */
extern const char *const chorale_level_v_word[CHORALE_OUTERS];

/* Blocks in turn: their bytes, and where they start. */
struct chorale_sizes_v {
    MPI_Count *count;
    MPI_Aint *displ;
    size_t bytes;            /* of all */
};

/* Of the blocks of a leader's node, whose bytes are in size. Takes scratch.
 * Returns an MPI error code. */
int chorale_sizes_v_node(struct chorale_sizes_v *s, struct chorale_ctx *ctx,
                         const struct chorale_topology *t,
                         const int64_t *size);

/* The bytes of the root's blocks n, node after node, from place first on. */
void chorale_sizes_v_read(const struct chorale_topology *t,
                          const struct chorale_blocks *whole, int first,
                          int n, int64_t *size);

/* One rank's view of the whole. */
struct chorale_level_v {
    const struct chorale_call *call;
    struct chorale_topology *t;
    const struct chorale_blocks *whole; /* at the root, of all ranks */
    struct chorale_sizes_v node;        /* at a leader */
};

/* What part, a gatherv (gathers) or scatterv, does among the leaders, between
 * b's mine and all. Takes scratch. Returns an MPI error code. */
int chorale_level_v_outer(const struct chorale_level_v *st,
                          const struct chorale_node_blocks *b, int gathers,
                          const struct chorale_alg *part);

/* Bound of the data's critical path with the blocks of chorale_ramp(), in
 * nodes and among leaders; count_bytes: of the sizes that a binomial tree
 * moves first, a rank. Scratch of the whole. Does a leader have several
 * messages in flight? */
int chorale_two_level_v_cost(const struct chorale_point *pt, long inner,
                             long outer, double count_bytes,
                             struct chorale_term *term);
size_t chorale_two_level_v_scratch(const struct chorale_point *pt);
int chorale_two_level_v_overlaps(const struct chorale_point *pt);

#endif
