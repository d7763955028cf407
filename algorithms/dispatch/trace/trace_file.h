/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_file.h - writes a trace as text; the format is in trace.h. Calls no
 * MPI function. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FILE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FILE_H

#include <time.h>

#include "algorithms/dispatch/trace/trace_table.h"

struct chorale_trace_head {
    const char *mpi_library; /* only the first line is written */
    time_t started;
    int comm_size, ranks;
    long launched;           /* processes that the launcher started */
    int node_ranks, processors; /* of the writing rank's node; 0: unknown */
    int part_rank;           /* rank, if part is set */
    const char *part;        /* why the file is of one rank; NULL: it is
                              * complete */
    double wall_mean, wall_max; /* seconds */
};

/* Absolute path of text, relative to the present working directory, with
 * suffix and more appended. NULL on failure (*why: static string or text of
 * errno). The caller frees it. */
char *chorale_trace_path(const char *text, const char *suffix,
                         const char *more, const char **why);

/* Path of one rank's file: path.rankR; NULL without memory. The caller frees
 * it. */
char *chorale_trace_part_path(const char *path, int rank);

/* NULL if path can be written, else the reason. Tested by making and removing
 * a file beside it. */
const char *chorale_trace_try(const char *path);

/* Write a temporary file and rename it to path. Returns NULL, or the reason. */
const char *chorale_trace_write(const char *path,
                                const struct chorale_trace_head *head,
                                const struct chorale_trace_rows *rows);

#endif
