/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - the SQLite file: statements, transactions. */
#include "config.h"

#include "db/store.h"

enum chorale_err chorale_store_prepare(struct chorale_store *store,
                                       const char *sql, sqlite3_stmt **stmt_p,
                                       struct chorale_errmsg *msg)
{
    sqlite3 *db = chorale_store_db(store);

    return chorale_store_check(
        store, sqlite3_prepare_v2(db, sql, -1, stmt_p, NULL), msg);
}

enum chorale_err chorale_store_step(struct chorale_store *store,
                                    sqlite3_stmt *stmt, int *row_p,
                                    struct chorale_errmsg *msg)
{
    int rc = sqlite3_step(stmt);
    enum chorale_err err = chorale_store_check(store, rc, msg);

    if (rc != SQLITE_ROW)
        sqlite3_reset(stmt);
    if (err == CHORALE_OK && row_p != NULL)
        *row_p = rc == SQLITE_ROW;
    return err;
}

static int bind_value(sqlite3_stmt *stmt, int i, const struct chorale_field *v)
{
    switch (v->type) {
    case CHORALE_FIELD_INT:
        return sqlite3_bind_int64(stmt, i, v->integer);
    case CHORALE_FIELD_REAL:
        return sqlite3_bind_double(stmt, i, v->real);
    case CHORALE_FIELD_TEXT:
        return sqlite3_bind_text(stmt, i, v->text, -1, SQLITE_TRANSIENT);
    default:
        return sqlite3_bind_null(stmt, i);
    }
}

enum chorale_err chorale_store_bind(struct chorale_store *store,
                                    sqlite3_stmt *stmt, int first,
                                    struct chorale_fields values,
                                    struct chorale_errmsg *msg)
{
    int last = sqlite3_bind_parameter_count(stmt), rc = SQLITE_OK;

    sqlite3_reset(stmt);
    for (int i = 0; i < values.count && first + i <= last && rc == SQLITE_OK;
         i++)
        rc = bind_value(stmt, first + i, &values.value[i]);
    return chorale_store_check(store, rc, msg);
}

enum chorale_err chorale_store_query(struct chorale_store *store,
                                     const char *sql,
                                     struct chorale_fields values,
                                     sqlite3_stmt **stmt_p,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err;

    *stmt_p = NULL;
    err = chorale_store_prepare(store, sql, stmt_p, msg);
    if (err == CHORALE_OK)
        err = chorale_store_bind(store, *stmt_p, 1, values, msg);
    if (err != CHORALE_OK) {
        sqlite3_finalize(*stmt_p);
        *stmt_p = NULL;
    }
    return err;
}

int chorale_store_next(struct chorale_store *store, sqlite3_stmt *stmt,
                       enum chorale_err *err_p, struct chorale_errmsg *msg)
{
    int row = 0;

    if (*err_p == CHORALE_OK)
        *err_p = chorale_store_step(store, stmt, &row, msg);
    return row;
}

enum chorale_err chorale_store_put(struct chorale_store *store,
                                   sqlite3_stmt *stmt, int first,
                                   struct chorale_fields values,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_bind(store, stmt, first, values, msg);

    return err == CHORALE_OK ? chorale_store_step(store, stmt, NULL, msg)
                             : err;
}

enum chorale_err chorale_store_run(struct chorale_store *store,
                                   const char *sql,
                                   struct chorale_fields values,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(store, sql, values, &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, NULL, msg);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_store_insert(struct chorale_store *store,
                                      const char *sql,
                                      struct chorale_fields values,
                                      sqlite3_int64 *id_p,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_run(store, sql, values, msg);

    if (err == CHORALE_OK)
        *id_p = sqlite3_last_insert_rowid(chorale_store_db(store));
    return err;
}

const char *chorale_text(sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);

    return text != NULL ? (const char *)text : "";
}

enum chorale_err chorale_store_exec(struct chorale_store *store,
                                    const char *sql,
                                    struct chorale_errmsg *msg)
{
    sqlite3 *db = chorale_store_db(store);

    return chorale_store_check(store, sqlite3_exec(db, sql, NULL, NULL, NULL),
                               msg);
}

enum chorale_err chorale_store_find(struct chorale_store *store,
                                    const char *sql,
                                    struct chorale_fields values,
                                    sqlite3_int64 fallback,
                                    sqlite3_int64 *value_p,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(store, sql, values, &stmt, msg);
    int row = chorale_store_next(store, stmt, &err, msg);

    if (err == CHORALE_OK)
        *value_p = row ? sqlite3_column_int64(stmt, 0) : fallback;
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_store_int(struct chorale_store *store,
                                   const char *sql, sqlite3_int64 fallback,
                                   sqlite3_int64 *value_p,
                                   struct chorale_errmsg *msg)
{
    return chorale_store_find(store, sql, CHORALE_NO_FIELDS, fallback, value_p,
                              msg);
}

enum chorale_err chorale_store_begin(struct chorale_store *store,
                                     struct chorale_errmsg *msg)
{
    return chorale_store_exec(store, "BEGIN IMMEDIATE", msg);
}

enum chorale_err chorale_store_commit(struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    return chorale_store_exec(store, "COMMIT", msg);
}

void chorale_store_rollback(struct chorale_store *store)
{
    sqlite3 *db = chorale_store_db(store);

    if (!sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

enum chorale_err chorale_store_end(struct chorale_store *store,
                                   enum chorale_err err,
                                   struct chorale_errmsg *msg)
{
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK)
        chorale_store_rollback(store);
    return err;
}
