/* SPDX-License-Identifier: BSD-3-Clause */
/* nested_rings.h - allreduce of long vectors by rings on a torus.
 *
 * A ring reduce-scatter along each dimension in turn, each on the result of the
 * one before, then ring allgathers in reverse order. The vector may be split
 * into parts that take the dimensions in another order or run in the other
 * direction, all at the same time. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_NESTED_RINGS_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_NESTED_RINGS_H

#include "algorithms/alg.h"

enum { CHORALE_MAX_DIM = 4 };

/* The product of the lengths is the number of ranks. Consecutive ranks are
 * neighbours in dimension 0, where the first part begins. */
struct chorale_torus {
    int ndim, length[CHORALE_MAX_DIM];
    int turn; /* 1: one part per dimension, each starting with another one; 0:
               * one part */
    int both; /* 1: half of each part runs in either direction */
    int scatter; /* 1: only the reduce-scatters: each rank ends with a piece of
                  * every part */
};

/* Set *torus to the most nearly cubic torus; returns 1, or 0 if some length
 * would be 1. */
int chorale_torus_cubic(struct chorale_torus *torus, int size, int ndim);

/* Run an allreduce's call; commutative operations only. One part has one
 * message in flight, several parts have one each. Returns an MPI error code. */
int chorale_nested_rings(const struct chorale_call *call,
                         const struct chorale_torus *torus);

/* With scatter: number of elements in this rank's piece of part number part,
 * for a vector of count elements; *first is its offset. parts: number of
 * parts. */
MPI_Count chorale_nested_rings_piece(const struct chorale_torus *torus,
                                     MPI_Count count, int rank, int part,
                                     MPI_Count *first);
int chorale_nested_rings_parts(const struct chorale_torus *torus);

/* Critical path and scratch. Exact for one part, because the largest block
 * travels all the way. With k parts it is an upper bound of 4/3 k messages per
 * round. In the best order one port would need k, but messages are served in
 * the order posted, so they wait for each other. The wait was at most one third
 * in all schedules that were simulated, and largest where both latency and
 * bytes matter. */
int chorale_nested_rings_cost(const struct chorale_point *pt,
                              const struct chorale_torus *torus,
                              struct chorale_term *term);
size_t chorale_nested_rings_scratch(const struct chorale_point *pt,
                                    const struct chorale_torus *torus);

#endif
