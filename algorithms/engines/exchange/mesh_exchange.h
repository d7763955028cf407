/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_exchange.h - alltoall along one dimension of a mesh after the other.
 *
 * In each dimension, the ranks that differ only in that coordinate exchange all
 * blocks whose destination lies there. Ranks are numbered along the last
 * dimension first. Blocks are stored in an array ordered by destination. Each
 * phase replaces one coordinate of the index by that of the source, so that
 * blocks end up ordered by source.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_MESH_EXCHANGE_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_MESH_EXCHANGE_H

#include <limits.h>

#include "algorithms/alg.h"

#define CHORALE_MESH_MAX_DIM 31

/* Dimensions, each at least 2, with product comm_size; ndim is 0 for one
 * rank. */
struct chorale_mesh {
    int ndim;
    int dim[CHORALE_MESH_MAX_DIM];
};

/* Split size into ndim (2 or 3) dimensions; wanted has the first ndim - 1
 * lengths, 0: the divisor nearest to the root of size. Returns NULL, or the
 * reason for failure (a static string). */
const char *chorale_mesh_init(struct chorale_mesh *mesh, int size, int ndim,
                              const long *wanted);

/* Reason why a point's parameters do not form a mesh of its processes, or
 * NULL. */
const char *chorale_mesh_refuses(const struct chorale_point *pt, int ndim);

/* The largest divisor d of p with d^power <= p that leaves a mesh of the other
 * power - 1 dimensions: the shorter side of the most square mesh (power 2), or
 * the shortest side of the most cubic one (power 3). 1 if no other divisor
 * fits. */
int chorale_mesh_side(int p, int power);

/* A parameter that is a length, with n candidates. Divisors of P are candidates
 * too; for columns in the full set only. */
enum { CHORALE_NMESH_LENGTH = 6 };
extern const long chorale_mesh_lengths[CHORALE_NMESH_LENGTH];
#define CHORALE_MESH_PARAM_BY(word, what, n, when)                           \
    {                                                                        \
        .name = word, .unit = what, .def = 0, .min = 0, .max = INT_MAX,      \
        .candidate = chorale_mesh_lengths, .ncandidate = n,                  \
        .by = CHORALE_BY_SIDES | (when)                                      \
    }
#define CHORALE_MESH_PARAM(word, what, n)                                    \
    CHORALE_MESH_PARAM_BY(word, what, n, 0)

/* A hypercube; size is a power of two: lg size dimensions of length 2. */
void chorale_mesh_init_cube(struct chorale_mesh *mesh, int size);

/* Run the alltoall; works in place. Returns an MPI error code. */
int chorale_mesh_exchange(const struct chorale_call *call,
                          const struct chorale_mesh *mesh);

/* Cost, exact: d - 1 messages of comm_size/d blocks in a dimension of length d;
 * and bytes of scratch. */
int chorale_cost_mesh(const struct chorale_mesh *mesh,
                      const struct chorale_point *pt,
                      struct chorale_term *term);
size_t chorale_scratch_mesh(const struct chorale_mesh *mesh,
                            const struct chorale_point *pt);

/* run, cost and scratch for a mesh of ndim dimensions given by the
 * parameters. */
int chorale_alltoall_mesh_run(const struct chorale_call *call, int ndim);
int chorale_alltoall_mesh_cost(const struct chorale_point *pt, int ndim,
                               struct chorale_term *term);
size_t chorale_alltoall_mesh_scratch(const struct chorale_point *pt,
                                     int ndim);

#endif
