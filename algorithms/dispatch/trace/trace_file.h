/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_file.h - a trace as text: see trace.h. No MPI. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FILE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FILE_H

#include <time.h>

#include "algorithms/dispatch/trace/trace_table.h"

struct chorale_trace_head {
    const char *mpi_library; /* the first line counts */
    time_t started;
    int comm_size, ranks;
    int part_rank;           /* with part */
    const char *part;        /* why it is a part; NULL: it is whole */
    double wall_mean, wall_max; /* s */
};

/* The absolute path that text means now, with two words after it, or NULL
 * (*why: static). Free it. */
char *chorale_trace_path(const char *text, const char *suffix,
                         const char *more, const char **why);

/* Where a part goes: path.rankR, or NULL: out of memory. Free it. */
char *chorale_trace_part_path(const char *path, int rank);

/* NULL if path can be written, by making a file beside it and removing that,
 * else why not (static). */
const char *chorale_trace_try(const char *path);

/* Write, to a file beside it that then takes its place. NULL, or why not. */
const char *chorale_trace_write(const char *path,
                                const struct chorale_trace_head *head,
                                const struct chorale_trace_rows *rows);

#endif
