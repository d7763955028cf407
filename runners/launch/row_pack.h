/* SPDX-License-Identifier: BSD-3-Clause */
/* row_pack.h - pack database rows into bytes that one rank sends to another: a
 * launch's plan from rank 0, or the results of a group. */
#ifndef CHORALE_RUNNERS_LAUNCH_ROW_PACK_H
#define CHORALE_RUNNERS_LAUNCH_ROW_PACK_H

#include "db/byte_buffer.h"
#include "runners/measure/runner.h"

struct chorale_rowbuf {
    struct chorale_rowbuf *next; /* in the list of pending sends */
    MPI_Request request;
    struct chorale_bytes bytes;
};

/* Make one; NULL: out of memory. Freeing NULL does nothing. */
struct chorale_rowbuf *chorale_rowbuf_new(void);
void chorale_rowbuf_free(struct chorale_rowbuf *p);

/* Append bytes; an int. */
void chorale_rowbuf_add(struct chorale_rowbuf *p, const void *data,
                        size_t bytes);
void chorale_rowbuf_add_int(struct chorale_rowbuf *p, int value);

/* Append the launch of a store in memory: its row, runs and, with facts, its
 * environment. CHORALE_ENV: out of memory. */
enum chorale_err chorale_rowbuf_add_runs(struct chorale_rowbuf *p,
                                         struct chorale_store *store, int facts,
                                         struct chorale_errmsg *msg);
/* Append the rows to which a launch's results refer: the launch with its facts
 * so far, its system, and the UUIDs of its campaign and of work's cells.
 * CHORALE_ENV: out of memory, or the database fails. */
enum chorale_err chorale_rowbuf_add_plan(struct chorale_rowbuf *p,
                                         struct chorale_store *store,
                                         const struct chorale_worklist *work,
                                         struct chorale_errmsg *msg);

/* Make a store in memory for a packed plan; of campaigns and cells it has only
 * ids and UUIDs. */
enum chorale_err chorale_rowbuf_store(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg);
/* Delete all runs, once packed. */
enum chorale_err chorale_rowbuf_delete_runs(struct chorale_store *store,
                                            struct chorale_errmsg *msg);

/* Store all rows of byte[len], or none. Runs get new ids in this store.
 * CHORALE_ENV: the bytes are truncated, or the database fails. */
enum chorale_err chorale_rowbuf_unpack(struct chorale_store *store,
                                       const char *byte, int len,
                                       struct chorale_errmsg *msg);

#endif
