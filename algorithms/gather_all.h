/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all.h - every rank has one block, at the end all ranks have all: the
 * exchanges behind allgather, its v-variant, and the second half of long
 * broadcasts and allreduces.
 *
 * Block r of b is rank r's and is in place when they are called; b may be of
 * any kind (equal, given, split). Each returns an MPI error code. Costs are
 * on a one-port network; m is the largest block.
 */
#ifndef CHORALE_ALGORITHMS_GATHER_ALL_H
#define CHORALE_ALGORITHMS_GATHER_ALL_H

#include "algorithms/blocks.h"
#include "algorithms/ctx.h"

/* Ring: P - 1 rounds to the right neighbour. */
int chorale_gather_all_ring(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b);

/* Recursive doubling, partners at distance 1, 2, 4, ...; ctx->size must be a
 * power of two and the blocks must lie in rank order without holes (equal and
 * split ones do). */
int chorale_gather_all_doubling(struct chorale_ctx *ctx,
                                const struct chorale_blocks *b);

/* Bruck with radix k >= 2 over packed bytes, rotated at the end: any size,
 * at most (k - 1) ceil(log_k P) messages. */
int chorale_gather_all_bruck(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b, int k);

/* The circulant graph's skips s_{j+1} = ceil(s_j / 2), backwards: any size,
 * ceil(lg P) messages, no rotation of the whole. */
int chorale_gather_all_circulant(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b);

#endif
