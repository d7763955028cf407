/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.c - two binary trees that use both ports of every rank.
 *
 * Both trees span nodes 1 ... p, p = size - 1. In the first, a binary tree, 2^h
 * divides every node at height h. The second is its mirror image if p is even,
 * so a node that is a leaf (odd) in one is inner (even) in the other. If p is
 * odd, node p is an additional leaf of both trees and is not mirrored. */
#include "algorithms/engines/rooted/double_tree.h"

#include "algorithms/engines/rooted/pipeline.h"

/* --- the first tree --------------------------------------------------- */

static int low_bit(int w)
{
    return (int)((unsigned)w & (0U - (unsigned)w));
}

/* Parent of node w; 0 for the tree's root. */
static int parent_of(int p, int w)
{
    int bit = low_bit(w);

    if (bit > p / 2)
        return 0;
    return (w & 2 * bit) != 0 || w > p - bit ? w - bit : w + bit;
}

/* Left (side 0) or right child of w; 0: none. */
static int child_of(int p, int w, int side)
{
    int bit = low_bit(w) / 2;

    if (side == 0)
        return bit > 0 ? w - bit : 0;
    while (bit > 0 && w > p - bit)
        bit /= 2;
    return bit > 0 ? w + bit : 0;
}

/* Colour of the edge to the parent. An inner node's colour follows from its
 * parent's. A leaf takes the colour of its mirror image, so that it has the
 * other colour in the second tree, where colours are swapped. The extra leaf
 * takes the colour its sibling lacks. */
static int colour_of(int p, int w)
{
    int q = p - p % 2, flip = q / 2 % 2, colour = 1;

    if (p == 1)
        return 1;
    if (w > q)
        return 1 - colour_of(p, child_of(p, q, 0));
    if (w % 2 != 0)
        w = q + 1 - w;
    for (int up = parent_of(q, w); up > 0; up = parent_of(q, w)) {
        colour ^= flip ^ (up > w);
        w = up;
    }
    return colour;
}

/* Step in which the first segment passes the edge to the parent: the first one
 * of its colour after the segment has reached the parent. */
static int step_of(int p, int w)
{
    int up = parent_of(p, w), step;

    if (up == 0)
        return 1;
    step = step_of(p, up) + 1;
    return step + (step % 2 != colour_of(p, w));
}

/* --- both ------------------------------------------------------------- */

/* The node of the other tree that corresponds to node w. */
static int mirror(int p, int w)
{
    int q = p - p % 2;

    return w > q ? w : q + 1 - w;
}

/* Add the edge from node w, in the numbering of the first tree, to its parent
 * in tree half. peer is the node at the other end. */
static void add_edge(struct chorale_edge *by_colour, int p, int root,
                     int half, int w, int peer)
{
    int step = step_of(p, w) - half;
    int node = half == 1 && peer > 0 ? mirror(p, peer) : peer;

    by_colour[step % 2] =
        (struct chorale_edge){ (node + root) % (p + 1), half, step };
}

void chorale_double_tree_init(struct chorale_double_tree *trees, int size,
                              int root, int rank)
{
    int p = size - 1, v = (rank - root + size) % size, top = 1;

    for (int i = 0; i < 2; i++)
        trees->parent[i] = trees->child[i] = (struct chorale_edge){ -1, 0, 0 };
    trees->most = 1;
    for (; top <= p / 2; top *= 2)
        trees->most += 2;
    for (int half = 0; half < 2 && p > 0; half++) {
        int w = half == 1 && v > 0 ? mirror(p, v) : v;

        if (v == 0) {
            add_edge(trees->child, p, root, half, top, top);
            continue;
        }
        add_edge(trees->parent, p, root, half, w, parent_of(p, w));
        for (int side = 0; side < 2; side++) {
            int child = child_of(p, w, side);

            if (child > 0)
                add_edge(trees->child, p, root, half, child, child);
        }
    }
}

/* --- halves ----------------------------------------------------------- */

void chorale_halves_init(struct chorale_halves *h, MPI_Count n, MPI_Count s)
{
    MPI_Count half = n - n / 2;

    h->n = n;
    h->s = s > 0 && s < half ? s : half;
    h->segments = h->s > 0 ? (half - 1) / h->s + 1 : 1;
}

MPI_Count chorale_halves_segment(const struct chorale_halves *h, int half,
                                 MPI_Count k, MPI_Count *length)
{
    MPI_Count begin = half == 0 ? 0 : h->n - h->n / 2;
    MPI_Count end = half == 0 ? h->n - h->n / 2 : h->n;
    MPI_Count first = begin + k * h->s;

    if (first > end)
        first = end;
    *length = end - first < h->s ? end - first : h->s;
    return first;
}

MPI_Count chorale_edge_segment(const struct chorale_edge *edge, int first,
                               MPI_Count step, MPI_Count segments)
{
    MPI_Count k = (step - first) / 2;

    if (edge->peer < 0 || step < first || k >= segments)
        return -1;
    return k;
}

double chorale_double_tree_rounds(const struct chorale_point *pt,
                                  long segsize, size_t unit, double *bytes)
{
    size_t s = chorale_whole_segment(segsize, unit);
    struct chorale_halves h;
    int height = 0;

    while ((pt->comm_size - 1) >> height > 1)
        height++;
    if (unit == 0)
        unit = 1;
    chorale_halves_init(&h, (MPI_Count)(pt->msg_size / unit),
                        (MPI_Count)(s / unit));
    *bytes = (double)h.s * (double)unit;
    return pt->comm_size < 2 ? 0 : 2 * (height + (double)h.segments);
}
