/* SPDX-License-Identifier: BSD-3-Clause */
/* exploratory.c - the mark of a table that few launches decided. */
#include "db/exploratory.h"

#include <stdio.h>

enum chorale_err chorale_exploratory(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_EXPLORATORY_TEXT],
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT exploratory FROM policy WHERE exploratory <> '' AND"
        " (?1 = 0 OR system_id = ?1) LIMIT 1", CHORALE_FIELDS(system_id), &stmt,
        msg);

    text[0] = '\0';
    if (chorale_store_next(store, stmt, &err, msg))
        snprintf(text, CHORALE_EXPLORATORY_TEXT, "%s", chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    return err;
}
