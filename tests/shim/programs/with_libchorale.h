/* SPDX-License-Identifier: BSD-3-Clause */
/* with_libchorale.h - included before a program of this folder: makes it call
 * libchorale instead of MPI, where a shim cannot be preloaded. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_WITH_LIBCHORALE_H
#define CHORALE_TESTS_SHIM_PROGRAMS_WITH_LIBCHORALE_H

#include "algorithms/dispatch/chorale.h"

#define MPI_Allgather chorale_allgather
#define MPI_Allgatherv chorale_allgatherv
#define MPI_Allreduce chorale_allreduce
#define MPI_Alltoall chorale_alltoall
#define MPI_Alltoallv chorale_alltoallv
#define MPI_Barrier chorale_barrier
#define MPI_Bcast chorale_bcast
#define MPI_Exscan chorale_exscan
#define MPI_Gather chorale_gather
#define MPI_Gatherv chorale_gatherv
#define MPI_Reduce chorale_reduce
#define MPI_Reduce_scatter chorale_reduce_scatter
#define MPI_Reduce_scatter_block chorale_reduce_scatter_block
#define MPI_Scan chorale_scan
#define MPI_Scatter chorale_scatter
#define MPI_Scatterv chorale_scatterv

#endif
