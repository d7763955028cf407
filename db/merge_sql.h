/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_sql.h - SQL helpers of a merge (merge.c), on target's connection with
 * the shard attached. Each writes a message on failure, and sets stop if target
 * is no longer usable. */
#ifndef CHORALE_DB_MERGE_SQL_H
#define CHORALE_DB_MERGE_SQL_H

#include <stddef.h>

#include "db/store.h"

struct chorale_merge_watch;

struct merge {
    struct chorale_store *store;
    const char *into, *name;      /* target and shard, in messages */
    int stop;
    unsigned flags;
    const struct chorale_merge_watch *watch;
    struct chorale_errmsg *msg;
};

/* Runs to copy: those at places [from, upto] of temp.run_map. Their ids in
 * target are base + place. */
struct merge_block {
    sqlite3_int64 base, from, upto;
};

/* A query that finds a contradiction between shard and target. Its first row
 * names the object; `is` states the contradiction in the message. */
struct merge_contradiction {
    const char *sql;
    const char *is;
};

/* Translate a SQLite return code. Rows that violate target's schema are the
 * shard's fault: CHORALE_DATA. All other errors set stop: target or shard
 * damaged (CHORALE_DATA), and those of chorale_store_check(). */
enum chorale_err chorale_merge_check(struct merge *m, int rc);

/* Execute one statement; number: value of its parameter ?1, if it has one. */
enum chorale_err chorale_merge_execute(struct merge *m, const char *sql,
                                       sqlite3_int64 number);

/* Run a query and store the number in its first row. */
enum chorale_err chorale_merge_count(struct merge *m, const char *sql,
                                     sqlite3_int64 *count_p);

/* Run n contradiction queries; CHORALE_DATA if one returns a row. */
enum chorale_err chorale_merge_refuse(struct merge *m,
                                      const struct merge_contradiction *list,
                                      size_t n);
#define REFUSE(m, list)                                                      \
    chorale_merge_refuse(m, list, sizeof(list) / sizeof((list)[0]))

/* Copy rows of a table from the shard.
 * own: name of its row id column, which target assigns, or ''.
 * from: the shard's table as s, joined with the maps of its foreign ids.
 * rest: conditions on the rows, and the ON CONFLICT clause.
 * block: values of ?1 (base), ?2 and ?3 (places), or NULL.
 * *rows_p: number of rows copied; may be NULL. */
enum chorale_err chorale_merge_copy(struct merge *m, const char *table,
                                    const char *own, const char *from,
                                    const char *rest,
                                    const struct merge_block *block,
                                    sqlite3_int64 *rows_p);

#endif
