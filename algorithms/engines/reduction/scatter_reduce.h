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
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_H

#include "algorithms/blocks.h"
#include "algorithms/context.h"

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
 * operations. Blocks in rank order without holes. Traeff, arXiv 2410.14234. */
int chorale_scatter_reduce_circulant(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *own,
                                     const struct chorale_blocks *acc,
                                     MPI_Op op);

/* The same engines, and more, where only the result is wanted.
 *
 * own->n is ctx->size. Blocks lie in rank order without holes; given ones
 * should have displacements, else each look-up walks the counts. */
struct chorale_rs {
    struct chorale_ctx *ctx;
    const struct chorale_blocks *own; /* operands */
    const struct chorale_blocks *acc; /* to work in: another buffer, own, or
                                       * NULL: scratch of the engine */
    int apart;      /* block rank's result goes to result, which overlaps
                     * neither own nor acc; 0: to block rank of acc */
    void *result;
    MPI_Op op;
    int commutative;
    int radix;      /* for engines that take their parameters from here */
    const long *param;
};

/* Elements of k blocks from block first on, cyclically. */
MPI_Count chorale_cyclic(const struct chorale_blocks *b, int first,
                                int k);

/* Ring. Scratch: at most 2 of the largest blocks, where acc is NULL; one
 * where it is own. */
int chorale_rs_ring(const struct chorale_rs *rs);

/* Exchange with radix k, ctx->size a power of k: rounds at distance P/k,
 * P/k^2, ..., in each of which k ranks give each other their parts, one after
 * the other. k = 2 is recursive halving, k = P pairwise exchange. Commutative
 * operations. Scratch, where acc is NULL: the blocks kept after the first
 * round (none if that is the last) and those of one part received. */
int chorale_rs_exchange(const struct chorale_rs *rs, int k);

/* All operands straight to their ranks at once, then added up there, in rank
 * order but for one pair. own is a vector split evenly, the result is wanted in
 * acc, of which an element next to block rank may be overwritten, too.
 * Commutative operations. Scratch: a request for each message, and of each
 * other rank one of the largest blocks, but for one where acc is not own. */
int chorale_rs_direct(const struct chorale_rs *rs);

/* Circulant graph. acc is not used unless the result is wanted there.
 * Scratch: at most half of the blocks, and half of them again. */
int chorale_rs_circulant(const struct chorale_rs *rs);

/* The following keep rank order, so any operation will do; ctx->size is a
 * power of two, the result is wanted apart, and acc is not used. */

/* Butterfly: blocks in the order of their reversed bits, halves exchanged at
 * distance 1, 2, 4, ... Scratch: all blocks, and half of them again; with two
 * ranks at most a block. Traeff, EuroPVM/MPI 2005. */
int chorale_rs_butterfly(const struct chorale_rs *rs);

/* Recursive doubling: at distance 1, 2, 4, ... all blocks but those of the
 * group that has exchanged so far. Scratch: twice all blocks. */
int chorale_rs_doubling(const struct chorale_rs *rs);

/* Two rings at once, half of each block either way; any size, commutative
 * operations, the result apart. Scratch: two of the largest blocks, and what
 * tells where the halves are. */
int chorale_rs_ring_bidir(const struct chorale_rs *rs);

/* Torus of ctx->size / rows columns, row by row: percent of each block goes
 * by rings in the columns first, then in the rows, the rest the other way
 * round, at the same time; both: half of either part each way round, where
 * there are two. Commutative operations, the result apart. Scratch: all blocks,
 * a row or column of them three times, and what tells where the parts are.
 * Chen, Lee, integration. */
int chorale_rs_torus(const struct chorale_rs *rs, int rows, int percent,
                     int both);

#endif
