/* SPDX-License-Identifier: BSD-3-Clause */
/* migrate.c - upgrade a database to the current schema. Order of the steps:
 * "Making Other Kinds Of Table Schema Changes" in SQLite's ALTER TABLE page. */
#include "config.h"

#include "db/migrate.h"

#include <stdio.h>

#define MAX_OBJECTS 10000 /* a forged schema must not cause an endless loop */

/* Fill temp.wanted with the wanted schema, one object a row. It is read back
 * from a database in memory, so that its text is as SQLite stores it. */
static enum chorale_err load_wanted(struct chorale_store *store,
                                    const char *schema,
                                    struct chorale_errmsg *msg)
{
    sqlite3 *model = NULL;
    sqlite3_stmt *in = NULL, *out = NULL;
    enum chorale_err err;

    err = chorale_store_prepare(store, "INSERT INTO temp.wanted"
                                " VALUES (?,?,?)", &out, msg);
    if (err == CHORALE_OK &&
        (sqlite3_open(":memory:", &model) != SQLITE_OK ||
         sqlite3_exec(model, schema, NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_prepare_v2(model, "SELECT type, name, sql FROM sqlite_master"
                            " WHERE sql IS NOT NULL", -1, &in, NULL) !=
             SQLITE_OK))
        err = chorale_fail(msg, CHORALE_ENV, "the schema: %s; end other "
                           "programs, and repeat the command",
                           sqlite3_errmsg(model));
    while (err == CHORALE_OK && sqlite3_step(in) == SQLITE_ROW) {
        for (int i = 0; i < 3; i++)
            sqlite3_bind_value(out, i + 1, sqlite3_column_value(in, i));
        err = chorale_store_step(store, out, NULL, msg);
    }
    sqlite3_finalize(in);
    sqlite3_finalize(out);
    sqlite3_close(model);
    return err;
}

/* Run the first statement of each text returned by the query, until the query
 * is empty. Each statement must remove its row from the query's result. */
static enum chorale_err execute_found(struct chorale_store *store,
                                      const char *query,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *find = NULL, *stmt;
    enum chorale_err err;
    int row;

    for (int i = 0; i < MAX_OBJECTS; i++) {
        char *sql = NULL;

        err = chorale_store_prepare(store, query, &find, msg);
        if (err == CHORALE_OK)
            err = chorale_store_step(store, find, &row, msg);
        if (err == CHORALE_OK && row)
            sql = sqlite3_mprintf("%s", sqlite3_column_text(find, 0));
        sqlite3_finalize(find);
        if (err != CHORALE_OK || !row)
            return err;
        if (sql == NULL)
            return chorale_store_check(store, SQLITE_NOMEM, msg);
        stmt = NULL;
        err = chorale_store_prepare(store, sql, &stmt, msg);
        sqlite3_free(sql);
        if (err == CHORALE_OK)
            err = chorale_store_step(store, stmt, NULL, msg);
        sqlite3_finalize(stmt);
        if (err != CHORALE_OK)
            return err;
    }
    return chorale_fail(msg, CHORALE_DATA, "%s: its schema is damaged; "
                        "restore a copy", chorale_store_path(store));
}

/* Finds a table whose definition, from its first bracket on, has changed. */
#define DIFFERS                                                             \
    "SELECT w.name FROM temp.wanted w JOIN main.sqlite_master o"            \
    " ON o.type = 'table' AND o.name = w.name WHERE w.type = 'table'"       \
    " AND substr(o.sql, instr(o.sql, '(')) <>"                              \
    "     substr(w.sql, instr(w.sql, '(')) LIMIT 1"

/* Returns in one text the statements that rebuild table ?1. */
#define REBUILD                                                             \
    "SELECT 'CREATE TABLE main.\"new ' || w.name || '\" '"                  \
    " || substr(w.sql, instr(w.sql, '('))"                                  \
    " || ';INSERT INTO main.\"new ' || w.name || '\" (' || c.list"          \
    " || ') SELECT ' || c.list || ' FROM main.\"' || w.name"                \
    " || '\";DROP TABLE main.\"' || w.name"                                 \
    " || '\";ALTER TABLE main.\"new ' || w.name"                            \
    " || '\" RENAME TO \"' || w.name || '\"'"                               \
    " FROM temp.wanted w, (SELECT group_concat('\"'"                        \
    "   || replace(name, '\"', '\"\"') || '\"') AS list"                    \
    "   FROM pragma_table_info(?1, 'main')) c"                              \
    " WHERE w.type = 'table' AND w.name = ?1"

static enum chorale_err rebuild_tables(struct chorale_store *store,
                                       struct chorale_errmsg *msg)
{
    sqlite3_stmt *find = NULL, *text = NULL;
    enum chorale_err err;

