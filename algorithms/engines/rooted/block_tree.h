/* SPDX-License-Identifier: BSD-3-Clause */
/* block_tree.h - gather and scatter of blocks along a k-nomial tree.
 *
 * A message carries the blocks of a whole subtree as packed bytes. The tree is
 * a k-nomial one of tree.h over virtual ranks 0 ... size - 1, where a virtual
 * rank is (rank - root) mod size. Every subtree is a range of virtual ranks
 * that starts at the subtree's root. Radix 2 is the binomial tree.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_BLOCK_TREE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_BLOCK_TREE_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"
#include "algorithms/tree.h"

#include <stdint.h>

/* One rank's part of a gather or scatter. Equal blocks: set m; offset is not
 * used. Blocks of different sizes: offset[i] is where block v + i starts among
 * the bytes of this rank's subtree, and offset[span] is their end; the tree's
 * root needs no offset. */
struct chorale_block_tree {
    struct chorale_ctx *ctx;
    int root;
    struct chorale_tree tree; /* k-nomial tree as seen by this rank */
    size_t m;                 /* bytes of every block, if equal */
    const int64_t *offset;
    struct chorale_blocks all; /* at the root: all blocks */
    void *buf;                /* on other ranks: this rank's own block */
    MPI_Count count;
    MPI_Datatype type;
};

/* Initialise everything except the blocks; or all fields for a call of coll
 * (gather, gatherv, scatter or scatterv). far: 1: farthest child first, 0:
 * nearest first. */
struct chorale_block_tree chorale_block_tree_at(struct chorale_ctx *ctx,
                                                int root, long radix,
                                                int far);
struct chorale_block_tree
chorale_block_tree_call(const struct chorale_call *call,
                        enum chorale_coll coll, long radix, int far);

/* Virtual rank of child i, with the size of its subtree in *blocks; and the
 * rank in ctx of a virtual rank. */
int chorale_block_tree_child(const struct chorale_block_tree *t, int i,
                             int *blocks);
int chorale_block_tree_rank(const struct chorale_block_tree *t, int v);

/* Turn block sizes into offsets. On entry offset[i + 1] is the number of bytes
 * of block i of this rank's subtree, i < span. The array must stay valid while
 * the tree is used. */
void chorale_block_tree_sum(struct chorale_block_tree *t, int64_t *offset);

/* Run the gather or scatter. The root's own block is not touched. Return an MPI
 * error code. */
int chorale_gather_up(const struct chorale_block_tree *t);
int chorale_scatter_down(const struct chorale_block_tree *t);

/* A complete regular gather (nearest child first) or scatter. */
int chorale_gather_tree(const struct chorale_call *call, long radix);
int chorale_scatter_tree(const struct chorale_call *call, long radix,
                         int far);

/* The root's blocks of the subtree of virtual rank child, blocks of them.
 * piece: their address and element count if they are contiguous (one block, or
 * equal blocks that do not wrap past the last rank), else NULL. bytes: their
 * number of bytes. pack: copy them into bytes, packed. */
void *chorale_subtree_piece(const struct chorale_block_tree *t, int child,
                            int blocks, MPI_Count *count);
size_t chorale_subtree_bytes(const struct chorale_block_tree *t, int child,
                             int blocks);
int chorale_subtree_pack(const struct chorale_block_tree *t, int child,
                         int blocks, char *bytes);

/* Critical path: the root serves its children in turn. Exact for every
 * comm_size if a gather goes nearest first and a scatter farthest first. */
int chorale_cost_block_tree(const struct chorale_point *pt, long radix,
                            struct chorale_term *term);

/* Bytes that the busiest rank holds: the largest subtree, at its root or, if it
 * wraps past the last rank, at the tree's root. */
size_t chorale_scratch_block_tree(const struct chorale_point *pt, long radix);

/* The same for blocks of chorale_ramp() in a binomial tree. An upper bound: a
 * subtree of s ranks has at most the bytes of the s largest blocks. */
int chorale_cost_ramp_tree(const struct chorale_point *pt,
                           struct chorale_term *term);
/* Bytes of the largest subtree, not counting the root's. */
size_t chorale_scratch_ramp_tree(const struct chorale_point *pt);

/* Bytes of the s largest (last) blocks of the ramp, without the root's block,
 * which is not sent. */
double chorale_ramp_largest(const struct chorale_point *pt, double s);

/* chorale_cost_ramp_tree() with the block sizes sent ahead: each bytes per
 * rank, in one round less than the data. Scratch: the blocks of
 * chorale_scratch_ramp_tree(), and their sizes. */
int chorale_cost_counted_tree(const struct chorale_point *pt, double each,
                              struct chorale_term *term);
size_t chorale_scratch_counted_tree(const struct chorale_point *pt);

#endif
