/* SPDX-License-Identifier: BSD-3-Clause */
/* excluded_points.c - count the points excluded in every launch. */
#include "config.h"

#include "tuner/model/excluded_points.h"

#include <stdio.h>

#define HAS(flag) "instr(',' || validity || ',', '," flag ",') > 0"

/* A cheap test first: the full query reads all runs, which may be a million. */
static const char any_sql[] =
    "SELECT EXISTS (SELECT 1 FROM run WHERE validity <> '' AND (" HAS("clock")
    " OR " HAS("suspicious") "))";

/* The same filter as in observations.c. */
static const char sql[] =
    "SELECT count(*) OVER (), coll, msg_size, comm_size FROM"
    " (SELECT coll, msg_size, comm_size, ppn, shape, dtype, op, root_policy,"
    "   buffers, max(" HAS("clock") " OR " HAS("suspicious") ") AS spoilt"
    "  FROM v_run WHERE system_id = ?1 AND status = 'ok'"
    "   AND metric = 'duration' AND arrival = 'sync' AND siblings = 'alone'"
    "   AND variant <> 'untouched' AND provider <> 'table'"
    "   AND (?2 IS NULL OR (coll = ?2 AND msg_size = ?3 AND comm_size = ?4))"
    "  GROUP BY coll, msg_size, comm_size, ppn, shape, dtype, op, root_policy,"
    "   buffers, launch_id)"
    " GROUP BY coll, msg_size, comm_size, ppn, shape, dtype, op, root_policy,"
    "  buffers HAVING min(spoilt) > 0"
    " ORDER BY coll, comm_size, msg_size LIMIT 1";

enum chorale_err chorale_excluded_count(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        enum chorale_coll coll, size_t msg_size,
                                        int comm_size,
                                        struct chorale_excluded_count *left,
                                        struct chorale_errmsg *msg)
{
    const char *name = coll != CHORALE_NCOLL ? chorale_coll_info(coll)->name
                                             : NULL;
    sqlite3_stmt *stmt = NULL;
    sqlite3_int64 any = 0;
    enum chorale_err err = chorale_store_int(store, any_sql, 0, &any, msg);

    *left = (struct chorale_excluded_count){ 0, "" };
    if (err == CHORALE_OK && any)
        err = chorale_store_query(
            store, sql, CHORALE_FIELDS(system_id, name, msg_size, comm_size),
            &stmt, msg);
    if (err != CHORALE_OK || !any)
        return err;
    if (chorale_store_next(store, stmt, &err, msg)) {
        left->count = sqlite3_column_int64(stmt, 0);
        snprintf(left->first, sizeof(left->first),
                 "%.32s of %lld bytes, P = %d",
                 chorale_text(stmt, 1),
                 (long long)sqlite3_column_int64(stmt, 2),
                 sqlite3_column_int(stmt, 3));
    }
    sqlite3_finalize(stmt);
    return err;
}
