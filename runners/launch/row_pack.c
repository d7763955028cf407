/* SPDX-License-Identifier: BSD-3-Clause */
/* row_pack.c - pack database rows into bytes and unpack them.
 *
 * A row is its table's number, its number of columns, and for each column the
 * SQLite type, the length and the bytes. */
#include "runners/launch/row_pack.h"

#include <stdlib.h>
#include <string.h>

/* Results (LAUNCH to COUNTER), then the plan; parents before children. is_run:
 * the first column is a run_id, which is replaced by a new one in the receiving
 * store. ?1: a launch_id or cell_id. */
enum { LAUNCH, FACT, RUN, SUMMARY, SAMPLE, COUNTER, CAMPAIGN, SYSTEM, WHOLE,
       FACTS, CELL, NTABLE };
static const struct {
    const char *from, *into;
    int is_run;
} table[NTABLE] = {
    [LAUNCH] = { "SELECT launch_id, host_map, status, finished FROM launch",
      "UPDATE launch SET host_map = ?2, status = ?3, finished = ?4"
      " WHERE launch_id = ?1", 0 },
    [FACT] = { "SELECT * FROM environment",
      "INSERT OR REPLACE INTO environment VALUES (?,?,?)", 0 },
    [RUN] = { "SELECT run_id, uuid, cell_id, launch_id, status, reason,"
      " stop_reason, validity, first_call, sync, batch, separator,"
      " clock_error, skew FROM run",
      "INSERT INTO run (run_id, uuid, cell_id, launch_id, status, reason,"
      " stop_reason, validity, first_call, sync, batch, separator,"
      " clock_error, skew) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1 },
    [SUMMARY] = { "SELECT * FROM run_summary",
      "INSERT INTO run_summary VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", 1 },
    [SAMPLE] = { "SELECT * FROM sample",
      "INSERT INTO sample VALUES (?,?,?,?,?,?,?,?)", 1 },
    [COUNTER] = { "SELECT * FROM counter",
      "INSERT INTO counter VALUES (?,?,?,?)", 1 },
    [CAMPAIGN] = { "SELECT campaign_id, k.uuid FROM campaign k"
      " JOIN launch USING (campaign_id) WHERE launch_id = ?1",
      "INSERT INTO campaign VALUES (?,?)", 0 },
    [SYSTEM] = { "SELECT * FROM system WHERE system_id ="
      " (SELECT system_id FROM launch WHERE launch_id = ?1)",
      "INSERT INTO system VALUES (?,?,?,?,?,?,?)", 0 },
    [WHOLE] = { "SELECT * FROM launch WHERE launch_id = ?1",
      "INSERT INTO launch VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 0 },
    [FACTS] = { "SELECT * FROM environment WHERE launch_id = ?1",
      "INSERT INTO environment VALUES (?,?,?)", 0 },
    [CELL] = { "SELECT cell_id, uuid FROM cell WHERE cell_id = ?1",
      "INSERT INTO cell VALUES (?,?)", 0 },
};

struct chorale_rowbuf *chorale_rowbuf_new(void)
{
    return calloc(1, sizeof(struct chorale_rowbuf));
}

void chorale_rowbuf_free(struct chorale_rowbuf *p)
{
    if (p == NULL)
        return;
    free(p->bytes.byte);
    free(p);
}

/* --- rows out --------------------------------------------------------- */

void chorale_rowbuf_add(struct chorale_rowbuf *p, const void *data,
                        size_t bytes)
{
    chorale_bytes_add(&p->bytes, data, bytes);
}

void chorale_rowbuf_add_int(struct chorale_rowbuf *p, int value)
{
    chorale_rowbuf_add(p, &value, sizeof(value));
}

static void add_column(struct chorale_rowbuf *p, sqlite3_stmt *stmt, int i)
{
    int type = sqlite3_column_type(stmt, i);
    sqlite3_int64 whole = sqlite3_column_int64(stmt, i);
    double real = sqlite3_column_double(stmt, i);

    chorale_rowbuf_add_int(p, type);
    if (type == SQLITE_INTEGER) {
        chorale_rowbuf_add_int(p, sizeof(whole));
        chorale_rowbuf_add(p, &whole, sizeof(whole));
    } else if (type == SQLITE_FLOAT) {
        chorale_rowbuf_add_int(p, sizeof(real));
        chorale_rowbuf_add(p, &real, sizeof(real));
    } else if (type == SQLITE_NULL) {
        chorale_rowbuf_add_int(p, 0);
    } else {
        const void *text = sqlite3_column_text(stmt, i);
        int bytes = sqlite3_column_bytes(stmt, i);

        chorale_rowbuf_add_int(p, bytes);
        chorale_rowbuf_add(p, text, (size_t)bytes);
    }
}

static enum chorale_err add_rows(struct chorale_rowbuf *p, int t,
                                 struct chorale_store *store,
                                 sqlite3_stmt *stmt,
                                 struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    int row = 0;

    while (err == CHORALE_OK) {
        err = chorale_store_step(store, stmt, &row, msg);
        if (err != CHORALE_OK || !row)
            break;
        chorale_rowbuf_add_int(p, t);
        chorale_rowbuf_add_int(p, sqlite3_column_count(stmt));
        for (int i = 0; i < sqlite3_column_count(stmt); i++)
            add_column(p, stmt, i);
    }
    return err == CHORALE_OK && p->bytes.lacks ? chorale_fail_memory(msg, NULL)
                                         : err;
}

/* id: value of ?1, if it occurs. */
static enum chorale_err add_table(struct chorale_rowbuf *p, int t,
                                  struct chorale_store *store, int64_t id,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, table[t].from, &stmt,
                                                 msg);

    if (err == CHORALE_OK && sqlite3_bind_parameter_count(stmt) > 0)
        sqlite3_bind_int64(stmt, 1, id);
    if (err == CHORALE_OK)
        err = add_rows(p, t, store, stmt, msg);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_rowbuf_add_runs(struct chorale_rowbuf *p,
                                         struct chorale_store *store, int facts,
                                         struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (int t = LAUNCH; t <= COUNTER && err == CHORALE_OK; t++)
        if (t != FACT || facts)
            err = add_table(p, t, store, 0, msg);
    return err;
}

enum chorale_err chorale_rowbuf_add_plan(struct chorale_rowbuf *p,
                                         struct chorale_store *store,
                                         const struct chorale_worklist *work,
                                         struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, table[CELL].from,
                                                 &stmt, msg);

    for (int t = CAMPAIGN; t <= FACTS && err == CHORALE_OK; t++)
        err = add_table(p, t, store, work->launch_id, msg);
    for (int c = 0; c < work->ncand && err == CHORALE_OK; c++) {
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 1, work->cand[c].cell_id);
        err = add_rows(p, CELL, store, stmt, msg);
    }
    sqlite3_finalize(stmt);
    return err;
}

