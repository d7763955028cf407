/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_ring.h - a Hamiltonian cycle (ring) through all ranks of a mesh. */
#ifndef CHORALE_ALGORITHMS_ENGINES_MESH_RING_H
#define CHORALE_ALGORITHMS_ENGINES_MESH_RING_H

/* Fills order[rows * cols] with the ranks, which are numbered row by row, in
 * ring order starting at rank 0. Consecutive ranks, and the last and the first,
 * are neighbours in the mesh. The ring follows the rows forth and back and
 * returns along the first column.
 *
 * No such ring exists for an odd number of ranks, because a mesh is bipartite.
 * One step then passes straight over a rank that the ring crosses at a right
 * angle, so this step shares no link with another one. For 3 x 3 even this is
 * impossible: one step goes around a corner and shares a link in each
 * direction. A ring takes twice as long there, or 1.5 times as long if a link
 * carries only one direction at a time. A single row or column is taken in
 * order. */
void chorale_mesh_ring(int rows, int cols, int *order);

#endif
