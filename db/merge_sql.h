/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_sql.h - the statements of a merge (merge.c) on target's connection, to
 * which the shard is attached. Each says in one line what went wrong, and sets
 * stop if target is not usable any more. */
#ifndef CHORALE_DB_MERGE_SQL_H
#define CHORALE_DB_MERGE_SQL_H

#include <stddef.h>

#include "db/merge.h"

struct merge {
    struct chorale_store *store;
    const char *into, *name;      /* of target and shard, in messages */
    int stop;
    unsigned flags;
    const struct chorale_merge_watch *watch;
    struct chorale_errmsg *msg;
};

/* Rows to copy: runs at the places [from, upto], to which base is added in
 * target. */
struct merge_block {
    sqlite3_int64 base, from, upto;
};

/* A query that finds what cannot be: its first row's text names it, and is
 * said to be so in target. */
struct merge_contradiction {
    const char *sql;
    const char *is;
};

/* What a return code of SQLite means. Where it is not the disk or the lock, it
 * is something about the shard: CHORALE_DATA. */
enum chorale_err merge_check(struct merge *m, int rc);

/* Execute one statement; number: what its parameter ?1 is, if it has one. */
enum chorale_err merge_execute(struct merge *m, const char *sql,
                               sqlite3_int64 number);

/* The number that a query gives. */
enum chorale_err merge_count(struct merge *m, const char *sql,
                             sqlite3_int64 *count_p);

/* CHORALE_DATA if one of n finds something. */
enum chorale_err merge_refuse(struct merge *m,
                              const struct merge_contradiction *list,
                              size_t n);
#define REFUSE(m, list)                                                      \
    merge_refuse(m, list, sizeof(list) / sizeof((list)[0]))

/* Copy the rows of a table. own: its row id, which target gives anew, or ''.
 * from: the shard's table as s, and what its foreign ids are looked up in.
 * rest: which rows of it, and what becomes of those that are there. block, or
 * NULL, gives ?1 its base, and ?2 and ?3 in rest its places. *rows_p, which
 * may be NULL: how many were copied. */
enum chorale_err merge_copy(struct merge *m, const char *table,
                            const char *own, const char *from,
                            const char *rest, const struct merge_block *block,
                            sqlite3_int64 *rows_p);

#endif