/* --- rows in ---------------------------------------------------------- */

enum chorale_err chorale_rowbuf_store(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_memory(store_p, msg);

    return err == CHORALE_OK
               ? chorale_store_exec(
                     *store_p, "DROP TABLE campaign; DROP TABLE cell;"
                     " CREATE TABLE campaign (campaign_id INTEGER PRIMARY KEY,"
                     " uuid); CREATE TABLE cell (cell_id INTEGER PRIMARY KEY,"
                     " uuid)", msg)
               : err;
}

enum chorale_err chorale_rowbuf_delete_runs(struct chorale_store *store,
                                            struct chorale_errmsg *msg)
{
    return chorale_store_exec(
        store, "DELETE FROM counter; DELETE FROM sample;"
        " DELETE FROM run_summary; DELETE FROM run", msg);
}

struct reader {
    const char *at, *end;
};

/* The next bytes; NULL: fewer remain. */
static const char *read_bytes(struct reader *r, size_t bytes)
{
    const char *at = r->at;

    if ((size_t)(r->end - at) < bytes)
        return NULL;
    r->at += bytes;
    return at;
}

static int read_int(struct reader *r, int *value)
{
    const char *at = read_bytes(r, sizeof(*value));

    if (at == NULL)
        return -1;
    memcpy(value, at, sizeof(*value));
    return 0;
}

/* Bind the next column; base is added to integers. Returns 0, or -1. */
static int bind_column(struct reader *r, sqlite3_stmt *stmt, int i,
                       sqlite3_int64 base)
{
    int type, bytes;
    const char *data;

    if (read_int(r, &type) != 0 || read_int(r, &bytes) != 0 || bytes < 0 ||
        (data = read_bytes(r, (size_t)bytes)) == NULL)
        return -1;
    if (type == SQLITE_INTEGER && bytes == sizeof(sqlite3_int64)) {
        sqlite3_int64 whole;

        memcpy(&whole, data, sizeof(whole));
        return sqlite3_bind_int64(stmt, i, whole + base) == SQLITE_OK ? 0 : -1;
    }
    if (type == SQLITE_FLOAT && bytes == sizeof(double)) {
        double real;

        memcpy(&real, data, sizeof(real));
        return sqlite3_bind_double(stmt, i, real) == SQLITE_OK ? 0 : -1;
    }
    if (type == SQLITE_NULL)
        return sqlite3_bind_null(stmt, i) == SQLITE_OK ? 0 : -1;
    return sqlite3_bind_text(stmt, i, data, bytes, SQLITE_STATIC) == SQLITE_OK
               ? 0
               : -1;
}

static enum chorale_err put_rows(struct chorale_store *store,
                                 struct reader *r, sqlite3_stmt **stmt,
                                 struct chorale_errmsg *msg)
{
    sqlite3_int64 base = 0;
    enum chorale_err err = chorale_store_int(
        store, "SELECT coalesce(max(run_id), 0) FROM run", 0, &base, msg);

    while (err == CHORALE_OK && r->at < r->end) {
        int t = -1, n = 0, bad = read_int(r, &t) != 0 || read_int(r, &n) != 0;

        bad = bad || t < 0 || t >= NTABLE;
        if (!bad && stmt[t] == NULL)
            err = chorale_store_prepare(store, table[t].into, &stmt[t], msg);
        bad = bad || (err == CHORALE_OK &&
                      n != sqlite3_bind_parameter_count(stmt[t]));
        for (int i = 1; i <= n && !bad && err == CHORALE_OK; i++)
            bad = bind_column(r, stmt[t], i,
                              i == 1 && table[t].is_run ? base : 0) != 0;
        if (bad)
            return chorale_fail(msg, CHORALE_ENV, "rows of a group: "
                                "incomplete; repeat the command, which "
                                "measures them again");
        if (err == CHORALE_OK)
            err = chorale_store_step(store, stmt[t], NULL, msg);
    }
    return err;
}

enum chorale_err chorale_rowbuf_unpack(struct chorale_store *store,
                                       const char *byte, int len,
                                       struct chorale_errmsg *msg)
{
    struct reader r = { byte, byte + len };
    sqlite3_stmt *stmt[NTABLE] = { NULL };
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = put_rows(store, &r, stmt, msg);
    for (int t = 0; t < NTABLE; t++)
        sqlite3_finalize(stmt[t]);
    return chorale_store_end(store, err, msg);
}
