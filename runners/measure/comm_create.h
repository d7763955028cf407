/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.h - new communicators of the runner.
 *
 * As MPI's calls of these names, and all return its codes. In simulation a
 * library that looks for the ranks of a node (mpich, mvapich2, impi) does so
 * in the first collective on every communicator, and SimGrid deadlocks there
 * if sends wait for their receives and a node has 3 or 6 ranks. So sends that
 * are posted while any rank is in one of these calls do not wait; what is
 * measured later is sent as the network of the campaign says.
 *
 * That look costs P^2 messages: make few, at P = 512 each takes seconds. */
#ifndef CHORALE_RUNNERS_MEASURE_COMM_CREATE_H
#define CHORALE_RUNNERS_MEASURE_COMM_CREATE_H

#include <mpi.h>

int chorale_comm_dup(MPI_Comm from, MPI_Comm *to);

int chorale_comm_split(MPI_Comm from, int color, int key, MPI_Comm *to);

/* MPI_Comm_split_type with MPI_COMM_TYPE_SHARED: the ranks of a node. */
int chorale_comm_split_node(MPI_Comm from, int key, MPI_Comm *to);

#endif /* CHORALE_RUNNERS_MEASURE_COMM_CREATE_H */
