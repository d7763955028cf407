/* SPDX-License-Identifier: BSD-3-Clause */
/* tail_read.c - what was stored since a copy was published, read: see tail.h.
 * Nothing in the files is trusted: a record adds rows by the statements of
 * chorale_tail_table, under the schema's constraints, or it adds none. */
#include "config.h"

#include "db/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/mark.h"
#include "db/tail_record.h"

#define CHUNK 65536

struct applying {
    struct chorale_store *store;
    sqlite3_stmt *into[CHORALE_NTAIL];
    int fd;                  /* of the file at hand */
    off_t size;
    const char *at, *end;    /* of the record's rows */
    sqlite3_int64 run;       /* the last one's id; 0: none yet, */
    int there;               /* or it was there before, with all of it */
    int cut;                 /* the file is of a point under way */
    enum chorale_cuts cuts;  /* as files */
    sqlite3_int64 runs;      /* that came */
    uint32_t schema;         /* of the record read last */
    uint32_t other;          /* of one that is left out for it, or 0 */
};

/* --- rows ------------------------------------------------------------- */

/* The next bytes into data. 0, or -1: there are fewer. */
static int get(struct applying *a, void *data, size_t bytes)
{
    if ((size_t)(a->end - a->at) < bytes)
        return -1;
    memcpy(data, a->at, bytes);
    a->at += bytes;
    return 0;
}

static int bind_text(struct applying *a, sqlite3_stmt *stmt, int i)
{
    uint32_t bytes;

    if (get(a, &bytes, sizeof(bytes)) != 0 ||
        (size_t)(a->end - a->at) < bytes)
        return -1;
    a->at += bytes;
    return sqlite3_bind_text(stmt, i, a->at - bytes, (int)bytes,
                             SQLITE_STATIC);
}

/* 0, or something else: that is no column. */
static int bind_column(struct applying *a, sqlite3_stmt *stmt, int i)
{
    char letter;
    unsigned char byte;
    int64_t whole;
    double real;

    if (get(a, &letter, 1) != 0)
        return -1;
    switch (letter) {
    case CHORALE_TAIL_NULL:
        return sqlite3_bind_null(stmt, i);
    case CHORALE_TAIL_BYTE:
        return get(a, &byte, 1) != 0 || sqlite3_bind_int(stmt, i, byte);
    case CHORALE_TAIL_INT:
        return get(a, &whole, sizeof(whole)) != 0 ||
               sqlite3_bind_int64(stmt, i, whole);
    case CHORALE_TAIL_REAL:
        return get(a, &real, sizeof(real)) != 0 ||
               sqlite3_bind_double(stmt, i, real);
    case CHORALE_TAIL_TEXT:
        return bind_text(a, stmt, i);
    default:
        return -1;
    }
}

/* The next row. SQLITE_DONE, SQLITE_CONSTRAINT also for what is no row, or
 * another error. */
static int put_row(struct applying *a)
{
    sqlite3 *db = chorale_store_db(a->store);
    unsigned char t;
    sqlite3_stmt *stmt;
    int rc;

    if (get(a, &t, 1) != 0 || t >= CHORALE_NTAIL)
        return SQLITE_CONSTRAINT;
    stmt = a->into[t];
    for (int i = 1; i <= chorale_tail_table[t].columns; i++)
        if (bind_column(a, stmt, i) != 0)
            return SQLITE_CONSTRAINT;
    if (t > CHORALE_TAIL_RUN && a->there)
        return SQLITE_DONE;
    if (t > CHORALE_TAIL_RUN && a->run == 0)
        return SQLITE_CONSTRAINT;
    if (t > CHORALE_TAIL_RUN)
        sqlite3_bind_int64(stmt, chorale_tail_table[t].columns + 1, a->run);
    rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    if (t == CHORALE_TAIL_RUN && rc == SQLITE_DONE) {
        a->there = sqlite3_changes(db) == 0;
        a->run = a->there ? 0 : sqlite3_last_insert_rowid(db);
        a->runs += !a->there;
    }
    return rc;
}

