/* SPDX-License-Identifier: BSD-3-Clause */
/* served_kinds.c - which type and operation represents a collective in a
 * table. */
#include "tuner/decide/served_kinds.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/coll.h"

/* The type and operation that represent a collective: double and sum (byte if
 * it does not reduce), else the first by name. */
static const char kinds_sql[] =
    "SELECT DISTINCT dtype, op FROM decision"
    " WHERE system_id = ?1 AND coll = ?2 AND target = ?3"
    "  AND op_class IN ('', 'builtin')"
    " ORDER BY NOT (dtype = CASE op WHEN '' THEN 'byte' ELSE 'double' END"
    "  AND op IN ('', 'sum')), dtype, op LIMIT 1";

enum chorale_err chorale_served_kind_find(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          const char *coll, const char *target,
                                          sqlite3_stmt **stmt_p, int *got_p,
                                          struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_query(
        store, kinds_sql, CHORALE_FIELDS(system_id, coll, target), stmt_p, msg);

    if (err != CHORALE_OK)
        return err;
    return chorale_store_step(store, *stmt_p, got_p, msg);
}

void chorale_served_kind_copy(sqlite3_stmt *stmt,
                              struct chorale_served_kind *kind)
{
    snprintf(kind->dtype, sizeof(kind->dtype), "%s", chorale_text(stmt, 0));
    snprintf(kind->op, sizeof(kind->op), "%s", chorale_text(stmt, 1));
}

enum chorale_err chorale_served_kind_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          const char *coll, const char *target,
                                          struct chorale_served_kind *kind,
                                          struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int got = 0;
    enum chorale_err err = chorale_served_kind_find(
        store, system_id, coll, target, &stmt, &got, msg);

    *kind = (struct chorale_served_kind){ "", "" };
    if (err == CHORALE_OK && got && chorale_coll_find(coll) >= 0)
        chorale_served_kind_copy(stmt, kind);
    sqlite3_finalize(stmt);
    return err;
}

const char *chorale_served_kind_instead(const struct chorale_served_kind *kind,
                                        const char *dtype, const char *op,
                                        const char *op_class, char text[72])
{
    text[0] = '\0';
    if (op_class[0] != '\0' && strcmp(op_class, "builtin") != 0)
        snprintf(text, 72, "library");
    else if (kind->dtype[0] != '\0' &&
             (strncmp(kind->dtype, dtype, sizeof(kind->dtype) - 1) != 0 ||
              strncmp(kind->op, op, sizeof(kind->op) - 1) != 0))
        snprintf(text, 72, "%s%s%s", kind->dtype,
                 kind->op[0] != '\0' ? " " : "", kind->op);
    return text;
}

const char *chorale_served_kind_note(const char *instead, char text[128])
{
    text[0] = '\0';
    if (strcmp(instead, "library") == 0)
        snprintf(text, 128, "not in the table, which leaves these operations "
                            "to the library");
    else if (instead[0] != '\0')
        snprintf(text, 128, "not in the table, which takes the row of %s here",
                 instead);
    return text;
}
