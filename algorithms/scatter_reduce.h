/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce.h - every rank has one operand a block, at the end rank r has
 * the result of block r: the exchanges behind reduce_scatter and the first
 * half of long reductions.
 *
 * own: this rank's operands. acc: blocks of the same layout to work in; rank
 * r's result ends in block r of acc, the others hold partial results or
 * nothing. acc may be own (then the operands are overwritten). Where acc is
 * another buffer, own is only read. Each returns an MPI error code.
 */
#ifndef CHORALE_ALGORITHMS_SCATTER_REDUCE_H
#define CHORALE_ALGORITHMS_SCATTER_REDUCE_H

#include "algorithms/blocks.h"
#include "algorithms/ctx.h"

/* Ring, P - 1 rounds; commutative operations. */
int chorale_scatter_reduce_ring(struct chorale_ctx *ctx,
                                const struct chorale_blocks *own,
                                const struct chorale_blocks *acc, MPI_Op op);

/* Recursive halving; ctx->size a power of two; blocks in rank order without
 * holes. far: halves at distance P/2, P/4, ...: commutative operations. */
int chorale_scatter_reduce_halving(struct chorale_ctx *ctx,
                                   const struct chorale_blocks *own,
                                   const struct chorale_blocks *acc,
                                   MPI_Op op);

/* The circulant graph's skips: any size, ceil(lg P) rounds, commutative
 * operations. Traeff, arXiv 2410.14234. */
int chorale_scatter_reduce_circulant(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *own,
                                     const struct chorale_blocks *acc,
                                     MPI_Op op);

#endif
