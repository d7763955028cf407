/* SPDX-License-Identifier: BSD-3-Clause */
/* for_each_system.h - run a stage (`fit`, `decide`) for one system of a
 * database or for all, with output as text or as one JSON document. */
#ifndef CHORALE_TUNER_BASE_FOR_EACH_SYSTEM_H
#define CHORALE_TUNER_BASE_FOR_EACH_SYSTEM_H

#include <jansson.h>

#include "db/systems.h"

struct chorale_each_opts {
    const char *system;      /* name; NULL: all systems */
    int json, quiet;
    int reads;               /* 1: a database that may not be written is opened
                              * for reading; the stage must then store nothing
                              * (chorale_store_reads) */
};

/* The stage for one system. It appends its result to the JSON array list, or
 * prints text if list is NULL. */
typedef enum chorale_err chorale_each_fn(
    struct chorale_store *store, const struct chorale_system_row *system,
    const void *arg, json_t *list, struct chorale_errmsg *msg);

/* Open the database at path for writing, unless opts->reads applies, and call
 * fn for each selected system in name order. Stops at the first error and
 * returns it. */
enum chorale_err chorale_each_system(const char *path,
                                     const struct chorale_each_opts *opts,
                                     chorale_each_fn *fn, const void *arg,
                                     struct chorale_errmsg *msg);

/* Replace all rows of a system in one table, in one transaction.
 * chorale_replace_begin() takes the write lock, deletes the rows by the SQL
 * statement remove and prepares insert; ?1 of both is system_id.
 * chorale_replace_end() commits if err is CHORALE_OK, else rolls back. Call
 * it after every begin, also after one that failed. */
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
