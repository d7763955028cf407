/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_sql.c - SQL helpers of a merge. */
#include "config.h"

#include "db/merge_sql.h"

#include <stdio.h>
#include <string.h>

enum chorale_err chorale_merge_check(struct merge *m, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return CHORALE_OK;
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
        return chorale_fail(m->msg, CHORALE_DATA,
                            "%s: does not fit into %s (%s); restore a copy, or "
                            "merge it into another database", m->name, m->into,
                            sqlite3_errmsg(chorale_store_db(m->store)));
    case SQLITE_CORRUPT:
        m->stop = 1;
        return chorale_fail(m->msg, CHORALE_DATA,
                            "%s, or %s: damaged (%s); restore a copy of the "
                            "damaged one", m->into, m->name,
                            sqlite3_errmsg(chorale_store_db(m->store)));
    default:
        m->stop = 1;
        return chorale_store_check(m->store, rc, m->msg);
    }
}

/* Execute a statement, binding block to the parameters that it has. */
static enum chorale_err execute(struct merge *m, const char *sql,
                                const struct merge_block *block,
                                sqlite3_int64 *rows_p)
{
    sqlite3 *db = chorale_store_db(m->store);
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_merge_check(m,
                                               sqlite3_prepare_v2(db, sql, -1,
                                                                  &stmt,
                                                                  NULL));

    if (err == CHORALE_OK && sqlite3_bind_parameter_count(stmt) > 0)
        sqlite3_bind_int64(stmt, 1, block->base);
    if (err == CHORALE_OK && sqlite3_bind_parameter_count(stmt) > 2) {
        sqlite3_bind_int64(stmt, 2, block->from);
        sqlite3_bind_int64(stmt, 3, block->upto);
    }
    if (err == CHORALE_OK)
        err = chorale_merge_check(m, sqlite3_step(stmt));
    if (err == CHORALE_OK && rows_p != NULL)
        *rows_p = sqlite3_changes(db);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_merge_execute(struct merge *m, const char *sql,
                                       sqlite3_int64 number)
{
    const struct merge_block block = { number, 0, 0 };

    return execute(m, sql, &block, NULL);
}

enum chorale_err chorale_merge_count(struct merge *m, const char *sql,
                                     sqlite3_int64 *count_p)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = chorale_store_db(m->store);
    enum chorale_err err = chorale_merge_check(m,
                                               sqlite3_prepare_v2(db, sql, -1,
                                                                  &stmt,
                                                                  NULL));

    if (err == CHORALE_OK)
        err = chorale_merge_check(m, sqlite3_step(stmt));
    if (err == CHORALE_OK)
        *count_p = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_merge_refuse(struct merge *m,
                                      const struct merge_contradiction *list,
                                      size_t n)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < n && err == CHORALE_OK; i++) {
        sqlite3_stmt *stmt = NULL;
        int rc = SQLITE_OK;

        err = chorale_merge_check(m,
                                  sqlite3_prepare_v2(chorale_store_db(m->store),
                                                     list[i].sql, -1, &stmt,
                                                     NULL));
        if (err == CHORALE_OK) {
            rc = sqlite3_step(stmt);
            err = chorale_merge_check(m, rc);
        }
        if (err == CHORALE_OK && rc == SQLITE_ROW)
            err = chorale_fail(m->msg, CHORALE_DATA,
                               "%s: contradicts %s: %.200s %s there; merge it "
                               "into another database", m->name, m->into,
                               (const char *)sqlite3_column_text(stmt, 0),
                               list[i].is);
        sqlite3_finalize(stmt);
    }
    return err;
}

/* Append the value that a column gets in target: a column of the shard's row s,
 * or a translated id. */
static void add_value(sqlite3_str *sql, const char *table, const char *column)
{
    static const char *const value[][2] = {
        { "system_id", "y.new" }, { "campaign_id", "p.new" },
        { "cell_id", "c.new" },   { "launch_id", "l.new" },
        { "run_id", "?1 + r.place" }, { "trace_id", "u.trace_id" },
    };

    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
        if (strcmp(column, value[i][0]) == 0) {
            sqlite3_str_appendall(sql, value[i][1]);
            return;
        }
    if (strcmp(table, "launch") == 0 && strcmp(column, "status") == 0)
        sqlite3_str_appendall(sql, "iif(s.status = 'running', 'failed',"
                              " s.status)");
    else if (strcmp(table, "launch") == 0 && strcmp(column, "reason") == 0)
        sqlite3_str_appendall(sql, "iif(s.status = 'running', 'killed',"
                              " s.reason)");
    else
        sqlite3_str_appendf(sql, "s.\"%w\"", column);
}

enum chorale_err chorale_merge_copy(struct merge *m, const char *table,
                                    const char *own, const char *from,
                                    const char *rest,
                                    const struct merge_block *block,
                                    sqlite3_int64 *rows_p)
{
    static const struct merge_block none = { 0, 0, 0 };
    sqlite3 *db = chorale_store_db(m->store);
    sqlite3_str *into = sqlite3_str_new(db), *values = sqlite3_str_new(db);
    sqlite3_stmt *stmt = NULL;
    char *sql, *list;
    int rc = sqlite3_prepare_v2(db, "SELECT name FROM"
                                " pragma_table_info(?1, 'shard')"
                                " WHERE name <> ?2", -1, &stmt, NULL);
    enum chorale_err err = chorale_merge_check(m, rc);

    if (err == CHORALE_OK) {
        sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 2, own, -1, SQLITE_STATIC);
    }
    while (err == CHORALE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const char *comma = sqlite3_str_length(into) > 0 ? ", " : "";

        sqlite3_str_appendf(into, "%s\"%w\"", comma, name);
        sqlite3_str_appendall(values, comma);
        add_value(values, table, name);
    }
    if (err == CHORALE_OK)
        err = chorale_merge_check(m, rc);
    sqlite3_finalize(stmt);
    list = sqlite3_str_finish(values);
    sqlite3_str_appendf(into, ") SELECT %s FROM %s WHERE true %s", list, from,
                        rest);
    sqlite3_free(list);
    list = sqlite3_str_finish(into);
    sql = sqlite3_mprintf("INSERT INTO main.\"%w\" (%s", table, list);
    if (err == CHORALE_OK)
        err = sql != NULL && list != NULL
                  ? execute(m, sql, block != NULL ? block : &none, rows_p)
                  : chorale_merge_check(m, SQLITE_NOMEM);
    sqlite3_free(list);
    sqlite3_free(sql);
    return err;
}
