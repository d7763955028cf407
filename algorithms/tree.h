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

/* Balanced split of total units into parts: the first total % parts of them
 * get one more. Offset and length of part i; empty parts are legal. */
void chorale_split(size_t total, int parts, int i, size_t *offset,
                   size_t *length);

#endif
