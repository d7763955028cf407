/* SPDX-License-Identifier: BSD-3-Clause */
/* double_tree.h - two binary trees over the same ranks that carry one half of
 * a vector each, so that no rank's port is idle: a rank has children in one
 * of them at most. Sanders, Speck, Traeff, Parallel Computing 35, 2009.
 *
 * Time runs in steps. The edges have two colours: a rank receives in a step
 * over one edge at most and sends over one at most, those whose colour is the
 * step's parity. The root stands outside and feeds both trees in turn. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_DOUBLE_TREE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_DOUBLE_TREE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* An edge of one of the trees at a rank. A broadcast sends segment k of the
 * tree's half over it in step `step + 2 k`. */
struct chorale_edge {
    int peer; /* the rank at its other end; -1: no such edge */
    int half; /* whose it is: 0 or 1 */
    int step;
};

struct chorale_double_tree {
    struct chorale_edge parent[2]; /* by colour, the parity of step */
    struct chorale_edge child[2];
    int most; /* no edge has a later step; odd */
};

void chorale_double_tree_init(struct chorale_double_tree *trees, int size,
                              int root, int rank);

/* A vector of n units (bytes or elements) in halves, and these in segments of
 * s units at most; s 0: whole halves. Segments at the end may be empty. */
struct chorale_halves {
    MPI_Count n, s;
    MPI_Count segments; /* of each half */
};

void chorale_halves_init(struct chorale_halves *h, MPI_Count n, MPI_Count s);

/* The first unit of segment k of a half, and how many it has. */
MPI_Count chorale_halves_segment(const struct chorale_halves *h, int half,
                                 MPI_Count k, MPI_Count *length);

/* The segment that passes over an edge in a step of a broadcast; -1: none.
 * Reductions run the steps backwards: the same with the edge's step counted
 * back from most (see reduce/double_tree.c). */
MPI_Count chorale_edge_segment(const struct chorale_edge *edge, int first,
                               MPI_Count step, MPI_Count segments);

/* Messages in turn, a bound: 2 (floor(lg(P - 1)) + S), of at most *bytes each.
 * unit: bytes of an element, or 1. */
double chorale_double_tree_rounds(const struct chorale_point *pt,
                                  long segsize, size_t unit, double *bytes);

#endif
