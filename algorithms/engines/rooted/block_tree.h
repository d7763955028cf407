/* SPDX-License-Identifier: BSD-3-Clause */
/* block_tree.h - blocks that travel a k-nomial tree: gathered up, scattered
 * down. A message carries the blocks of a whole subtree, as packed bytes.
 *
 * The tree is a k-nomial one of tree.h over virtual ranks 0 ... size - 1
 * (rank - root mod size): every subtree is a range of them that starts at its
 * root. Radix 2 is the binomial tree.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_BLOCK_TREE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_BLOCK_TREE_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"
#include "algorithms/tree.h"

#include <stdint.h>

/* One rank's part of a gather or scatter. Equal blocks: m and offset as they
 * are at every rank. Blocks of given sizes: offset[i] is where block v + i
 * starts among the bytes of this rank's subtree, offset[span] their end; the
 * tree's root needs none. */
struct chorale_block_tree {
    struct chorale_ctx *ctx;
    int root;
    struct chorale_tree tree; /* k-nomial, this rank's view */
    size_t m;                 /* bytes of every block, or */
    const int64_t *offset;
    struct chorale_blocks all; /* at the root: equal or given ones */
    void *buf;                /* elsewhere: this rank's own block */
    MPI_Count count;
    MPI_Datatype type;
};

/* Fill one but for the blocks; fill one for a gather, gatherv, scatter or
 * scatterv: coll. far: children come farthest first, else nearest first. */
struct chorale_block_tree chorale_block_tree_at(struct chorale_ctx *ctx,
                                                int root, long radix,
                                                int far);
struct chorale_block_tree
chorale_block_tree_call(const struct chorale_call *call,
                        enum chorale_coll coll, long radix, int far);

/* Child i of this rank, and the ranks of its subtree; the rank in ctx of a
 * virtual one. */
int chorale_block_tree_child(const struct chorale_block_tree *t, int i,
                             int *blocks);
int chorale_block_tree_rank(const struct chorale_block_tree *t, int v);

/* offset[i + 1] is how many bytes block i of this rank's subtree has: from
 * here on offset tells where the blocks start, and is the tree's. */
void chorale_block_tree_sum(struct chorale_block_tree *t, int64_t *offset);

/* Run it. The root's own block is not touched. Return an MPI error code. */
int chorale_gather_up(const struct chorale_block_tree *t);
int chorale_scatter_down(const struct chorale_block_tree *t);

/* The whole of a regular gather (nearest child first) or scatter. */
int chorale_gather_tree(const struct chorale_call *call, long radix);
int chorale_scatter_tree(const struct chorale_call *call, long radix,
                         int far);

/* The root's blocks of a subtree that starts at virtual rank child: where they
 * are and how many elements they have, if they are one piece (one block, or
 * equal ones that do not wrap past the last rank), else NULL; how many bytes;
 * and these bytes packed. */
void *chorale_subtree_piece(const struct chorale_block_tree *t, int child,
                            int blocks, MPI_Count *count);
size_t chorale_subtree_bytes(const struct chorale_block_tree *t, int child,
                             int blocks);
int chorale_subtree_pack(const struct chorale_block_tree *t, int child,
                         int blocks, char *bytes);

/* The root's way through its children: exact for a gather nearest first and a
 * scatter farthest first at every comm_size. */
int chorale_cost_block_tree(const struct chorale_point *pt, long radix,
                            struct chorale_term *term);

/* Bytes that the busiest rank holds: the largest subtree, at its root or, if
 * it wraps past the last rank, at the tree's root. */
size_t chorale_scratch_block_tree(const struct chorale_point *pt, long radix);

/* The same of blocks of chorale_ramp() in a binomial tree: an upper bound, as
 * in any subtree of s ranks there are at most the bytes of the s largest. */
int chorale_cost_ramp_tree(const struct chorale_point *pt,
                           struct chorale_term *term);
/* The bytes of the largest subtree but the root's. */
size_t chorale_scratch_ramp_tree(const struct chorale_point *pt);

/* Bytes of the s largest blocks of the ramp, its last ones, but for the root's,
 * which stays where it is. */
double chorale_ramp_largest(const struct chorale_point *pt, double s);

/* The same with the sizes of the blocks ahead of them: each bytes a rank, in
 * one round less than the data. */
int chorale_cost_counted_tree(const struct chorale_point *pt, double each,
                              struct chorale_term *term);
size_t chorale_scratch_counted_tree(const struct chorale_point *pt);

#endif
