/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_show.c - print an imported trace. */
#include "config.h"

#include "tuner/exchange/trace_show.h"

#include <stdio.h>

#include "algorithms/mpi_name.h"
#include "db/systems.h"
#include "tuner/base/rows.h"
#include "tuner/base/units.h"

#define TOP 10
#define LATE 3

static enum chorale_err show_head(struct chorale_store *store,
                                  sqlite3_int64 trace_id, int *rows_p,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    int row = 0;
    char wall[32], each[32], lost[32], library[CHORALE_MPI_NAME];
    enum chorale_err err = chorale_store_query(
        store, "SELECT program, comm_size, ranks, mpi_library, wall_mean,"
        " (SELECT total(seconds) FROM trace_point p"
        "   WHERE p.trace_id = t.trace_id) / ranks, part_rank, part,"
        " unlisted_calls, unlisted_seconds / ranks,"
        " (SELECT count(*) FROM v_trace v WHERE v.trace_id = t.trace_id)"
        " FROM trace t WHERE trace_id = ?1", CHORALE_FIELDS(trace_id), &s, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, s, &row, msg);
    if (err == CHORALE_OK && row) {
        double mean = sqlite3_column_double(s, 4);
        double inside = sqlite3_column_double(s, 5);

        chorale_mpi_name(chorale_text(s, 3), library);
        printf("  %s on %d ranks (%s)", chorale_text(s, 0),
               sqlite3_column_int(s, 1), library);
        if (sqlite3_column_type(s, 6) != SQLITE_NULL)
            printf("; of rank %d only: %s", sqlite3_column_int(s, 6),
                   chorale_text(s, 7));
        else if (sqlite3_column_int(s, 2) < sqlite3_column_int(s, 1))
            printf("; of %d of them", sqlite3_column_int(s, 2));
        printf("\n  a rank took %s, of which %s (%.1f %%) in collectives\n",
               chorale_human_seconds(mean, wall),
               chorale_human_seconds(inside, each),
               mean > 0 ? 100 * inside / mean : 0.0);
        if (sqlite3_column_int64(s, 8) > 0)
            printf("  in no row: %lld call%s of ranks, %s a rank\n",
                   (long long)sqlite3_column_int64(s, 8),
                   chorale_plural(sqlite3_column_int64(s, 8)),
                   chorale_human_seconds(sqlite3_column_double(s, 9), lost));
        *rows_p = sqlite3_column_int(s, 10);
    }
    sqlite3_finalize(s);
    return err;
}

/* Print the arrival patterns of the points, the largest time first. */
static enum chorale_err show_arrivals(struct chorale_store *store,
                                      sqlite3_int64 trace_id,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT group_concat(coll || ' ' || msg_size || ' B: ' ||"
        " arrival, ', ') FROM (SELECT coll, msg_size,"
        " arrival, sum(seconds) AS t FROM trace_point WHERE trace_id = ?1"
        " AND arrival NOT IN ('', 'sync') GROUP BY 1, 2, 3"
        " ORDER BY t DESC LIMIT ?2)", CHORALE_FIELDS(trace_id, LATE), &s, msg);

    if (chorale_store_next(store, s, &err, msg) && *chorale_text(s, 0) != '\0')
        printf("  ranks enter late: %s; 'chorale plan --from-trace --arrival "
               "traced' measures it\n", chorale_text(s, 0));
    sqlite3_finalize(s);
    return err;
}

enum chorale_err chorale_trace_show(struct chorale_store *store,
                                    sqlite3_int64 trace_id,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    struct chorale_rows rows = {
        .columns = "collective|m:B|P|placement|type|op|calls|a call:s|"
                   "share:%.1f %%", .indent = 2,
    };
    int nrow = 0;
    enum chorale_err err = show_head(store, trace_id, &nrow, msg);

    if (err == CHORALE_OK)
        err = chorale_store_query(
            store, "SELECT coll, msg_size, comm_size, shape, dtype,"
            " iif(op = '', '-', op), calls, call_seconds, share"
            " FROM v_trace WHERE trace_id = ?1"
            " ORDER BY share DESC, coll, comm_size, n LIMIT ?2",
            CHORALE_FIELDS(trace_id, TOP), &s, msg);
    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, s, &err, msg))
        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(chorale_text(s, 0), sqlite3_column_int64(s, 1),
                           sqlite3_column_int(s, 2), chorale_text(s, 3),
                           chorale_text(s, 4), chorale_text(s, 5),
                           sqlite3_column_double(s, 6),
                           sqlite3_column_double(s, 7),
                           sqlite3_column_double(s, 8)));
    chorale_rows_show(&rows, NULL);
    sqlite3_finalize(s);
    if (err == CHORALE_OK)
        err = show_arrivals(store, trace_id, msg);
    if (err == CHORALE_OK && nrow > TOP)
        printf("  and %d point%s more: SELECT * FROM v_trace\n", nrow - TOP,
               chorale_plural(nrow - TOP));
    return err;
}