/* Runs after that one, of a point under way: is their launch one that was
 * killed, and has any of their cells no other run of that ordinal? */
static enum chorale_err check_cut(struct applying *a, sqlite3_int64 after,
                                  sqlite3_int64 *good_p,
                                  struct chorale_errmsg *msg)
{
    char sql[640];

    snprintf(sql, sizeof(sql),
             "SELECT count(*) > 0 FROM run r JOIN launch l USING (launch_id)"
             " WHERE r.run_id > %lld"
             "   AND (l.status = 'running' OR l.reason = 'killed')"
             "   AND NOT EXISTS (SELECT 1 FROM run q"
             "        JOIN launch k USING (launch_id)"
             "        WHERE q.cell_id = r.cell_id AND q.run_id <> r.run_id"
             "          AND k.ordinal = l.ordinal)", (long long)after);
    return chorale_store_int(a->store, sql, 0, good_p, msg);
}

/* The cell that the launch of those runs was calling, as in mark.h. */
static enum chorale_err called(struct applying *a, sqlite3_int64 after,
                               int64_t *cell_p, struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int have = 0;
    enum chorale_err err = chorale_store_prepare(
        a->store, "SELECT l.uuid FROM run r JOIN launch l USING (launch_id)"
        " WHERE r.run_id > ?1 LIMIT 1", &stmt, msg);

    *cell_p = CHORALE_MARK_ANY;
    if (err != CHORALE_OK)
        return err;
    sqlite3_bind_int64(stmt, 1, after);
    err = chorale_store_step(a->store, stmt, &have, msg);
    if (err == CHORALE_OK && have)
        *cell_p = chorale_mark_read(chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    return err;
}

/* Of those runs that cell's goes, if it has one: it may have been called for
 * the first time. *good_p: there are others; or it called none; or it is not
 * known which, and that does not matter. */
static enum chorale_err leave_out(struct applying *a, sqlite3_int64 after,
                                  sqlite3_int64 before, sqlite3_int64 *good_p,
                                  struct chorale_errmsg *msg)
{
    sqlite3_int64 run = 0;
    int64_t cell;
    char sql[320];
    enum chorale_err err = called(a, after, &cell, msg);

    *good_p = cell == CHORALE_MARK_NONE ||
              (cell == CHORALE_MARK_ANY && a->cuts == CHORALE_CUTS_KILLED);
    if (err != CHORALE_OK || *good_p || cell == CHORALE_MARK_ANY)
        return err;
    *good_p = a->runs > before;
    snprintf(sql, sizeof(sql), "SELECT run_id FROM run WHERE run_id > %lld"
             " AND cell_id = %lld", (long long)after, (long long)cell);
    err = chorale_store_int(a->store, sql, 0, &run, msg);
    if (err != CHORALE_OK || run == 0)
        return err;
    snprintf(sql, sizeof(sql),
             "DELETE FROM run_summary WHERE run_id = %lld;"
             "DELETE FROM sample WHERE run_id = %lld;"
             "DELETE FROM counter WHERE run_id = %lld;"
             "DELETE FROM run WHERE run_id = %lld",
             (long long)run, (long long)run, (long long)run, (long long)run);
    err = chorale_store_exec(a->store, sql, msg);
    a->runs--;
    *good_p = a->runs > before;
    return err;
}

/* All rows of a record, or none. *fits_p: they did. */
static enum chorale_err put_record(struct applying *a, const char *rows,
                                   size_t bytes, int *fits_p,
                                   struct chorale_errmsg *msg)
{
    sqlite3_int64 before = a->runs, last = 0, good = 1;
    int rc = SQLITE_DONE;
    enum chorale_err err = chorale_store_exec(a->store, "SAVEPOINT record",
                                              msg);

    if (err == CHORALE_OK && a->cut)
        err = chorale_store_int(a->store, "SELECT max(run_id) FROM run", 0,
                                &last, msg);
    a->at = rows;
    a->end = rows + bytes;
    a->run = 0;
    a->there = 0;
    while (err == CHORALE_OK && a->at < a->end && rc == SQLITE_DONE)
        rc = put_row(a);
    if (err == CHORALE_OK && rc == SQLITE_DONE && a->cut)
        err = a->cuts == CHORALE_CUTS_ALL
                  ? err
                  : leave_out(a, last, before, &good, msg);
    if (err == CHORALE_OK && rc == SQLITE_DONE && a->cut && good)
        err = check_cut(a, last, &good, msg);
    if (!good)
        rc = SQLITE_CONSTRAINT;
    switch (rc & 0xff) {
    case SQLITE_DONE:
        break;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        a->runs = before;
        if (err == CHORALE_OK)
            err = chorale_store_exec(a->store, "ROLLBACK TO record", msg);
        break;
    default:
        err = chorale_store_check(a->store, rc, msg);
    }
    *fits_p = rc == SQLITE_DONE;
    return err == CHORALE_OK ? chorale_store_exec(a->store, "RELEASE record",
                                                  msg)
                             : err;
}

/* --- records ---------------------------------------------------------- */

/* Bytes of the file from offset on. 0, or -1: there are fewer, or errno. */
static int read_at(int fd, void *data, size_t bytes, off_t offset)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t got = pread(fd, at, bytes, offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        at += got;
        offset += got;
        bytes -= (size_t)got;
    }
    return 0;
}

