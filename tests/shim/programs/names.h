/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h - compiles one source into several programs: with MPI's names, with
 * large-count functions (-DLARGE), or with libchorale's functions
 * (-DLIBCHORALE). Counts and displacements are arrays of count_t and
 * displ_t. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_NAMES_H
#define CHORALE_TESTS_SHIM_PROGRAMS_NAMES_H

#include <mpi.h>

#ifdef LARGE
typedef MPI_Count count_t;
typedef MPI_Aint displ_t;
#define MPI_Bcast MPI_Bcast_c
#define MPI_Reduce MPI_Reduce_c
#define MPI_Allreduce MPI_Allreduce_c
#define MPI_Reduce_scatter_block MPI_Reduce_scatter_block_c
#define MPI_Reduce_scatter MPI_Reduce_scatter_c
#define MPI_Scan MPI_Scan_c
#define MPI_Exscan MPI_Exscan_c
#define MPI_Gather MPI_Gather_c
#define MPI_Gatherv MPI_Gatherv_c
#define MPI_Scatter MPI_Scatter_c
#define MPI_Scatterv MPI_Scatterv_c
#define MPI_Allgather MPI_Allgather_c
#define MPI_Allgatherv MPI_Allgatherv_c
#define MPI_Alltoall MPI_Alltoall_c
#define MPI_Alltoallv MPI_Alltoallv_c
#else
typedef int count_t;
typedef int displ_t;
#endif

#ifdef LIBCHORALE
#include <chorale.h>
#define MPI_Barrier chorale_barrier
#define MPI_Bcast chorale_bcast
#define MPI_Reduce chorale_reduce
#define MPI_Allreduce chorale_allreduce
#define MPI_Reduce_scatter_block chorale_reduce_scatter_block
#define MPI_Reduce_scatter chorale_reduce_scatter
#define MPI_Scan chorale_scan
#define MPI_Exscan chorale_exscan
#define MPI_Gather chorale_gather
#define MPI_Gatherv chorale_gatherv
#define MPI_Scatter chorale_scatter
#define MPI_Scatterv chorale_scatterv
#define MPI_Allgather chorale_allgather
#define MPI_Allgatherv chorale_allgatherv
#define MPI_Alltoall chorale_alltoall
#define MPI_Alltoallv chorale_alltoallv
#endif

#endif
