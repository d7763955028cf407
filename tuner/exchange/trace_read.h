/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_read.h - parse and validate a file written by CHORALE_TRACE; the format
 * is described in algorithms/dispatch/trace/trace.h. */
#ifndef CHORALE_TUNER_EXCHANGE_TRACE_READ_H
#define CHORALE_TUNER_EXCHANGE_TRACE_READ_H

#include <stddef.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/trace/trace_format.h"
#include "db/store.h"

struct chorale_traced {
    enum chorale_coll coll;
    long long n, msg_size;   /* bytes */
    long long rank_calls;
    int comm_size;
    const char *shape, *dtype, *op, *root; /* spelled as in the database */
    char ran[CHORALE_TRACE_RAN];
    double calls, seconds, max_seconds;
    double skew, late, trend; /* as in trace.h; NAN: unknown */
    int latest;              /* rank that enters last; -1: unknown */
    int line;                /* of the file */
};

struct chorale_trace_text {
    char uuid[CHORALE_UUID_SIZE]; /* derived from the content */
    char mpi_library[256], program[256], started[32], part[128];
    long long unlisted;
    int comm_size, ranks;
    int launched;            /* processes that the launcher started */
    int node_ranks, processors; /* of a node with more ranks than processors,
                              * else 0 */
    int part_rank;           /* -1: the file is not a part of a trace */
    double wall_mean, wall_max, unlisted_seconds;
    struct chorale_traced *point;
    size_t npoint;
};

/* Read a file. CHORALE_DATA: msg names file and line; CHORALE_ENV: it cannot be
 * read. Call chorale_trace_release() in either case. */
enum chorale_err chorale_trace_read(const char *path,
                                    struct chorale_trace_text *trace,
                                    struct chorale_errmsg *msg);
void chorale_trace_release(struct chorale_trace_text *trace);

#endif
