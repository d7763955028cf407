/* SPDX-License-Identifier: BSD-3-Clause */
/* nested_rings.h - allreduce of long vectors on a torus: a ring reduce-scatter
 * along each dimension in turn, each on what the one before has left, then
 * the ring allgathers backwards. The vector may be cut in parts that take the
 * dimensions in another order or go the other way round, all at the same
 * time. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_NESTED_RINGS_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_NESTED_RINGS_H

#include "algorithms/alg.h"

enum { CHORALE_MAX_DIM = 4 };

/* The product of the lengths is the number of ranks; ranks that differ by 1
 * are neighbours in dimension 0, where the first part begins. */
struct chorale_torus {
    int ndim, length[CHORALE_MAX_DIM];
    int turn; /* a part for each dimension to begin with; else one */
    int both; /* of each part one half either way round */
    int scatter; /* the reduce-scatters only: each rank is left with a piece
                  * of every part */
};

/* The torus as nearly cubic as can be, and 1; or 0, if some length is 1. */
int chorale_torus_cubic(struct chorale_torus *torus, int size, int ndim);

/* Run it on an allreduce's call; commutative operations. One part sends one
 * message at a time; several have one each in flight. */
int chorale_nested_rings(const struct chorale_call *call,
                         const struct chorale_torus *torus);

/* With scatter: elements of part i's piece that rank is left with, of a vector
 * of count, and where they begin. Parts: how many there are. */
MPI_Count chorale_nested_rings_piece(const struct chorale_torus *torus,
                                     MPI_Count count, int rank, int part,
                                     MPI_Count *first);
int chorale_nested_rings_parts(const struct chorale_torus *torus);

/* Its critical path: exact for one part, as the largest block travels all the
 * way. With k parts an upper bound, 4/3 k messages a round: on one port k would
 * do in the best order, but messages that are served as they are posted wait
 * for each other, by up to a third in all that has been played, most where
 * latency and bytes both count: of latency alone there is nothing to wait for.
 * Its scratch. */
int chorale_nested_rings_cost(const struct chorale_point *pt,
                              const struct chorale_torus *torus,
                              struct chorale_term *term);
size_t chorale_nested_rings_scratch(const struct chorale_point *pt,
                                    const struct chorale_torus *torus);

#endif