    err = chorale_store_prepare(store, DIFFERS, &find, msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(store, REBUILD, &text, msg);
    while (chorale_store_next(store, find, &err, msg)) {
        char *sql = NULL;

        sqlite3_bind_value(text, 1, sqlite3_column_value(find, 0));
        err = chorale_store_step(store, text, NULL, msg);
        if (err == CHORALE_OK)
            sql = sqlite3_mprintf("%s", sqlite3_column_text(text, 0));
        /* A table cannot be dropped while a statement is active. */
        sqlite3_reset(find);
        sqlite3_reset(text);
        if (err == CHORALE_OK)
            err = sql != NULL ? chorale_store_exec(store, sql, msg)
                              : chorale_store_check(store, SQLITE_NOMEM, msg);
        sqlite3_free(sql);
    }
    sqlite3_finalize(find);
    sqlite3_finalize(text);
    return err;
}

static enum chorale_err check_references(struct chorale_store *store,
                                         struct chorale_errmsg *msg)
{
    sqlite3_int64 broken = 0;
    enum chorale_err err =
        chorale_store_int(store, "SELECT count(*) FROM"
                          " pragma_foreign_key_check", 0, &broken, msg);

    if (err == CHORALE_OK && broken > 0)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: the file is damaged (%lld rows refer to rows "
                           "that are gone); restore a copy",
                           chorale_store_path(store), (long long)broken);
    return err;
}

static enum chorale_err migrate(struct chorale_store *store,
                                const char *schema,
                                struct chorale_errmsg *msg)
{
    char version[128];
    enum chorale_err err;

    err = chorale_store_exec(
        store,
        "CREATE TEMP TABLE wanted (type, name, sql);"
        "CREATE TEMP TABLE kept AS SELECT type, name, sql"
        "  FROM main.sqlite_master"
        " WHERE type <> 'table' AND sql IS NOT NULL", msg);
    if (err == CHORALE_OK)
        err = load_wanted(store, schema, msg);
    /* Renaming a table parses all views, so they must be dropped before. */
    if (err == CHORALE_OK)
        err = execute_found(store,
                            "SELECT 'DROP VIEW main.\"'"
                            " || replace(name, '\"', '\"\"') || '\"'"
                            "  FROM main.sqlite_master WHERE type = 'view'"
                            " LIMIT 1", msg);
    if (err == CHORALE_OK)
        err = rebuild_tables(store, msg);
#define MISSING(from)                                                       \
    "SELECT sql FROM temp." from " WHERE name NOT IN"                       \
    " (SELECT name FROM main.sqlite_master) LIMIT 1"
    if (err == CHORALE_OK)
        err = execute_found(store, MISSING("wanted"), msg);
    if (err == CHORALE_OK)
        err = execute_found(store, MISSING("kept"), msg);
    if (err == CHORALE_OK)
        err = check_references(store, msg);
    snprintf(version, sizeof(version),
             "DROP TABLE temp.wanted; DROP TABLE temp.kept;"
             "PRAGMA user_version = %d", CHORALE_SCHEMA_VERSION);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, version, msg);
    return err;
}

enum chorale_err chorale_migrate(struct chorale_store *store,
                                 const char *schema,
                                 struct chorale_errmsg *msg)
{
    sqlite3_int64 version = 0;
    enum chorale_err err = CHORALE_OK;

    /* An older version of chorale may be using the file. */
    if (chorale_store_locked(store, CHORALE_LOCK_CAMPAIGN) ||
        chorale_store_locked(store, CHORALE_LOCK_RUNNER))
        err = chorale_fail(msg, CHORALE_ENV,
                           "%s: another chorale command is working on it; "
                           "wait for it or end it, then repeat the command",
                           chorale_store_path(store));
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, "PRAGMA foreign_keys = OFF", msg);
    if (err == CHORALE_OK)
        err = chorale_store_begin(store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(store, "PRAGMA user_version", 0, &version,
                                msg);
    /* Another command of this version may have upgraded it meanwhile. */
    if (err == CHORALE_OK && version < CHORALE_SCHEMA_VERSION)
        err = migrate(store, schema, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    chorale_store_rollback(store);
    return err;
}
