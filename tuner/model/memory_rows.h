/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_rows.h - times of single operations in the memory of a node, measured
 * by each launch (runners/measure/memory_times.c). They are rows of the fit in
 * addition to the cells. Times of messages over their sizes give the size
 * regimes of messages inside a node. */
#ifndef CHORALE_TUNER_MODEL_MEMORY_ROWS_H
#define CHORALE_TUNER_MODEL_MEMORY_ROWS_H

#include "db/store.h"
#include "tuner/model/network.h"

enum chorale_memory_kind {
    CHORALE_MEMORY_MESSAGE,  /* rank 0 to rank 1 */
    CHORALE_MEMORY_EXCHANGE, /* ranks 0 and 1 send to each other at once */
    CHORALE_MEMORY_COPY      /* each rank inside its own memory */
};
#define CHORALE_MEMORY_KINDS 3

/* One time of one launch. */
struct chorale_memory_row {
    enum chorale_memory_kind kind;
    size_t bytes;
    int ordinal;             /* of the launch in its campaign */
    double seconds;          /* > 0, until the last rank has finished */
};

/* Load the times of a system, ordered by kind, bytes, ordinal and seconds. The
 * caller frees *row_p, which is NULL if no launch recorded such times.
 * CHORALE_DATA, CHORALE_ENV: the database cannot be read. */
enum chorale_err chorale_memory_rows_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_memory_row **row_p,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg);

/* A schedule of two ranks on one node that is the operation alone, without cold
 * bytes. NULL: out of memory. */
struct chorale_score *chorale_memory_recording(enum chorale_memory_kind kind,
                                               size_t bytes);

/* Split the sizes bytes[n] (ascending), with times seconds[n], into regimes of
 * at least two sizes, each with a line alpha + beta bytes. The split minimises
 * the sum of the lines' relative errors plus CHORALE_MEMORY_WORTH for each
 * regime. upto[CHORALE_NET_REGIMES] receives the upper limits, the last one
 * HUGE_VAL. Returns the number of regimes; 0 with fewer than two sizes, or more
 * than CHORALE_NET_REGIMES. */
int chorale_memory_regimes(const double *bytes, const double *seconds,
                           size_t n, double *upto);
#define CHORALE_MEMORY_WORTH 0.15

#endif
