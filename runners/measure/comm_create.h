/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.h - create communicators for the runner.
 *
 * The functions are those of MPI with these names, and return its error codes.
 * In simulation some libraries (mpich, mvapich2, impi) search for the ranks of
 * a node in the first collective on a new communicator. SimGrid deadlocks there
 * if sends wait for their receives and a node has 3 or 6 ranks. Therefore sends
 * that are posted while any rank is in one of these functions do not wait;
 * measured sends follow the network model of the campaign.
 *
 * That search costs P^2 messages, some seconds at P = 512, so create few
 * communicators. */
#ifndef CHORALE_RUNNERS_MEASURE_COMM_CREATE_H
#define CHORALE_RUNNERS_MEASURE_COMM_CREATE_H

#include <mpi.h>

int chorale_comm_dup(MPI_Comm from, MPI_Comm *to);

int chorale_comm_split(MPI_Comm from, int color, int key, MPI_Comm *to);

/* MPI_Comm_split_type with MPI_COMM_TYPE_SHARED: one communicator per node. */
int chorale_comm_split_node(MPI_Comm from, int key, MPI_Comm *to);

#endif /* CHORALE_RUNNERS_MEASURE_COMM_CREATE_H */