/* The record at offset: its rows, to be freed, and how many bytes they are;
 * NULL: there is none. */
static char *read_record(struct applying *a, off_t offset, size_t *bytes)
{
    struct chorale_tail_head head;
    char *rows;

    if (a->size - offset < (off_t)sizeof(head) ||
        read_at(a->fd, &head, sizeof(head), offset) != 0 ||
        head.magic != CHORALE_TAIL_MAGIC ||
        head.bytes > CHORALE_TAIL_MAX ||
        (off_t)head.bytes > a->size - offset - (off_t)sizeof(head))
        return NULL;
    rows = malloc((size_t)head.bytes + 1);
    if (rows == NULL ||
        read_at(a->fd, rows, head.bytes, offset + (off_t)sizeof(head)) != 0 ||
        chorale_tail_sum(rows, head.bytes) != head.sum) {
        free(rows);
        return NULL;
    }
    *bytes = head.bytes;
    a->schema = head.schema;
    return rows;
}

/* Where from offset on the next record may begin; the end: nowhere. */
static off_t next_record(const struct applying *a, off_t offset)
{
    const uint64_t magic = CHORALE_TAIL_MAGIC;
    char chunk[CHUNK];
    const char *found;

    while (a->size - offset >= (off_t)sizeof(magic)) {
        size_t bytes = a->size - offset < CHUNK ? (size_t)(a->size - offset)
                                                : CHUNK;

        if (read_at(a->fd, chunk, bytes, offset) != 0)
            return a->size;
        found = memmem(chunk, bytes, &magic, sizeof(magic));
        if (found != NULL)
            return offset + (found - chunk);
        offset += (off_t)(bytes - sizeof(magic) + 1);
    }
    return a->size;
}

static enum chorale_err apply_file(struct applying *a, int fd,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    struct stat st;
    off_t offset = 0;
    int broken = 0;

    if (fstat(fd, &st) != 0)
        return CHORALE_OK;
    a->fd = fd;
    a->size = st.st_size;
    while (offset < a->size && broken < CHORALE_TAIL_BROKEN &&
           err == CHORALE_OK) {
        size_t bytes = 0;
        char *rows = read_record(a, offset, &bytes);
        int good = 0;

        if (rows == NULL) {
            offset = next_record(a, offset + 1);
        } else {
            if (a->schema == CHORALE_SCHEMA_VERSION)
                err = put_record(a, rows, bytes, &good, msg);
            else
                a->other = a->schema;
            offset += (off_t)(sizeof(struct chorale_tail_head) + bytes);
        }
        broken += !good;
        free(rows);
    }
    return err;
}

