/* SPDX-License-Identifier: BSD-3-Clause */
/* swing.h - reduce-scatter and allgather with Swing and Bine butterflies.
 *
 * Ranks exchange at distances rho = 1, -1, 3, -5, 11, ...: even ranks have
 * their partner rho to the right, odd ones rho to the left. A rank sends its
 * partner the blocks of all ranks that the partner can still reach. They are
 * not contiguous and are copied.
 *
 * The number of ranks must be a power of two; blocks are equal or split. near:
 * 1: distances in that order for the reduce-scatter and in reverse order for
 * the allgather (Swing); 0: the opposite (Bine). Each function takes scratch
 * for half of the blocks twice and for P integers; each returns an MPI error
 * code.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SWING_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SWING_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

/* This rank's partner in round j = 0 ... lg size - 1. */
int chorale_swing_partner(int rank, int size, int j);

/* Reduce-scatter: on entry every rank has an operand in each block. At the end
 * block rank has the result, the other blocks partial sums. Commutative
 * operations only. */
int chorale_swing_scatter_reduce(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, MPI_Op op,
                                 int near);

/* Allgather: block r is rank r's; at the end all ranks have all blocks. */
int chorale_swing_gather_all(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b, int near);

/* Allreduce by both, on any number of ranks by a fold; its critical path, an
 * upper bound if blocks are unequal; its bytes of scratch. */
int chorale_swing_allreduce(const struct chorale_call *call, int near);
int chorale_swing_cost(const struct chorale_point *pt,
                       struct chorale_term *term);
size_t chorale_swing_scratch(const struct chorale_point *pt);

#endif
