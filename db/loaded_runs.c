/* SPDX-License-Identifier: BSD-3-Clause */
/* loaded_runs.c - counts the runs that other programs may have disturbed. */
#include "db/loaded_runs.h"

#include <stdio.h>

static const char sql[] =
    "SELECT count(DISTINCT launch_id), count(*),"
    " (SELECT count(*) FROM launch WHERE ?1 = 0 OR system_id = ?1),"
    " (SELECT max(CAST(value AS REAL)) FROM environment JOIN launch"
    "   USING (launch_id) WHERE key = 'other_load'"
    "    AND (?1 = 0 OR system_id = ?1))"
    " FROM run JOIN launch l USING (launch_id)"
    " WHERE validity <> '' AND (?1 = 0 OR system_id = ?1)"
    "  AND instr(',' || validity || ',', ',load,') > 0";

enum chorale_err chorale_loaded_runs(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, sql, CHORALE_FIELDS(system_id), &stmt, msg);

    text[0] = '\0';
    if (chorale_store_next(store, stmt, &err, msg) &&
        sqlite3_column_int64(stmt, 1) > 0)
        snprintf(text, CHORALE_LOADED_TEXT, "other programs took up to %.1f "
                 "processors from the ranks in %lld of %lld launches: %lld "
                 "runs are tagged load; plan more --launches, on an idle "
                 "machine", sqlite3_column_double(stmt, 3),
                 (long long)sqlite3_column_int64(stmt, 0),
                 (long long)sqlite3_column_int64(stmt, 2),
                 (long long)sqlite3_column_int64(stmt, 1));
    sqlite3_finalize(stmt);
    return err;
}
