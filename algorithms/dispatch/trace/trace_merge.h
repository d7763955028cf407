/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_merge.h - the ranks' traces summed up on one of them. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_MERGE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_MERGE_H

#include "algorithms/dispatch/trace/trace_table.h"

struct chorale_trace_sum {
    struct chorale_trace_rows rows;
    double wall, wall_max;   /* s: summed, and the longest */
    int64_t ranks;           /* that traced */
};

/* Collective over MPI_COMM_WORLD, in a tree of ceil(lg P) rounds: on rank
 * writer sum becomes that of all. Returns NULL, or why it could not be done
 * (static). */
const char *chorale_trace_merge(int writer, struct chorale_trace_sum *sum);

#endif
