/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - shapes and splits shared by several variants. */
#ifndef CHORALE_ALGORITHMS_TREE_H
#define CHORALE_ALGORITHMS_TREE_H

#include <stddef.h>

/* Smallest r with 2^r >= p (p >= 1). */
int chorale_ceil_log2(int p);

/* Largest power of two <= p (p >= 1). */
int chorale_pow2_below(int p);

/* The binomial tree over virtual ranks 0 ... size - 1 (root 0): the parent of
 * v clears its lowest set bit; its children are v + 2^j for every j below
 * that bit with v + 2^j < size. Farthest child (largest subtree) first.
 *
 * Fills child[32], returns the number of children; *parent is -1 at v = 0. */
int chorale_binomial(int v, int size, int *parent, int child[32]);

/* Virtual ranks in the subtree of v: v ... v + result - 1. */
int chorale_binomial_subtree(int v, int size);

/* Any of several trees over virtual ranks, seen from one of them. No arrays:
 * children are computed when asked for, one by one. */
enum chorale_shape {
    CHORALE_KNOMIAL,      /* the binomial tree on digits of base radix: the
                           * parent clears the lowest digit that is not 0.
                           * Farthest child first */
    CHORALE_KNOMIAL_NEAR, /* the same, nearest child first */
    CHORALE_KNOMIAL_LARGE, /* the same, largest subtree first: that of the
                           * farthest child may be short */
    CHORALE_KARY,         /* complete, level by level: the children of v are
                           * radix v + 1 ... radix v + radix */
    CHORALE_CHAIN,        /* radix chains of consecutive ranks hang on the
                           * root, longer ones farther and first; radix 1:
                           * one chain; radix >= size - 1: a star */
    CHORALE_IN_ORDER      /* binary (radix is not used), root size - 1: below
                           * v, the last rank of a range, the rest is halved:
                           * first child the lower, second the upper half */
};

struct chorale_tree {
    enum chorale_shape shape;
    int radix, size;
    int v;                /* whose view it is */
    int parent;           /* -1: v is the root */
    int nchild;
    int span;             /* ranks in the subtree of v, itself among them:
                           * v ... v + span - 1 (in-order: v - span + 1 ...
                           * v). 0 for k-ary trees, where they are no range */
};

/* The view of v, 0 <= v < size. radix >= 1 (k-ary, k-nomial: >= 2) is clipped
 * to size. O(log size) steps at most. */
void chorale_tree_init(struct chorale_tree *tree, enum chorale_shape shape,
                       long radix, int size, int v);

/* Child i of tree->v, 0 <= i < nchild, in the order in which a broadcast
 * serves them; reductions take them in reverse. k-nomial, chains, in-order:
 * then their subtrees are taken in order of ranks, away from v (k-nomial with
 * another child than the farthest first: not). */
int chorale_tree_child(const struct chorale_tree *tree, int i);

/* Edges between tree->v and the root. */
int chorale_tree_depth(const struct chorale_tree *tree);

/* Where a broadcast of one message ends that serves children in turn: most
 * steps from the root to any rank. */
int chorale_tree_steps(enum chorale_shape shape, long radix, int size);

/* Balanced split of total units into parts: the first total % parts of them
 * get one more. Offset and length of part i; empty parts are legal. */
void chorale_split(size_t total, int parts, int i, size_t *offset,
                   size_t *length);

#endif
