/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.h - create communicators for the runner.
 *
 * The functions return MPI error codes. On a real machine they are those of MPI
 * with these names.
 *
 * In simulation a duplicate and a grid are the communicator itself, so contexts
 * on them need different tags. A new communicator would cost each rank memory
 * for P ranks, and the search described next.
 *
 * Some libraries that SimGrid simulates (mpich, mvapich2, impi) search for the
 * ranks of a node in the first collective on a communicator:
 * - The search deadlocks if sends wait for their receives and a node has 3 or 6
 *   ranks. Therefore sends that are posted while any rank searches do not wait.
 *   Measured sends follow the network model of the campaign.
 * - The search sends 2 P^2 messages. The preloaded runners/launch/node_search.c
 *   sends P log P instead. */
#ifndef CHORALE_RUNNERS_MEASURE_COMM_CREATE_H
#define CHORALE_RUNNERS_MEASURE_COMM_CREATE_H

#include <mpi.h>

int chorale_comm_dup(MPI_Comm from, MPI_Comm *to);

int chorale_comm_split(MPI_Comm from, int color, int key, MPI_Comm *to);

/* MPI_Comm_split_type with MPI_COMM_TYPE_SHARED: one communicator per node. */
int chorale_comm_split_node(MPI_Comm from, int key, MPI_Comm *to);

/* MPI_Cart_create; the library may reorder the ranks, which SimGrid does not
 * do. */
int chorale_comm_cart(MPI_Comm from, int dims, const int *length,
                      const int *period, MPI_Comm *to);

/* In simulation let the library search for the nodes of comm, before its
 * collectives are measured; elsewhere no effect. Collective. */
int chorale_comm_search(MPI_Comm comm);

#endif /* CHORALE_RUNNERS_MEASURE_COMM_CREATE_H */
