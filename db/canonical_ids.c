/* SPDX-License-Identifier: BSD-3-Clause */
/* canonical_ids.c - renumber rows by their content. */
#include "config.h"

#include "db/canonical_ids.h"

#include <stddef.h>

/* The renumbered tables with their sort keys. Cells and launches are sorted by
 * the new ids of systems and campaigns, so those tables come first. */
static const struct kind {
    const char *table, *by;
} kinds[] = {
    { "system", "created, uuid" },
    { "campaign", "created, round, again, validates, uuid" },
    { "cell", "(SELECT new FROM temp.new_system WHERE old = system_id), coll,"
              " shape, comm_size, ppn, dtype, op, root_policy, buffers,"
              " arrival, siblings, metric, msg_size, provider, variant,"
              " params" },
    { "launch", "started, (SELECT new FROM temp.new_campaign"
                "  WHERE old = campaign_id), ordinal, part, comm_size, ppn,"
                " siblings, uuid" },
    { "trace", "started, uuid" },
};

#define NKIND (sizeof(kinds) / sizeof(kinds[0]))

/* Execute a statement made by sqlite3_mprintf(), and free it. */
static enum chorale_err execute(struct chorale_store *store, char *sql,
                                struct chorale_errmsg *msg)
{
    enum chorale_err err = sql != NULL
                               ? chorale_store_exec(store, sql, msg)
                               : chorale_store_check(store, SQLITE_NOMEM, msg);

    sqlite3_free(sql);
    return err;
}

/* Make the table temp.new_TABLE with the old and new id of each row. Adds the
 * number of changed ids to *moved_p. */
static enum chorale_err number(struct chorale_store *store,
                               const struct kind *kind, sqlite3_int64 *moved_p,
                               struct chorale_errmsg *msg)
{
    char *count = sqlite3_mprintf("SELECT count(*) FROM temp.new_%s"
                                  " WHERE old <> new", kind->table);
    sqlite3_int64 moved = 0;
    enum chorale_err err = execute(
        store, sqlite3_mprintf("CREATE TEMP TABLE new_%s"
                               " (old INTEGER PRIMARY KEY, new NOT NULL);"
                               "INSERT INTO temp.new_%s SELECT %s_id,"
                               " row_number() OVER (ORDER BY %s) FROM main.%s",
                               kind->table, kind->table, kind->table, kind->by,
                               kind->table), msg);

    if (err == CHORALE_OK)
        err = count != NULL
                  ? chorale_store_int(store, count, 0, &moved, msg)
                  : chorale_store_check(store, SQLITE_NOMEM, msg);
    sqlite3_free(count);
    *moved_p += moved;
    return err;
}

/* One row for each table with renumbered columns: the expressions that set the
 * columns to the negated new ids, and then make them positive. The detour by
 * negative numbers keeps ids unique at every step. */
#define COLUMNS                                                              \
    "WITH kind(name) AS (VALUES ('system'), ('campaign'), ('cell'),"         \
    "   ('launch'), ('trace')),"                                             \
    " held(tab, col, kind) AS ("                                             \
    "   SELECT name, name || '_id', name FROM kind UNION ALL"                \
    "   SELECT m.name, f.\"from\", f.\"table\" FROM main.sqlite_master m"    \
    "   CROSS JOIN pragma_foreign_key_list(m.name, 'main') f"                \
    "   WHERE m.type = 'table' AND f.\"table\" IN (SELECT name FROM kind))"  \
    "SELECT tab, group_concat(printf('\"%w\" = -(SELECT new FROM'"           \
    "   || ' temp.new_%s WHERE old = \"%w\")', col, kind, col), ', '),"      \
    " group_concat(printf('\"%w\" IN (SELECT old FROM temp.new_%s'"          \
    "   || ' WHERE old <> new)', col, kind), ' OR '),"                       \
    " group_concat(printf('\"%w\" = -\"%w\"', col, col), ', '),"             \
    " group_concat(printf('\"%w\" < 0', col), ' OR ') FROM held GROUP BY tab"

static enum chorale_err move(struct chorale_store *store,
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, COLUMNS, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        const char *text[5];

        for (int i = 0; i < 5; i++)
            text[i] = chorale_text(stmt, i);
        err = execute(store, sqlite3_mprintf("UPDATE main.\"%w\" SET %s"
                                             " WHERE %s;"
                                             "UPDATE main.\"%w\" SET %s"
                                             " WHERE %s", text[0], text[1],
                                             text[2], text[0], text[3],
                                             text[4]), msg);
    }
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err renumber(struct chorale_store *store,
                                 struct chorale_errmsg *msg)
{
    sqlite3_int64 moved = 0;
    enum chorale_err err = chorale_store_begin(store, msg);

    for (size_t i = 0; i < NKIND && err == CHORALE_OK; i++)
        err = number(store, &kinds[i], &moved, msg);
    if (err == CHORALE_OK && moved > 0)
        err = move(store, msg);
    return err == CHORALE_OK ? chorale_store_commit(store, msg) : err;
}

enum chorale_err chorale_ids_renumber(struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    /* References hold old ids until all tables are updated. */
    enum chorale_err err = chorale_store_exec(
        store, "PRAGMA foreign_keys = OFF", msg);

    if (err == CHORALE_OK)
        err = renumber(store, msg);
    chorale_store_rollback(store);
    for (size_t i = 0; i < NKIND; i++) {
        char *drop = sqlite3_mprintf("DROP TABLE IF EXISTS temp.new_%s",
                                     kinds[i].table);

        if (drop != NULL)
            sqlite3_exec(chorale_store_db(store), drop, NULL, NULL, NULL);
        sqlite3_free(drop);
    }
    sqlite3_exec(chorale_store_db(store), "PRAGMA foreign_keys = ON", NULL,
                 NULL, NULL);
    return err;
}
