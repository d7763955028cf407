/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_table.h - sums by key, and the rows that processes exchange. Not
 * thread-safe: the caller locks. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_TABLE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_TABLE_H

#include "algorithms/dispatch/trace/trace_key.h"

struct chorale_trace_cell {
    struct chorale_trace_key key;
    uint64_t calls;          /* 0: unused cell */
    uint64_t ticks, bytes;
    uint64_t entered;        /* sum over the calls of the time of entry, in
                              * units of CHORALE_TRACE_ENTERED ticks */
};

/* Ticks in a unit of the time of entry, so that the sum over 10^7 calls in
 * hours fits into 64 bits. */
#define CHORALE_TRACE_ENTERED 64

struct chorale_trace_table {
    struct chorale_trace_cell *cell;
    size_t size, used;       /* size: a power of two, or 0 */
    struct chorale_trace_cell *last[CHORALE_NCOLL]; /* cell of the last call */
    uint64_t unlisted, unlisted_ticks;
};

/* Count one call with that key. entered: ticks from the start of the trace to
 * the call. Without memory, or if the table has its largest size and is full,
 * the call is counted as unlisted. */
void chorale_trace_table_add(struct chorale_trace_table *table,
                             const struct chorale_trace_key *key,
                             uint64_t ticks, uint64_t bytes,
                             uint64_t entered);

void chorale_trace_table_release(struct chorale_trace_table *table);

/* When ranks enter the calls of a row. Each rank contributes the mean of its
 * times of entry, in s of the common clock. */
struct chorale_trace_entry {
    double sum, rank_sum;    /* over ranks; rank_sum: of mean times rank */
    double first, last;      /* smallest and largest mean */
    uint64_t calls;          /* of each rank */
    int32_t ranks;           /* 0: unknown */
    int32_t latest;          /* rank with the largest mean */
};

/* Clock of a process. tick: s per tick. begin: the common clock at tick 0, s;
 * NAN: unknown. rate: s of the common clock in 1 s of this process. */
struct chorale_trace_rate {
    double tick, begin, rate;
    int rank;                /* in MPI_COMM_WORLD */
};

/* A row has a key that is the same in every process, and its sums. The fields
 * before rank_calls are the key; they are compared as bytes, without
 * padding. */
struct chorale_trace_row {
    uint64_t n;
    int32_t comm_size;
    uint8_t coll, type, op, root;
    uint8_t shape, unused[7];
    char ran[CHORALE_TRACE_RAN]; /* padded with 0 */
    uint64_t rank_calls, bytes;
    double seconds, max_seconds;
    struct chorale_trace_entry entry;
};

struct chorale_trace_rows {
    struct chorale_trace_row *row; /* sorted by key; keys are unique */
    size_t n;
    uint64_t unlisted;
    double unlisted_seconds;
};

/* Convert the table to rows. Without memory all calls are unlisted. The caller
 * frees rows->row. */
void chorale_trace_rows_of(const struct chorale_trace_table *table,
                           const struct chorale_trace_rate *rate,
                           struct chorale_trace_rows *rows);

/* How late ranks enter the calls of a row, as explained in trace.h. ranks: size
 * of MPI_COMM_WORLD. Returns 1, or 0 if the arrival is unknown, as for smaller
 * communicators. */
struct chorale_trace_arrival {
    double skew, late, trend;
    int latest;
};
int chorale_trace_arrival_of(const struct chorale_trace_row *row, int ranks,
                             struct chorale_trace_arrival *arrival);

/* Add other to mine. Without memory, or with too many rows, the rows of other
 * become unlisted. other is unchanged. */
void chorale_trace_rows_merge(struct chorale_trace_rows *mine,
                              const struct chorale_trace_rows *other);

#endif
