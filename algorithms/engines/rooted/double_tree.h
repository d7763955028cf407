/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.h - two binary trees that carry one half of a vector each.
 *
 * Both trees span the same ranks, and a rank has children in at most one of
 * them, so no rank's port is idle. Time runs in steps. Each edge has a colour,
 * 0 or 1, and is used in steps of that parity. Per step a rank receives over at
 * most one edge and sends over at most one. The root is outside both trees and
 * feeds them alternately.
 *
 * Source  Sanders, Speck, Traeff, Parallel Computing 35, 2009 */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_DOUBLE_TREE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_DOUBLE_TREE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* An edge of one of the trees, as seen by a rank. A broadcast sends segment k
 * of the tree's half over it in step `step + 2 k`. */
struct chorale_edge {
    int peer; /* rank at the other end; -1: no such edge */
    int half; /* half of the vector it carries: 0 or 1 */
    int step;
};

struct chorale_double_tree {
    struct chorale_edge parent[2]; /* by colour: the parity of step */
    struct chorale_edge child[2];
    int most; /* no edge has a later step; odd */
};

void chorale_double_tree_init(struct chorale_double_tree *trees, int size,
                              int root, int rank);

/* Split of n units (bytes or elements) into halves, and of these into segments
 * of at most s units; s 0: whole halves. Segments at the end may be empty. */
struct chorale_halves {
    MPI_Count n, s;
    MPI_Count segments; /* segments in each half */
};

void chorale_halves_init(struct chorale_halves *h, MPI_Count n, MPI_Count s);

/* First unit of segment k of a half; *length is its number of units. */
MPI_Count chorale_halves_segment(const struct chorale_halves *h, int half,
                                 MPI_Count k, MPI_Count *length);

/* The segment that passes over an edge in a step of a broadcast; -1: none.
 * Reductions run the steps backwards, with the edge's step counted back from
 * most (see reduce/double_tree.c). */
MPI_Count chorale_edge_segment(const struct chorale_edge *edge, int first,
                               MPI_Count step, MPI_Count segments);

/* Upper bound on the number of messages in sequence, 2 (floor(lg(P - 1)) + S);
 * *bytes is an upper bound on the size of each. unit: bytes of an element, or
 * 1. */
double chorale_double_tree_rounds(const struct chorale_point *pt,
                                  long segsize, size_t unit, double *bytes);

#endif
