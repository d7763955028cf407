/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_ring.h - a ring through all ranks of a mesh. */
#ifndef CHORALE_ALGORITHMS_ENGINES_MESH_RING_H
#define CHORALE_ALGORITHMS_ENGINES_MESH_RING_H

/* order[rows * cols]: the ranks, which count row by row, such that each and
 * the next, and the last and the first, are neighbours, with the first one at
 * rank 0: along the rows forth and back, and home by the first column, which
 * the rows leave free. With an odd number of ranks no such ring exists (a mesh
 * has its neighbours in two colours). Then one step goes straight over a rank
 * that the ring passes crosswise, so that it shares its links with no other
 * step. Of 3 x 3 there is not even that: one step goes across a corner and
 * shares a link each way, and a ring takes twice as long there (where a link
 * carries one direction at a time, half as long again). A single row or column
 * is taken in its order. */
void chorale_mesh_ring(int rows, int cols, int *order);

#endif
