/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_exchange.h - alltoall in the dimensions of a mesh, one after the other:
 * in each, ranks that differ in that coordinate alone exchange all blocks
 * whose destination lies there. Ranks count along the last dimension first.
 *
 * Blocks lie in an array by destination. A phase turns one coordinate of the
 * index from the destination's to the source's, so that after the last one
 * they lie by source.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_MESH_EXCHANGE_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_MESH_EXCHANGE_H

#include <limits.h>

#include "algorithms/alg.h"

#define CHORALE_MESH_MAX_DIM 31

/* The dimensions, each 2 or more, product comm_size (comm_size 1: ndim 0). */
struct chorale_mesh {
    int ndim;
    int dim[CHORALE_MESH_MAX_DIM];
};

/* size in ndim (2 or 3) dimensions of which the first ndim - 1 are wanted; 0:
 * as near to the root of size as divisors go. Returns NULL, or why there is
 * none (a static string). */
const char *chorale_mesh_init(struct chorale_mesh *mesh, int size, int ndim,
                              const long *wanted);

/* Why a point's parameters are no mesh of its processes, or NULL. */
const char *chorale_mesh_refuses(const struct chorale_point *pt, int ndim);

/* The largest divisor d of p with d^power <= p that leaves a mesh of the other
 * power - 1 dimensions: the shorter side of the most square mesh (power 2), the
 * shortest of the most cubic one (3). 1 if there is none. */
int chorale_mesh_side(int p, int power);

/* A parameter that is a length, with n candidates: of rows, and of columns,
 * whose lengths that fit P are in the full set only. */
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

/* size is a power of two: lg size dimensions of two. */
void chorale_mesh_init_cube(struct chorale_mesh *mesh, int size);

/* The alltoall; works in place. Returns an MPI error code. */
int chorale_mesh_exchange(const struct chorale_call *call,
                          const struct chorale_mesh *mesh);

/* Exact: in a dimension of d, d - 1 messages of comm_size/d blocks. */
int chorale_cost_mesh(const struct chorale_mesh *mesh,
                      const struct chorale_point *pt,
                      struct chorale_term *term);
size_t chorale_scratch_mesh(const struct chorale_mesh *mesh,
                            const struct chorale_point *pt);

/* Run, cost and scratch of a mesh of ndim dimensions by its parameters. */
int chorale_alltoall_mesh_run(const struct chorale_call *call, int ndim);
int chorale_alltoall_mesh_cost(const struct chorale_point *pt, int ndim,
                               struct chorale_term *term);
size_t chorale_alltoall_mesh_scratch(const struct chorale_point *pt,
                                     int ndim);

#endif
