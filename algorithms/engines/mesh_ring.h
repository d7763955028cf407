/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_ring.h - a ring through all ranks of a mesh. */
#ifndef CHORALE_ALGORITHMS_MESH_RING_H
#define CHORALE_ALGORITHMS_MESH_RING_H

/* order[rows * cols]: the ranks, which count row by row, such that each and
 * the next, and the last and the first, are neighbours, with the first one at
 * rank 0: along the rows forth and back, and home by the first column, which
 * the rows leave free. With an odd number of ranks no such ring exists (a mesh
 * has its neighbours in two colours); then one step of it goes across a
 * corner. A single row or column is taken in its order. */
void chorale_mesh_ring(int rows, int cols, int *order);

#endif
