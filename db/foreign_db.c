/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_db.c - read-only access to a database from an untrusted source. */
#include "config.h"

#include "db/foreign_db.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/snapshot.h"

struct chorale_shard {
    struct chorale_store *store;
    struct chorale_copy copy;
    const char *path;
    char *real;
    int fd; /* holds the locks; closed after the connection, as in store.c */
};

static const char *const tables[] = {
    "system", "campaign", "cell", "launch", "run", "run_summary", "sample",
    "counter", "environment", "model", "model_variant", "model_ranks",
    "decision", "policy", "baseline", "validation", "trace", "trace_point",
};

#define NTABLE (sizeof(tables) / sizeof(tables[0]))

/* Longer than any definition in the schema, bytes. */
#define DEFINITION_MAX 8192

struct chorale_store *chorale_shard_store(struct chorale_shard *shard)
{
    return shard->store;
}

const char *chorale_shard_path(const struct chorale_shard *shard)
{
    return shard->path;
}

const char *chorale_shard_file(const struct chorale_shard *shard)
{
    return shard->copy.dir[0] != '\0' ? shard->copy.file : shard->real;
}

void chorale_shard_unlink(struct chorale_shard *shard)
{
    chorale_copy_remove(&shard->copy);
}

void chorale_shard_close(struct chorale_shard *shard)
{
    if (shard == NULL)
        return;
    chorale_store_close(shard->store);
    chorale_copy_remove(&shard->copy);
    if (shard->fd >= 0)
        close(shard->fd);
    free(shard->real);
    free(shard);
}

/* 1: the file cannot be read without writing to it. */
static int needs_private_copy(const struct chorale_shard *shard)
{
    unsigned char head[100] = { 0 };
    char journal[PATH_MAX + 16];
    long version;
    struct stat st;

    snprintf(journal, sizeof(journal), "%s-journal", shard->real);
    if (stat(journal, &st) == 0 && st.st_size > 0)
        return 1;
    if (pread(shard->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return 0;
    version = (long)head[60] << 24 | (long)head[61] << 16 |
              (long)head[62] << 8 | (long)head[63];
    return head[18] == 2 || head[19] == 2 || /* a write-ahead log */
           version < CHORALE_SCHEMA_VERSION;
}

/* Write to text[size] the definition of a table from its first bracket on, with
 * comments removed and one space between words; literals stay as they are. A
 * text that does not fit is cut. Other kinds of quotes and comments than the
 * schema's are kept, so that they count as differences. */
static void plain_definition(const char *sql, char *text, size_t size)
{
    const char *s = sql != NULL ? strchr(sql, '(') : NULL;
    size_t len = 0;
    int gap = 0, literal = 0;

    for (; s != NULL && *s != '\0' && len + 2 < size; s++) {
        if (literal || *s == '\'') {
            literal ^= *s == '\'';
            text[len++] = *s;
        } else if (s[0] == '-' && s[1] == '-') {
            s += strcspn(s, "\n");
            if (*s == '\0')
                break;
            gap = 1;
        } else if (isspace((unsigned char)*s)) {
            gap = 1;
        } else {
            if (gap && isalnum((unsigned char)*s) &&
                isalnum((unsigned char)text[len - 1]))
                text[len++] = ' ';
            text[len++] = *s;
            gap = 0;
        }
    }
    text[len] = '\0';
}

/* The definition of a table in that connection; "" if it is not a table. */
static enum chorale_err definition(sqlite3 *db, const char *table, char *text,
                                   size_t size)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_master"
                                " WHERE type = 'table' AND name = ?1"
                                " AND sql LIKE 'CREATE TABLE %'", -1, &stmt,
                                NULL);

    text[0] = '\0';
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
            plain_definition((const char *)sqlite3_column_text(stmt, 0), text,
                             size);
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? CHORALE_OK : CHORALE_ENV;
}

/* Definitions of the current schema, or NULL on failure. Cached, because making
 * them costs as much as the rest of opening a small shard. */
static char *const *definitions(struct chorale_errmsg *msg)
{
    static char *wanted[NTABLE];
    char text[DEFINITION_MAX];
    sqlite3 *model = NULL;
    int failed = 0;

    if (wanted[NTABLE - 1] != NULL)
        return wanted;
    if (sqlite3_open(":memory:", &model) != SQLITE_OK ||
        sqlite3_exec(model, chorale_store_schema(), NULL, NULL, NULL) !=
            SQLITE_OK) {
        chorale_fail(msg, CHORALE_ENV, "the schema: %s; end other programs, "
                     "and repeat the command", sqlite3_errmsg(model));
        failed = 1;
    }
    for (size_t i = 0; i < NTABLE && !failed; i++) {
        free(wanted[i]);
        wanted[i] = definition(model, tables[i], text, sizeof(text)) ==
                    CHORALE_OK ? strdup(text) : NULL;
        failed = wanted[i] == NULL;
        if (failed)
            chorale_fail_memory(msg, "the schema");
    }
    sqlite3_close(model);
    return failed ? NULL : wanted;
}

/* Check that the tables equal those of the schema: no views, virtual tables,
 * generated columns or foreign CHECK expressions. */
