/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h - trees over ranks and the balanced split, shared by variants. */
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
 * Fills child[32] and returns the number of children; *parent is -1 at v =
 * 0. */
int chorale_binomial(int v, int size, int *parent, int child[32]);

/* Number of virtual ranks in the subtree of v: v ... v + result - 1. */
int chorale_binomial_subtree(int v, int size);

/* Shape of a tree over virtual ranks. No arrays are stored: children are
 * computed one by one when needed. */
enum chorale_shape {
    CHORALE_KNOMIAL,      /* k-nomial: the binomial tree on digits of base
                           * radix; the parent clears the lowest non-zero digit.
                           * Farthest child first */
    CHORALE_KNOMIAL_NEAR, /* k-nomial, nearest child first */
    CHORALE_KNOMIAL_LARGE, /* k-nomial, largest subtree first: the subtree of
                            * the farthest child may be small */
    CHORALE_KARY,         /* complete, level by level: the children of v are
                           * radix v + 1 ... radix v + radix */
    CHORALE_CHAIN,        /* radix chains of consecutive ranks hang on the root;
                           * longer chains come first and hold the highest
                           * ranks. radix 1: one chain; radix >= size - 1: a
                           * star */
    CHORALE_IN_ORDER      /* binary (radix is ignored), root size - 1: v is the
                           * last rank of its range; the first child heads the
                           * lower half of the rest, the second child the upper
                           * half */
};

struct chorale_tree {
    enum chorale_shape shape;
    int radix, size;
    int v;                /* the virtual rank whose view this is */
    int parent;           /* -1: v is the root */
    int nchild;
    int span;             /* ranks in the subtree of v, including v: v ... v +
                           * span - 1 (in-order: v - span + 1 ... v). 0 for
                           * k-ary trees, whose subtrees are not contiguous */
};

/* Compute the view of v, 0 <= v < size. radix is limited to size and must be >=
 * 1 (k-ary, k-nomial: >= 2). Takes O(log size) steps at most. */
void chorale_tree_init(struct chorale_tree *tree, enum chorale_shape shape,
                       long radix, int size, int v);

/* Child i of tree->v, 0 <= i < nchild, in the order in which a broadcast serves
 * them; reductions use the reverse order. For k-nomial trees with the farthest
 * child first and chains, that reverse order takes the subtrees in ascending
 * order of ranks, starting at v. For in-order trees it is descending. */
int chorale_tree_child(const struct chorale_tree *tree, int i);

/* Number of edges between tree->v and the root. */
int chorale_tree_depth(const struct chorale_tree *tree);

/* Number of steps until a one-message broadcast, which serves children in turn,
 * reaches the last rank. */
int chorale_tree_steps(enum chorale_shape shape, long radix, int size);

/* Offset and length of part i when total units are split into balanced parts:
 * the first total % parts of them get one unit more. Parts may be empty. */
void chorale_split(size_t total, int parts, int i, size_t *offset,
                   size_t *length);

#endif