enum chorale_err chorale_tail_apply(struct chorale_tail_files *files,
                                    struct chorale_store *store,
                                    sqlite3_int64 *runs_p,
                                    struct chorale_errmsg *msg)
{
    struct applying a = { .store = store, .cuts = files->cuts };
    enum chorale_err err = chorale_store_begin(store, msg);

    for (int t = 0; t < CHORALE_NTAIL && err == CHORALE_OK; t++)
        err = chorale_store_prepare(store, chorale_tail_table[t].into,
                                    &a.into[t], msg);
    for (int i = 0; i < files->count && err == CHORALE_OK; i++) {
        a.cut = i >= files->count - files->ncut;
        err = apply_file(&a, files->fd[i], msg);
    }
    files->other = a.other;
    for (int t = 0; t < CHORALE_NTAIL; t++)
        sqlite3_finalize(a.into[t]);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK)
        chorale_store_rollback(store);
    else if (runs_p != NULL)
        *runs_p = a.runs;
    return err;
}

/* --- files ------------------------------------------------------------ */

enum chorale_err chorale_tail_open_one(const char *name, int *fd_p,
                                       int *there_p,
                                       struct chorale_errmsg *msg)
{
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *fd_p = -1;
    *there_p = fd >= 0;
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR ||
                   errno == ENAMETOOLONG))
        return CHORALE_OK;
    if (fd < 0)
        return chorale_fail_read(msg, name, errno);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        *fd_p = fd;
    else
        close(fd);
    return CHORALE_OK;
}

enum chorale_err chorale_tail_add_file(struct chorale_tail_files *files,
                                       int fd, struct chorale_errmsg *msg)
{
    int *grown;

    if (fd < 0)
        return CHORALE_OK;
    grown = realloc(files->fd, (size_t)(files->count + 1) * sizeof(*grown));
    if (grown == NULL) {
        close(fd);
        return chorale_fail_memory(msg, NULL);
    }
    files->fd = grown;
    files->fd[files->count++] = fd;
    return CHORALE_OK;
}

static enum chorale_err open_one(const char *published, const char *suffix,
                                 int *fd_p, struct chorale_errmsg *msg)
{
    char name[PATH_MAX];
    int there;

    *fd_p = -1;
    if (snprintf(name, sizeof(name), "%s%s", published, suffix) >=
        (int)sizeof(name))
        return CHORALE_OK; /* nor could it be written */
    return chorale_tail_open_one(name, fd_p, &there, msg);
}

enum chorale_err chorale_tail_open(const char *published,
                                   struct chorale_tail_files *files,
                                   struct chorale_errmsg *msg)
{
    int before = -1, tail = -1;
    enum chorale_err err;

    *files = (struct chorale_tail_files){ .count = 0 };
    err = chorale_tail_open_groups(published, files, msg);
    if (err == CHORALE_OK)
        err = open_one(published, CHORALE_TAIL_SUFFIX, &tail, msg);
    if (err == CHORALE_OK)
        err = open_one(published, CHORALE_TAIL_BEFORE, &before, msg);
    /* Records add to any copy what fits: the order among files is free. */
    if (err == CHORALE_OK)
        err = chorale_tail_add_file(files, before, msg);
    else if (before >= 0)
        close(before);
    if (err == CHORALE_OK)
        err = chorale_tail_add_file(files, tail, msg);
    else if (tail >= 0)
        close(tail);
    if (err != CHORALE_OK)
        chorale_tail_close(files);
    return err;
}

int chorale_tail_there(const struct chorale_tail_files *files)
{
    return files->count > 0;
}

void chorale_tail_close(struct chorale_tail_files *files)
{
    for (int i = 0; i < files->count; i++)
        close(files->fd[i]);
    free(files->fd);
    files->fd = NULL;
    files->count = 0;
}
