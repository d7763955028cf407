/* SPDX-License-Identifier: BSD-3-Clause */
/* row_pack.h - rows of a database as bytes, which one rank sends to another:
 * what rank 0 knows of a launch, and what its group has stored. */
#ifndef CHORALE_RUNNERS_LAUNCH_ROW_PACK_H
#define CHORALE_RUNNERS_LAUNCH_ROW_PACK_H

#include "db/byte_buffer.h"
#include "runners/measure/runner.h"

struct chorale_rowbuf {
    struct chorale_rowbuf *next; /* of a list, while it is under way */
    MPI_Request request;
    struct chorale_bytes bytes;
};

/* An empty one; NULL: out of memory. To be freed, NULL does nothing. */
struct chorale_rowbuf *chorale_rowbuf_new(void);
void chorale_rowbuf_free(struct chorale_rowbuf *p);

/* More bytes, or a number. */
void chorale_rowbuf_add(struct chorale_rowbuf *p, const void *data,
                        size_t bytes);
void chorale_rowbuf_add_int(struct chorale_rowbuf *p, int value);

/* What a store in memory has of a launch: its row and its runs, and with facts
 * its environment. CHORALE_ENV: out of memory. */
enum chorale_err chorale_rowbuf_add_runs(struct chorale_rowbuf *p,
                                         struct chorale_store *store, int facts,
                                         struct chorale_errmsg *msg);
/* What a store in memory needs, so that all it stores of a launch is known by
 * UUIDs: the launch with its facts so far, its campaign and system, and those
 * of work's cells. CHORALE_ENV: out of memory, or the database fails. */
enum chorale_err chorale_rowbuf_add_plan(struct chorale_rowbuf *p,
                                         struct chorale_store *store,
                                         const struct chorale_worklist *work,
                                         struct chorale_errmsg *msg);

/* A store in memory that chorale_rowbuf_add_plan() may go to: of campaigns and
 * cells it keeps the UUIDs alone. */
enum chorale_err chorale_rowbuf_store(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg);
/* Forget the runs that are in a parcel. */
enum chorale_err chorale_rowbuf_forget(struct chorale_store *store,
                                       struct chorale_errmsg *msg);

/* Store all rows of a parcel, or none. Runs get numbers of that store.
 * CHORALE_ENV: it did not come whole, or the database fails. */
enum chorale_err chorale_rowbuf_unpack(struct chorale_store *store,
                                       const char *byte, int len,
                                       struct chorale_errmsg *msg);

#endif
