/* SPDX-License-Identifier: BSD-3-Clause */
/* swing.h - reduce-scatter and allgather by exchanges at the distances of the
 * Swing and Bine butterflies, rho = 1, -1, 3, -5, 11, ...: even ranks find
 * their partner rho to the right, odd ones rho to the left. The blocks that go
 * to a partner are those of the ranks that it can still reach; they do not
 * lie together and are copied.
 *
 * A power of two ranks; equal or split blocks. near: distances in that order
 * for the reduce-scatter, backwards for the allgather (Swing); else the other
 * way round (Bine). Each takes, in scratch, half of the blocks twice and P
 * integers; each returns an MPI error code.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SWING_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SWING_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

/* The rank's partner in round j = 0 ... lg size - 1. */
int chorale_swing_partner(int rank, int size, int j);

/* Every rank has one operand a block; at the end the block of its number has
 * the result, the others partial sums. Commutative operations. */
int chorale_swing_scatter_reduce(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, MPI_Op op,
                                 int near);

/* Block r is rank r's; at the end all have all. */
int chorale_swing_gather_all(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b, int near);

/* Allreduce by both, on any number of ranks by a fold; its critical path, an
 * upper bound where blocks are unequal; its scratch. */
int chorale_swing_allreduce(const struct chorale_call *call, int near);
int chorale_swing_cost(const struct chorale_point *pt,
                       struct chorale_term *term);
size_t chorale_swing_scratch(const struct chorale_point *pt);

#endif
