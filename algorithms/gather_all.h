/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all.h - every rank has one block, at the end all ranks have all: the
 * exchanges behind allgather, its v-variant, and the second half of long
 * broadcasts and allreduces.
 *
 * Block r of b is rank r's and is in place when they are called; b may be of
 * any kind (equal, given, split). Blocks that are sent together go as one
 * message: straight from and into b where they are one piece of memory, else
 * through scratch. Each returns an MPI error code. Costs are on a one-port
 * network; m is the largest block.
 *
 * The functions that end in _from count ranks from root: block v belongs to
 * rank (v + root) mod P. Long broadcasts use them.
 */
#ifndef CHORALE_ALGORITHMS_GATHER_ALL_H
#define CHORALE_ALGORITHMS_GATHER_ALL_H

#include "algorithms/blocks.h"
#include "algorithms/ctx.h"

/* Some consecutive blocks, k of them from block first; past the last one
 * follows block 0. peer: the other end; below 0: no such message. */
struct chorale_range {
    int first, k;
    int peer;
};

/* Send one range while another is received: two blocking messages at once,
 * or only one. Counts, and the kind of b, must agree at both ends; the memory
 * layout need not. Takes the bytes of a range in scratch if it is not one
 * piece of memory. */
int chorale_exchange_ranges(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            struct chorale_range out,
                            struct chorale_range in);

/* Ring: P - 1 rounds to the right neighbour. */
int chorale_gather_all_ring_from(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, int root);

/* Recursive doubling, partners at distance 1, 2, 4, ...: lg P messages. At
 * other sizes than powers of two the last group of a round is short; those
 * who have no partner in it get its blocks from those who have, so at most
 * 2 ceil(lg P) messages. */
int chorale_gather_all_doubling_from(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *b,
                                     int root);

/* Bruck with radix k >= 2 over packed bytes, rotated at the end: any size,
 * at most (k - 1) ceil(log_k P) messages. Takes the bytes of all blocks in
 * scratch. */
int chorale_gather_all_bruck_from(struct chorale_ctx *ctx,
                                  const struct chorale_blocks *b, int k,
                                  int root);

/* The circulant graph's skips s_{j+1} = ceil(s_j / 2), backwards: any size,
 * ceil(lg P) messages, no rotation of the whole. Takes at most P/2 blocks in
 * scratch. */
int chorale_gather_all_circulant_from(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      int root);

static inline int chorale_gather_all_ring(struct chorale_ctx *ctx,
                                          const struct chorale_blocks *b)
{
    return chorale_gather_all_ring_from(ctx, b, 0);
}

static inline int chorale_gather_all_doubling(struct chorale_ctx *ctx,
                                              const struct chorale_blocks *b)
{
    return chorale_gather_all_doubling_from(ctx, b, 0);
}

static inline int chorale_gather_all_bruck(struct chorale_ctx *ctx,
                                           const struct chorale_blocks *b,
                                           int k)
{
    return chorale_gather_all_bruck_from(ctx, b, k, 0);
}

static inline int chorale_gather_all_circulant(struct chorale_ctx *ctx,
                                               const struct chorale_blocks *b)
{
    return chorale_gather_all_circulant_from(ctx, b, 0);
}

#endif
