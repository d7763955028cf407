/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce.h - reduce-scatter engines over blocks.
 *
 * Every rank has one operand per block; at the end rank r has the result of
 * block r. The engines serve reduce_scatter and the first half of long
 * reductions.
 *
 * own: this rank's operands. acc: blocks of the same layout to work in. The
 * result of rank r ends in block r of acc; the other blocks hold partial
 * results or are unchanged. acc may be own, whose operands are then
 * overwritten; otherwise own is only read. Each function returns an MPI error
 * code.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_H

#include "algorithms/blocks.h"
#include "algorithms/context.h"

/* Ring, P - 1 rounds; commutative operations only. */
int chorale_scatter_reduce_ring(struct chorale_ctx *ctx,
                                const struct chorale_blocks *own,
                                const struct chorale_blocks *acc, MPI_Op op);

/* Arguments of the engines below, which need not keep partial results.
 *
 * own->n is ctx->size. Blocks are contiguous in rank order. Blocks given by
 * counts should have displacements; otherwise each look-up adds up the
 * counts. */
struct chorale_rs {
    struct chorale_ctx *ctx;
    const struct chorale_blocks *own; /* operands */
    const struct chorale_blocks *acc; /* work space: another buffer, own, or
                                       * NULL: scratch of the engine */
    int apart;      /* 1: the result of block rank goes to result, which
                     * overlaps neither own nor acc; 0: to block rank of acc */
    void *result;
    MPI_Op op;
    int commutative;
    int radix;      /* for engines that take parameters */
    const long *param;
};

/* Number of elements in k blocks from block first on, cyclically. */
MPI_Count chorale_cyclic_count(const struct chorale_blocks *b, int first,
                               int k);

/* Ring. Scratch: at most 2 of the largest blocks if acc is NULL; one if it is
 * own. */
int chorale_rs_ring(const struct chorale_rs *rs);

/* Exchange with radix k, ctx->size a power of k: rounds at distance P/k, P/k^2,
 * ..., in each of which k ranks exchange their parts, one after the other. k =
 * 2 is recursive halving, k = P pairwise exchange. Commutative operations only.
 * Scratch, if acc is NULL: the blocks kept after the first round (none if that
 * is the last), and one received part. */
int chorale_rs_exchange(const struct chorale_rs *rs, int k);

/* Sends all operands directly to their ranks at once; each rank then adds them
 * up in rank order, except for one pair. own is a vector split evenly. The
 * result goes to acc, of which one element next to block rank may be
 * overwritten too. Commutative operations only. Scratch: a request per message,
 * and one largest block per other rank, or one less if acc is not own. */
int chorale_rs_direct(const struct chorale_rs *rs);

/* Circulant graph. acc is used only if the result goes there. Scratch: at most
 * half of the blocks, and half of them again. */
int chorale_rs_circulant(const struct chorale_rs *rs);

/* The next two preserve rank order, so they are valid for any operation.
 * ctx->size must be a power of two, apart must be 1, and acc is not used. */

/* Butterfly: blocks in bit-reversed order, halves exchanged at distance 1, 2,
 * 4, ... Scratch: all blocks, and half of them again; with two ranks at most
 * one block. Traeff, EuroPVM/MPI 2005. */
int chorale_rs_butterfly(const struct chorale_rs *rs);

/* Recursive doubling: at distance 1, 2, 4, ... exchange all blocks except those
 * of the group that has exchanged so far. Scratch: twice all blocks. */
int chorale_rs_doubling(const struct chorale_rs *rs);

/* Two rings at once, half of each block in either direction; any size, apart
 * must be 1; commutative operations only. Scratch: two of the largest blocks,
 * and the counts and displacements of the halves. */
int chorale_rs_ring_bidir(const struct chorale_rs *rs);

/* Torus of rows rows and ctx->size / rows columns, numbered row by row. percent
 * of each block is reduced by rings in the columns first, then in the rows; the
 * rest in the opposite order at the same time. both: half of each part runs in
 * either direction, where a ring has more than two ranks. apart must be 1;
 * commutative operations only. Scratch: all blocks, a row or column of them
 * three times, and the counts and displacements of the parts. Source:
 * integration of Chen and Lee. */
int chorale_rs_torus(const struct chorale_rs *rs, int rows, int percent,
                     int both);

#endif