static enum chorale_err check_tables(struct chorale_shard *shard,
                                     struct chorale_errmsg *msg)
{
    char have[DEFINITION_MAX];
    char *const *want = definitions(msg);
    sqlite3 *db = chorale_store_db(shard->store);
    enum chorale_err err = want != NULL ? CHORALE_OK : CHORALE_ENV;

    for (size_t i = 0; i < NTABLE && err == CHORALE_OK; i++) {
        err = definition(db, tables[i], have, sizeof(have));
        if (err != CHORALE_OK)
            err = chorale_store_check(shard->store, sqlite3_errcode(db), msg);
        else if (strcmp(want[i], have) != 0)
            err = chorale_fail(msg, CHORALE_DATA,
                               "%s: its table %s is not that of schema version"
                               " %d; take away what was added to it, or "
                               "restore a copy", shard->path, tables[i],
                               CHORALE_SCHEMA_VERSION);
    }
    return err;
}

/* Read from a private copy, in which SQLite and migrate.c may write. */
static enum chorale_err open_copy(struct chorale_shard *shard,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_copy_make(&shard->copy, shard->real, 1,
                                             msg);

    if (err == CHORALE_OK)
        err = chorale_store_open(shard->copy.file, CHORALE_STORE_WRITE,
                                 &shard->store, msg);
    chorale_store_close(shard->store);
    shard->store = NULL;
    if (err == CHORALE_OK)
        err = chorale_store_open(shard->copy.file, CHORALE_STORE_READ,
                                 &shard->store, msg);
    if (err != CHORALE_OK)
        chorale_copy_rename(&shard->copy, shard->path, msg);
    return err;
}

static enum chorale_err open_store(struct chorale_shard *shard,
                                   struct chorale_errmsg *msg)
{
    struct stat st;

    shard->real = realpath(shard->path, NULL);
    if (shard->real != NULL && strlen(shard->real) < PATH_MAX)
        shard->fd = open(shard->real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (shard->fd >= 0 && fstat(shard->fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (chorale_store_share(shard->fd) != 0)
            return errno == EAGAIN || errno == EACCES
                       ? chorale_fail(msg, CHORALE_ENV, "%s: a chorale "
                                      "command is working on it; merge it "
                                      "when that has ended", shard->path)
                       : chorale_fail(msg, CHORALE_ENV, "%s: cannot be "
                                      "locked for reading (%s); copy it to a "
                                      "file system with locks", shard->path,
                                      strerror(errno));
        if (needs_private_copy(shard))
            return open_copy(shard, msg);
    }
    /* Also reports why the path is not a regular file. */
    return chorale_store_open(shard->path, CHORALE_STORE_READ, &shard->store,
                              msg);
}

/* Run a check, a query whose rows are complaints or "ok", and report its first
 * complaint. */
static enum chorale_err complain(struct chorale_shard *shard, const char *sql,
                                 struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(shard->store, sql, &stmt,
                                                 msg);
    const char *text;

    if (chorale_store_next(shard->store, stmt, &err, msg)) {
        text = (const char *)sqlite3_column_text(stmt, 0);
        if (text == NULL || strcmp(text, "ok") != 0)
            err = chorale_fail(msg, CHORALE_DATA,
                               "%s: the file is damaged (%.200s); restore a "
                               "copy, or rescue what is left with `sqlite3 "
                               "FILE .recover`", shard->path,
                               text != NULL ? text : "?");
    }
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err check_sound(struct chorale_shard *shard,
                                    struct chorale_errmsg *msg)
{
    char sql[256];
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < NTABLE && err == CHORALE_OK; i++) {
        snprintf(sql, sizeof(sql), "PRAGMA quick_check('%s')", tables[i]);
        err = complain(shard, sql, msg);
    }
    for (size_t i = 0; i < NTABLE && err == CHORALE_OK; i++) {
        snprintf(sql, sizeof(sql), "SELECT 'a row of %s refers to no ' ||"
                 " parent FROM pragma_foreign_key_check('%s') LIMIT 1",
                 tables[i], tables[i]);
        err = complain(shard, sql, msg);
    }
    return err;
}

enum chorale_err chorale_shard_open(const char *path, int (*asked)(void),
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg)
{
    struct chorale_shard *shard = calloc(1, sizeof(*shard));
    sqlite3_int64 count;
    enum chorale_err err;

    if (shard == NULL)
        return chorale_fail_memory(msg, path);
    shard->fd = -1;
    shard->path = path;
    err = open_store(shard, msg);
    if (err == CHORALE_OK) {
        chorale_store_stop(shard->store, asked);
        sqlite3_limit(chorale_store_db(shard->store), SQLITE_LIMIT_LENGTH,
                      CHORALE_SHARD_VALUE_MAX);
        /* An open read transaction keeps other programs from changing the
         * file until it is closed. */
        err = chorale_store_exec(shard->store, "PRAGMA cell_size_check = ON;"
                                 "BEGIN", msg);
    }
    if (err == CHORALE_OK)
        err = chorale_store_int(shard->store,
                                "SELECT count(*) FROM sqlite_master", 0,
                                &count, msg);
    if (err == CHORALE_OK)
        err = check_tables(shard, msg);
    if (err == CHORALE_OK)
        err = check_sound(shard, msg);
    if (err != CHORALE_OK) {
        chorale_copy_rename(&shard->copy, path, msg);
        chorale_shard_close(shard);
        return err;
    }
    *shard_p = shard;
    return CHORALE_OK;
}
