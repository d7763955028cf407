/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - the SQLite file: open, lock, statements, transactions.
 *
 * Other folders write their own SQL against schema.sql and bind every value.
 * Functions that can fail return an error class (err.h) and then write one line
 * to msg. Outputs change on success only, except in chorale_store_prepare().
 */
#ifndef CHORALE_DB_STORE_H
#define CHORALE_DB_STORE_H

#include <sqlite3.h>
#include <stdint.h>

#include "db/err.h"
#include "db/field.h"

/* PRAGMA user_version of schema.sql. Version 0 is any schema older than that
 * numbering; migrate.h upgrades it. */
#define CHORALE_SCHEMA_VERSION 1
#define CHORALE_APPLICATION_ID 0x43484f52 /* "CHOR" */
#define CHORALE_UUID_SIZE 37
#define CHORALE_COUNTERS_MAX 4096 /* bytes of campaign.counters */

/* The columns of campaign k that state how its cells are measured, as a row
 * value without parentheses. Cells of several campaigns share a launch only if
 * all these columns agree. */
#define CHORALE_CAMPAIGN_WAY(k)                                              \
    k ".nrep_min, " k ".nrep_max, " k ".nwarmup, " k ".target_width, "       \
    k ".cell_seconds, " k ".max_memory, " k ".sync, " k ".batch, "           \
    k ".racing, " k ".counters, " k ".launcher, " k ".platform, "            \
    k ".network, " k ".tau, " k ".sim_selector"

enum chorale_store_mode {
    CHORALE_STORE_READ,   /* must exist; statements cannot write. SQLite still
                           * rolls back the journal of a killed writer */
    CHORALE_STORE_WRITE,  /* must exist */
    CHORALE_STORE_LAUNCH, /* must exist; opened for writing without a lock
                           * file: for a runner, whose command has the lock
                           * file, or for VACUUM INTO, which only reads */
    CHORALE_STORE_CREATE  /* is created with the current schema if missing */
};

struct chorale_store;

/* Open a database. An older schema is upgraded when it is opened for writing.
 * - CHORALE_DATA: not a database, truncated, of another program, newer schema,
 *   older schema with CHORALE_STORE_READ, or empty and not to be created;
 * - CHORALE_ENV: missing, no permission, read-only folder, disk full, a file
 *   system without locks, or a process on another node is writing it;
 * - CHORALE_USAGE: path is a folder.
 * A file that could not be created completely is removed.
 * A store that is opened for writing also takes a lock file (lock_file.h),
 * unless it sees the lock of another writer. So one command at a time writes on
 * file systems whose locks exclude only processes of one node.
 * SQLite does not trust the file's schema. SQLite is configured for one thread
 * a process: all stores belong to the thread that opens the first one. */
enum chorale_err chorale_store_open(const char *path,
                                    enum chorale_store_mode mode,
                                    struct chorale_store **store_p,
                                    struct chorale_errmsg *msg);
/* A database of the current schema in memory. It has no file and no locks, and
 * its foreign keys are not enforced. */
enum chorale_err chorale_store_memory(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg);
/* Close; NULL does nothing. An open transaction is rolled back. */
void chorale_store_close(struct chorale_store *store);

/* 1 if the database at path and its folder may be written, or if there is no
 * such file. */
int chorale_store_writable(const char *path);
/* 1 if the store was opened with CHORALE_STORE_READ. */
int chorale_store_reads(const struct chorale_store *store);

sqlite3 *chorale_store_db(struct chorale_store *store);
const char *chorale_store_path(const struct chorale_store *store);

/* Suffix of a flag file beside the database: if it exists, the runner that
 * measures into the database ends early. */
#define CHORALE_END_SUFFIX "-end"

/* Write locks. CAMPAIGN: one `chorale` at a time plans, runs or decides.
 * RUNNER: one runner at a time measures. A runner outlives the chorale command
 * that started it if that is killed. */
enum chorale_lock { CHORALE_LOCK_CAMPAIGN, CHORALE_LOCK_RUNNER };

/* Seconds to wait for a lock. After a kill the lock is held until the last
 * process of the command has ended, including a child that was about to exec
 * the launcher. */
#define CHORALE_LOCK_PATIENCE 2.0

/* Take a lock for the lifetime of the store, waiting up to seconds for it.
 * CHORALE_ENV: another process holds it. */
enum chorale_err chorale_store_lock(struct chorale_store *store,
                                    enum chorale_lock lock, double seconds,
                                    struct chorale_errmsg *msg);
/* 1 if another process holds that lock. */
int chorale_store_locked(struct chorale_store *store, enum chorale_lock lock);

/* Take both locks shared with other readers, so that no writer can start while
 * fd is open. Returns 0, or -1 with errno: EAGAIN or EACCES if a writer is
 * active. */
int chorale_store_share(int fd);

/* From now on asked() is polled during statements of this connection; if it
 * returns 1, they end early with CHORALE_STOPPED. */
