/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - the one SQLite file: opening, locking, statements, transactions.
 *
 * Rooms write their own SQL against schema.sql and bind every value; this
 * header gives them errors as one clear line. All functions return a class
 * of db/err.h and write msg on failure; outputs change on success only.
 */
#ifndef CHORALE_DB_STORE_H
#define CHORALE_DB_STORE_H

#include <sqlite3.h>
#include <stdint.h>

#include "db/err.h"

/* Of db/schema.sql. Version 0 is any schema from before versions were counted;
 * migrate.h brings it up to date. */
#define CHORALE_SCHEMA_VERSION 1
#define CHORALE_APPLICATION_ID 0x43484f52 /* "CHOR" */
#define CHORALE_UUID_SIZE 37
#define CHORALE_COUNTERS_MAX 4096 /* bytes of campaign.counters */

/* What campaign k says of how its cells are measured: a launch has cells of
 * campaigns that agree in all of it. A row value, without parentheses. */
#define CHORALE_CAMPAIGN_WAY(k)                                              \
    k ".nrep_min, " k ".nrep_max, " k ".nwarmup, " k ".target_width, "       \
    k ".cell_seconds, " k ".max_memory, " k ".sync, " k ".batch, "           \
    k ".racing, " k ".counters, " k ".launcher, " k ".platform, "            \
    k ".network, " k ".tau, " k ".sim_selector"

enum chorale_store_mode {
    CHORALE_STORE_READ,   /* must exist; never written */
    CHORALE_STORE_WRITE,  /* must exist */
    CHORALE_STORE_CREATE  /* made with the current schema if missing */
};

struct chorale_store;

/* Open a database. CHORALE_DATA: not a database, truncated, of another
 * program, of a newer schema, or of an older one if it is only to be read:
 * opened for writing, that is migrated. CHORALE_ENV: missing, no permission,
 * read-only folder, disk full. The connection distrusts the file's schema.
 * SQLite is set up for one thread a process: all stores belong to the thread
 * that opens the first. */
enum chorale_err chorale_store_open(const char *path,
                                    enum chorale_store_mode mode,
                                    struct chorale_store **store_p,
                                    struct chorale_errmsg *msg);
/* A database of the current schema in memory, which is no file and ends with
 * the store. It has no locks, and rows may refer to rows of another. */
enum chorale_err chorale_store_memory(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg);
/* Close; NULL does nothing. An open transaction is rolled back. */
void chorale_store_close(struct chorale_store *store);

sqlite3 *chorale_store_db(struct chorale_store *store);
const char *chorale_store_path(const struct chorale_store *store);

/* After its path: a file that asks the runner which measures into it to end
 * early. */
#define CHORALE_END_SUFFIX "-end"

/* Who may write. CAMPAIGN: one `chorale` at a time plans, runs or decides.
 * RUNNER: one runner at a time measures; it outlives a killed campaign. */
enum chorale_lock { CHORALE_LOCK_CAMPAIGN, CHORALE_LOCK_RUNNER };

/* For how long to ask for a lock: a killed command's is held until the last of
 * its processes is gone, one that was about to become a launcher too. */
#define CHORALE_LOCK_PATIENCE 2.0

/* Take a lock for the life of the store, waiting up to seconds for it.
 * CHORALE_ENV: held by another process, which msg names if it can. */
enum chorale_err chorale_store_lock(struct chorale_store *store,
                                    enum chorale_lock lock, double seconds,
                                    struct chorale_errmsg *msg);
/* 1 if some other process holds that lock. */
int chorale_store_locked(struct chorale_store *store, enum chorale_lock lock);

/* Keep writers away from an open database file for as long as fd is open: both
 * locks, shared with others that only read. 0, or -1 with errno: EAGAIN or
 * EACCES if a writer is at work. */
int chorale_store_share(int fd);

/* From now on statements of this connection end early when asked() says so,
 * with CHORALE_STOPPED. */
void chorale_store_stop(struct chorale_store *store, int (*asked)(void));

/* The current schema, as SQL. */
const char *chorale_store_schema(void);

/* Turn a SQLite result into our class and line ("results.db: disk full; free
 * some space and repeat the command"). SQLITE_OK, ROW, DONE give CHORALE_OK. */
enum chorale_err chorale_store_check(struct chorale_store *store, int rc,
                                     struct chorale_errmsg *msg);

/* Prepare one statement. */
enum chorale_err chorale_store_prepare(struct chorale_store *store,
                                       const char *sql, sqlite3_stmt **stmt_p,
                                       struct chorale_errmsg *msg);
/* Step: *row_p becomes 1 on a row, 0 when done (the statement is then reset
 * and its bindings stay). row_p may be NULL when no row is expected. */
enum chorale_err chorale_store_step(struct chorale_store *store,
                                    sqlite3_stmt *stmt, int *row_p,
                                    struct chorale_errmsg *msg);
/* A column of the row as text, "" where it is NULL; until the next step. */
const char *chorale_text(sqlite3_stmt *stmt, int column);
/* Execute one or more statements without parameters. */
enum chorale_err chorale_store_exec(struct chorale_store *store,
                                    const char *sql,
                                    struct chorale_errmsg *msg);
/* First column of the first row of a query without parameters; the fallback
 * where there is no row. */
enum chorale_err chorale_store_int(struct chorale_store *store,
                                   const char *sql, sqlite3_int64 fallback,
                                   sqlite3_int64 *value_p,
                                   struct chorale_errmsg *msg);

/* Transactions: begin takes the write lock at once. rollback never fails. */
enum chorale_err chorale_store_begin(struct chorale_store *store,
                                     struct chorale_errmsg *msg);
/* The same, but CHORALE_ENV at once where another writes. */
enum chorale_err chorale_store_begin_now(struct chorale_store *store,
                                         struct chorale_errmsg *msg);
enum chorale_err chorale_store_commit(struct chorale_store *store,
                                      struct chorale_errmsg *msg);
void chorale_store_rollback(struct chorale_store *store);

/* From now on chorale_store_commit() appends the runs that it stores to the
 * tail of the copy that is published under this name: tail.h. */
enum chorale_err chorale_store_tail(struct chorale_store *store,
                                    const char *published,
                                    struct chorale_errmsg *msg);
/* The same to the file of a group, which is there; place: from 1 on. */
enum chorale_err chorale_store_tail_group(struct chorale_store *store,
                                          const char *published, int place,
                                          struct chorale_errmsg *msg);
/* All runs have been deleted: a tail goes on with whatever comes next. */
void chorale_store_emptied(struct chorale_store *store);

/* A fresh random UUID as text. */
void chorale_uuid(char uuid[CHORALE_UUID_SIZE]);

/* One that begins as another UUID does and is a hash of it and a number from
 * half on (RFC 9562, version 8), so that those of rows that come together lie
 * together in an index: it is not rewritten everywhere when they are merged. If
 * with is no UUID, a random one. */
void chorale_uuid_near(const char *with, int64_t number,
                       char uuid[CHORALE_UUID_SIZE]);

/* A UUID that is a hash of text (RFC 9562, version 8): equal texts, equal
 * UUIDs. */
void chorale_uuid_of(const char *text, char uuid[CHORALE_UUID_SIZE]);

/* Now, UTC, "2026-01-31T12:34:56Z"; text has room for 32. */
void chorale_now(char text[32]);

#endif
