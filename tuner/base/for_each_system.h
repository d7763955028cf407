/* SPDX-License-Identifier: BSD-3-Clause */
/* for_each_system.h - what `fit` and `decide` share: a step for one system or for
 * all of a database, shown as text or as one JSON document. */
#ifndef CHORALE_TUNER_BASE_FOR_EACH_SYSTEM_H
#define CHORALE_TUNER_BASE_FOR_EACH_SYSTEM_H

#include <jansson.h>

#include "db/systems.h"

struct chorale_each_opts {
    const char *system;      /* NULL: all */
    int json, quiet;
};

/* One system. list is the JSON array to append to, NULL for text. */
typedef enum chorale_err chorale_each_fn(
    struct chorale_store *store, const struct chorale_system_row *system,
    const void *arg, json_t *list, struct chorale_errmsg *msg);

/* Open the database at path for writing and call fn for its systems in name
 * order, up to the first that fails. */
enum chorale_err chorale_each_system(const char *path,
                                     const struct chorale_each_opts *opts,
                                     chorale_each_fn *fn, const void *arg,
                                     struct chorale_errmsg *msg);

/* Replace the rows that a system has in a table, all or none: begin takes the
 * write lock, deletes them by remove (its ?1 is the system) and prepares
 * insert; end commits if err is CHORALE_OK and rolls back otherwise. Every
 * begin, also one that failed, has its end. */
enum chorale_err chorale_replace_begin(struct chorale_store *store,
                                       const char *remove,
                                       sqlite3_int64 system_id,
                                       const char *insert,
                                       sqlite3_stmt **insert_p,
                                       struct chorale_errmsg *msg);
enum chorale_err chorale_replace_end(struct chorale_store *store,
                                     sqlite3_stmt *insert,
                                     enum chorale_err err,
                                     struct chorale_errmsg *msg);

#endif
