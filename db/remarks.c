/* SPDX-License-Identifier: BSD-3-Clause */
/* remarks.c - one-line remarks on a system's measurements. */
#include "db/remarks.h"

#include <stdio.h>

/* Set text to the first value of a query with the system as its parameter, or to
 * "" if the query returns no row. */
static enum chorale_err remark(struct chorale_store *store, const char *sql,
                               sqlite3_int64 system_id, char *text, size_t size,
                               struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, sql, CHORALE_FIELDS(system_id), &stmt, msg);

    text[0] = '\0';
    if (chorale_store_next(store, stmt, &err, msg))
        snprintf(text, size, "%s", chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_loaded_runs(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg)
{
    static const char sql[] =
        "SELECT printf('other programs took up to %.1f processors from the"
        " ranks in %d of %d launches: %d runs are tagged load; plan more"
        " --launches, on an idle machine',"
        "  (SELECT max(CAST(value AS REAL)) FROM environment JOIN launch"
        "    USING (launch_id) WHERE key = 'other_load'"
        "     AND (?1 = 0 OR system_id = ?1)),"
        "  count(DISTINCT launch_id),"
        "  (SELECT count(*) FROM launch WHERE ?1 = 0 OR system_id = ?1),"
        "  count(*))"
        " FROM run JOIN launch l USING (launch_id)"
        " WHERE validity <> '' AND (?1 = 0 OR system_id = ?1)"
        "  AND instr(',' || validity || ',', ',load,') > 0"
        " GROUP BY NULL"; /* no row without any */

    return remark(store, sql, system_id, text, CHORALE_LOADED_TEXT, msg);
}

enum chorale_err chorale_unbound_launches(struct chorale_store *store,
                                          char text[CHORALE_LOADED_TEXT],
                                          struct chorale_errmsg *msg)
{
    static const char sql[] =
        "SELECT printf('the launcher did not bind ranks to cores in %d of %d"
        " launches (%.80s); bind them by its own options, or give --no-bind',"
        "  count(*), (SELECT count(*) FROM launch WHERE ?1 = 0), min(b.value))"
        " FROM environment q JOIN environment b USING (launch_id)"
        " WHERE q.key = 'binding_request' AND q.value = 'core'"
        "  AND b.key = 'binding' AND b.value <> 'own processors'"
        " GROUP BY NULL"; /* no row without any */

    return remark(store, sql, 0, text, CHORALE_LOADED_TEXT, msg);
}

enum chorale_err chorale_self_tuning(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg)
{
    static const char sql[] =
        "SELECT printf('the MPI library tuned itself (%.80s) in %d of %d"
        " launches: gains over its default may not last; turn that off and"
        " measure again', min(value), count(*),"
        "  (SELECT count(*) FROM launch WHERE ?1 = 0 OR system_id = ?1))"
        " FROM environment JOIN launch USING (launch_id)"
        " WHERE key = 'self_tuning' AND (?1 = 0 OR system_id = ?1)"
        " GROUP BY NULL"; /* no row without any */

    return remark(store, sql, system_id, text, CHORALE_LOADED_TEXT, msg);
}

enum chorale_err chorale_exploratory(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_EXPLORATORY_TEXT],
                                     struct chorale_errmsg *msg)
{
    return remark(store, "SELECT exploratory FROM policy"
                  " WHERE exploratory <> '' AND (?1 = 0 OR system_id = ?1)"
                  " LIMIT 1", system_id, text, CHORALE_EXPLORATORY_TEXT, msg);
}

static const char spread_sql[] =
    "SELECT count(*) OVER (), coll, msg_size, comm_size, least, most"
    " FROM (SELECT c.coll, c.msg_size, c.comm_size, min(s.median) AS least,"
    "   max(s.median) AS most FROM run r JOIN run_summary s USING (run_id)"
    "   JOIN cell c USING (cell_id) WHERE c.system_id = ?1 AND"
    "   r.status = 'ok' AND instr(',' || r.validity || ',', ',imported,') > 0"
    "   GROUP BY c.coll, c.msg_size, c.comm_size, c.ppn, c.shape, c.dtype,"
    "   c.op, c.provider, c.variant, c.params, c.metric)"
    " WHERE most > least * ?2 ORDER BY most / least DESC LIMIT 1";

enum chorale_err chorale_imported_spread(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         char text[CHORALE_SPREAD_TEXT],
                                         struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, spread_sql, CHORALE_FIELDS(system_id, CHORALE_IMPORT_FACTOR), &stmt,
        msg);

    text[0] = '\0';
    if (chorale_store_next(store, stmt, &err, msg))
        snprintf(text, CHORALE_SPREAD_TEXT, "imported launches differ by more "
                 "than a factor of %d at %lld point%s, most at %.40s of %lld "
                 "bytes at P = %d: %.4g us and %.4g us count as one; import "
                 "each placement as a system of its own (--system)",
                 CHORALE_IMPORT_FACTOR,
                 (long long)sqlite3_column_int64(stmt, 0),
                 sqlite3_column_int64(stmt, 0) == 1 ? "" : "s",
                 chorale_text(stmt, 1),
                 (long long)sqlite3_column_int64(stmt, 2),
                 sqlite3_column_int(stmt, 3),
                 sqlite3_column_double(stmt, 4) * 1e6,
                 sqlite3_column_double(stmt, 5) * 1e6);
    sqlite3_finalize(stmt);
    return err;
}