void chorale_store_stop(struct chorale_store *store, int (*asked)(void));

/* The current schema as SQL text. */
const char *chorale_store_schema(void);

/* Translate a SQLite result code into an error class and message ("results.db:
 * the disk is full; ..."). SQLITE_OK, ROW and DONE give CHORALE_OK. */
enum chorale_err chorale_store_check(struct chorale_store *store, int rc,
                                     struct chorale_errmsg *msg);

/* Prepare one statement; the caller finalizes it. *stmt_p is NULL on
 * failure. */
enum chorale_err chorale_store_prepare(struct chorale_store *store,
                                       const char *sql, sqlite3_stmt **stmt_p,
                                       struct chorale_errmsg *msg);
/* Step a statement: *row_p becomes 1 on a row. When done it becomes 0; the
 * statement is then reset and keeps its bindings. row_p may be NULL if no row
 * is expected. */
enum chorale_err chorale_store_step(struct chorale_store *store,
                                    sqlite3_stmt *stmt, int *row_p,
                                    struct chorale_errmsg *msg);
/* Prepare a statement with copies of these values; the caller finalizes it.
 * After an error it is NULL, which needs no finalizing. */
enum chorale_err chorale_store_query(struct chorale_store *store,
                                     const char *sql,
                                     struct chorale_fields values,
                                     sqlite3_stmt **stmt_p,
                                     struct chorale_errmsg *msg);
/* Step to the next row: 1 if there is one. 0 at the end, and if *err_p is an
 * error before or after the step. */
int chorale_store_next(struct chorale_store *store, sqlite3_stmt *stmt,
                       enum chorale_err *err_p, struct chorale_errmsg *msg);
/* Reset a prepared statement, and bind copies of values to its parameters from
 * number `first` on. Values beyond its last parameter are left out. */
enum chorale_err chorale_store_bind(struct chorale_store *store,
                                    sqlite3_stmt *stmt, int first,
                                    struct chorale_fields values,
                                    struct chorale_errmsg *msg);
/* The same, and step it once; it returns no row. */
enum chorale_err chorale_store_put(struct chorale_store *store,
                                   sqlite3_stmt *stmt, int first,
                                   struct chorale_fields values,
                                   struct chorale_errmsg *msg);
/* Execute a statement that returns no row. */
enum chorale_err chorale_store_run(struct chorale_store *store,
                                   const char *sql,
                                   struct chorale_fields values,
                                   struct chorale_errmsg *msg);
/* The same, of an INSERT of one row: *id_p is its rowid. */
enum chorale_err chorale_store_insert(struct chorale_store *store,
                                      const char *sql,
                                      struct chorale_fields values,
                                      sqlite3_int64 *id_p,
                                      struct chorale_errmsg *msg);
/* A column of the row as text, "" for NULL; valid until the next step. */
const char *chorale_text(sqlite3_stmt *stmt, int column);
/* Execute one or more statements without parameters. */
enum chorale_err chorale_store_exec(struct chorale_store *store,
                                    const char *sql,
                                    struct chorale_errmsg *msg);
/* First column of the first row of a query, or fallback if the result is
 * empty. */
enum chorale_err chorale_store_find(struct chorale_store *store,
                                    const char *sql,
                                    struct chorale_fields values,
                                    sqlite3_int64 fallback,
                                    sqlite3_int64 *value_p,
                                    struct chorale_errmsg *msg);
/* The same without parameters. */
enum chorale_err chorale_store_int(struct chorale_store *store,
                                   const char *sql, sqlite3_int64 fallback,
                                   sqlite3_int64 *value_p,
                                   struct chorale_errmsg *msg);

/* Begin a transaction with the write lock. Rollback never fails. */
enum chorale_err chorale_store_begin(struct chorale_store *store,
                                     struct chorale_errmsg *msg);
enum chorale_err chorale_store_commit(struct chorale_store *store,
                                      struct chorale_errmsg *msg);
void chorale_store_rollback(struct chorale_store *store);
/* Commit if err is CHORALE_OK, else roll back; returns the first error. */
enum chorale_err chorale_store_end(struct chorale_store *store,
                                   enum chorale_err err,
                                   struct chorale_errmsg *msg);

/* A fresh random UUID as text. */
void chorale_uuid(char uuid[CHORALE_UUID_SIZE]);

/* A UUID (RFC 9562, version 8) whose first half is that of `with` and whose
 * second half is a hash of `with` and number. Rows stored together then lie
 * together in an index, so that a merge rewrites fewer pages. Random if `with`
 * is not a UUID. */
void chorale_uuid_near(const char *with, int64_t number,
                       char uuid[CHORALE_UUID_SIZE]);

/* A UUID that is a hash of text (RFC 9562, version 8): equal texts give equal
 * UUIDs. */
void chorale_uuid_of(const char *text, char uuid[CHORALE_UUID_SIZE]);

/* Current time in UTC, "2026-01-31T12:34:56Z". */
void chorale_time_now(char text[32]);

#endif
