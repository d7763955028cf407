/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_merge.h - sums up the traces of all ranks on one rank. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_MERGE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_MERGE_H

#include "algorithms/dispatch/trace/trace_table.h"

struct chorale_trace_sum {
    struct chorale_trace_rows rows;
    double wall, wall_max;   /* seconds: sum, and maximum */
    int64_t ranks;           /* ranks that traced */
};

/* A communicator over the ranks of MPI_COMM_WORLD for the trace's own messages,
 * which returns errors; MPI_COMM_NULL on failure. Collective over
 * MPI_COMM_WORLD. The caller frees it.
 *
 * ending  1 in MPI_Finalize. Before, MPI_COMM_WORLD keeps a handler that reads
 *         as MPI_ERRORS_ARE_FATAL, which could not be restored (world_dup.h):
 *         a failure then ends the program. */
MPI_Comm chorale_trace_merge_comm(int ending);

/* Sum up the traces of all ranks in sum on rank writer, in ceil(lg P) rounds.
 * Collective over comm, of chorale_trace_merge_comm(). Returns NULL, or the
 * reason of a failure (static string). */
const char *chorale_trace_merge(MPI_Comm comm, int writer,
                                struct chorale_trace_sum *sum);

#endif
