/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_table.h - sums by key, and the rows that processes exchange. No
 * locks: the caller sees to it that one thread at a time is here. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_TABLE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_TABLE_H

#include "algorithms/dispatch/trace/trace_key.h"

struct chorale_trace_cell {
    struct chorale_trace_key key;
    uint64_t calls;          /* 0: free */
    uint64_t ticks, bytes;
};

struct chorale_trace_table {
    struct chorale_trace_cell *cell;
    size_t size, used;       /* size: a power of two, or 0 */
    struct chorale_trace_cell *last[CHORALE_NCOLL]; /* looked up */
    uint64_t unlisted, unlisted_ticks;
};

/* One call of that key. What finds no room is counted as unlisted. */
void chorale_trace_table_add(struct chorale_trace_table *table,
                             const struct chorale_trace_key *key,
                             uint64_t ticks, uint64_t bytes);

void chorale_trace_table_release(struct chorale_trace_table *table);

/* A key that means the same in every process, and what it sums up to. The
 * first five fields, compared as bytes, are the key: no holes. */
struct chorale_trace_row {
    uint64_t n;
    int32_t comm_size;
    uint8_t coll, type, op, root;
    uint8_t shape, unused[7];
    char ran[CHORALE_TRACE_RAN]; /* filled up with 0 */
    uint64_t rank_calls, bytes;
    double seconds, max_seconds;
};

struct chorale_trace_rows {
    struct chorale_trace_row *row; /* sorted by key, each once */
    size_t n;
    uint64_t unlisted;
    double unlisted_seconds;
};

/* The table as rows; tick: seconds of a tick. Without memory all is unlisted.
 * Free rows->row. */
void chorale_trace_rows_of(const struct chorale_trace_table *table,
                           double tick, struct chorale_trace_rows *rows);

/* Add other's to mine; without memory other's rows become unlisted. */
void chorale_trace_rows_merge(struct chorale_trace_rows *mine,
                              const struct chorale_trace_rows *other);

#endif
