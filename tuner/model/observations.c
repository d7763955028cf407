/* SPDX-License-Identifier: BSD-3-Clause */
/* observations.c - load the runs of one system, as common rows for models and
 * decisions. */
#include "tuner/model/observations.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/link_fit.h"

/* Times are rounded to a picosecond, below the resolution of any clock. The
 * last digits of a simulated clock depend on how long the program ran before;
 * equal schedules must have equal times also after an interruption. */
#define TICK 1e-12

/* If the clock synchronisation was lost or a time is below the physical
 * minimum, the whole point of that launch is excluded. Excluding single
 * candidates would remove the fast ones. */
#define HAS(flag) "instr(',' || validity || ',', '," flag ",') > 0"

/* 1 if a validation in that pattern found the choice of row x slower. */
#define SLOW(pattern)                                                       \
    "EXISTS (SELECT 1 FROM slow s WHERE s.arrival = " pattern               \
    "   AND s.coll = x.coll AND s.comm_size = x.comm_size"                  \
    "   AND s.ppn = x.ppn AND s.shape = x.shape AND s.dtype = x.dtype"      \
    "   AND s.op = x.op AND s.msg_size = x.msg_size AND s.choice ="         \
    "    x.variant || iif(x.params = '', '', ':' || x.params))"

static const char runs_sql[] =
    /* For each cell with synchronous arrival: its times under skewed
     * arrival. */
    "WITH late AS (SELECT cell_id, max(t) AS late, count(*) AS patterns FROM"
    " (SELECT s.cell_id, avg(CASE ?2 WHEN 0 THEN median ELSE p95 END) AS t"
    "   FROM v_run a JOIN cell s USING (system_id, coll, comm_size, msg_size,"
    "    ppn, shape, dtype, op, root_policy, buffers, siblings, metric,"
    "    provider, variant, params)"
    "  WHERE system_id = ?1 AND metric = 'duration' AND siblings = 'alone'"
    "   AND a.arrival <> 'sync' AND s.arrival = 'sync' AND status = 'ok'"
    "   AND median IS NOT NULL AND NOT (" HAS("clock") " OR "
    HAS("suspicious") " OR " HAS("oversubscribed") ")"
    "  GROUP BY a.cell_id) GROUP BY cell_id),"
    /* Choices that were slower than the library when validated. */
    " slow AS (SELECT coll, comm_size, ppn, shape, dtype, op, msg_size, choice,"
    "  arrival FROM validation WHERE system_id = ?1 AND slower"
    "  AND choice <> 'library') "
    "SELECT coll, comm_size, ppn, shape, dtype, op, op_class, msg_size, n,"
    " provider, variant, params, root_policy || ' ' || buffers, launch,"
    " ordinal, ok, seconds, late, patterns, launch_id, batch, arrival, skew,"
    " loaded, not_duration,"
    " provider = 'chorale' AND " SLOW("x.arrival") ","
    " provider = 'chorale' AND ?3 = 2 AND " SLOW("'robust'") ", imported FROM"
    " (SELECT v.coll, v.comm_size, ppn, shape, dtype, op, op_class, v.msg_size,"
    "   n, provider, variant, params, root_policy, buffers, ordinal, launch_id,"
    "   batch, late, patterns, v.arrival,"
    "   (SELECT r.skew FROM run r WHERE r.run_id = v.run_id"
    "     AND v.arrival <> 'sync') AS skew,"
    /* A native algorithm with its own launch is compared with the library's
     * launch of that ordinal, in simulation with all of them. */
    "   CASE WHEN kind = 'simulated' THEN 'ordinal ' || ordinal"
    "    WHEN provider = 'native' AND part <> '' THEN coalesce((SELECT l.uuid"
    "     FROM cell b JOIN run q USING (cell_id) JOIN launch l"
    "      ON l.launch_id = q.launch_id WHERE b.system_id = v.system_id"
    "      AND b.coll = v.coll AND b.comm_size = v.comm_size"
    "      AND b.msg_size = v.msg_size AND b.ppn = v.ppn"
    "      AND b.shape = v.shape AND b.dtype = v.dtype AND b.op = v.op"
    "      AND b.root_policy = v.root_policy AND b.buffers = v.buffers"
    "      AND b.arrival = v.arrival AND b.siblings = v.siblings"
    "      AND b.metric = v.metric AND b.provider = 'library'"
    "      AND b.variant = 'default' AND l.ordinal = v.ordinal"
    "      AND q.status = 'ok' ORDER BY l.launch_id DESC LIMIT 1), launch)"
    "    ELSE launch END AS launch,"
    "   status = 'ok' AND median > 0 AND NOT " HAS("oversubscribed")
    "    AND stop_reason <> 'unequal' AS ok, " HAS("load") " AS loaded,"
    "   " HAS("not a duration") " AS not_duration,"
    "   " HAS("imported") " AS imported,"
    "   CASE ?2 WHEN 0 THEN median ELSE p95 END AS seconds,"
    "   max(" HAS("clock") " OR " HAS("suspicious") ") OVER"
    "    (PARTITION BY launch_id, v.coll, v.msg_size, dtype, op, root_policy,"
    "     buffers, v.arrival) AS spoilt"
    " FROM v_run v LEFT JOIN late USING (cell_id)"
    " WHERE system_id = ?1 AND status <> 'inapplicable'"
    "  AND metric = 'duration' AND siblings = 'alone' AND (v.arrival = 'sync'"
    "   OR (?3 = 1 AND EXISTS (SELECT 1 FROM v_arrival a"
    "        WHERE a.coll = v.coll AND a.comm_size = v.comm_size"
    "         AND a.msg_size = v.msg_size AND a.arrival = v.arrival))"
    "   OR (?3 = 2 AND (v.arrival GLOB 'last:*'"
    "                   OR v.arrival GLOB 'ascending:*')))"
    "  AND variant <> 'untouched' AND provider <> 'table') x"
    " WHERE NOT spoilt"
    " ORDER BY coll, comm_size, ppn, shape, dtype, op, n,"
    " provider, variant, params, root_policy, buffers, ordinal, launch,"
    " arrival <> 'sync', arrival";

int chorale_run_same_candidate(const struct chorale_run_point *a,
                               const struct chorale_run_point *b)
{
    return a->provider == b->provider && a->variant == b->variant &&
           a->params == b->params;
}

size_t chorale_run_type_size(const struct chorale_run_point *run)
{
    return run->type != NULL ? run->type->size : 1;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The interned copy of text, or NULL if out of memory. */
static const char *intern(void **pool, const unsigned char *text)
{
    const char *want = text != NULL ? (const char *)text : "";
    char **found = tfind(want, pool, compare_text);
    char *copy;

    if (found != NULL)
        return *found;
    copy = strdup(want);
    if (copy == NULL || tsearch(copy, pool, compare_text) == NULL) {
        free(copy);
        return NULL;
    }
    return copy;
}

static int intern_texts(void **pool, sqlite3_stmt *stmt,
                        struct chorale_run_point *row)
{
    const struct {
        int column;
        const char **text;
    } want[] = {
        { 3, &row->shape },    { 4, &row->dtype },   { 5, &row->op },
        { 6, &row->op_class }, { 9, &row->provider }, { 10, &row->variant },
        { 11, &row->params },  { 12, &row->conditions }, { 13, &row->launch },
        { 21, &row->arrival },
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        *want[i].text = intern(pool,
                               sqlite3_column_text(stmt, want[i].column));
        if (*want[i].text == NULL)
            return -1;
    }
    return 0;
}

/* Read one row. 1: use it, 0: unknown collective, -1: out of memory. */
static int read_row(sqlite3_stmt *stmt, void **pool,
                    struct chorale_run_point *row)
{
    const char *coll = (const char *)sqlite3_column_text(stmt, 0);
    int found = coll != NULL ? chorale_coll_find(coll) : -1;

    if (found < 0)
        return 0;
    memset(row, 0, sizeof(*row));
    row->coll = (enum chorale_coll)found;
    row->comm_size = sqlite3_column_int(stmt, 1);
    row->ppn = sqlite3_column_int(stmt, 2);
    row->msg_size = (size_t)sqlite3_column_int64(stmt, 7);
    row->n = (size_t)sqlite3_column_int64(stmt, 8);
    row->ordinal = sqlite3_column_int(stmt, 14);
    row->ok = sqlite3_column_int(stmt, 15) != 0;
    if (row->ok)
        row->seconds = fmax(1, round(sqlite3_column_double(stmt, 16) / TICK)) *
                       TICK;
    if (!isfinite(row->seconds))
        row->ok = 0;
    row->late = sqlite3_column_double(stmt, 17);
    row->patterns = sqlite3_column_int(stmt, 18);
    row->launch_id = sqlite3_column_int64(stmt, 19);
    row->batch = sqlite3_column_int(stmt, 20);
    row->skew = sqlite3_column_double(stmt, 22);
    row->loaded = sqlite3_column_int(stmt, 23);
    row->not_duration = sqlite3_column_int(stmt, 24);
    row->slower = sqlite3_column_int(stmt, 25);
    row->slower_robust = sqlite3_column_int(stmt, 26);
    row->imported = sqlite3_column_int(stmt, 27);
    if (intern_texts(pool, stmt, row) != 0)
        return -1;
    row->type = chorale_dtype(chorale_dtype_find(row->dtype));
    if (strcmp(row->provider, "chorale") == 0)
        row->config = chorale_alg_configure(row->coll, row->variant,
                                            row->params);
    return 1;
}

/* Make room for one more row. */
static int grow(struct chorale_points *points, size_t *room)
{
    struct chorale_run_point *more;

    if (points->count < *room)
        return 0;
    *room = *room ? 2 * *room : 256;
    more = realloc(points->row, *room * sizeof(*more));
    if (more == NULL)
        return -1;
    points->row = more;
    return 0;
}

size_t chorale_points_remove_means(struct chorale_points *points)
{
    size_t kept = 0, count = points->count;

    for (size_t i = 0; i < count; i++)
        if (!points->row[i].not_duration)
            points->row[kept++] = points->row[i];
    points->count = kept;
    return count - kept;
}

enum chorale_err chorale_points_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_points *points,
                                     struct chorale_errmsg *msg)
{
    return chorale_points_load_by(store, system_id, CHORALE_OBJECTIVE_MEDIAN,
                                  CHORALE_ARRIVALS_SYNC, points, msg);
}

enum chorale_err chorale_points_load_by(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        enum chorale_objective objective,
                                        enum chorale_arrival_policy arrivals,
                                        struct chorale_points *points,
                                        struct chorale_errmsg *msg)
{
    struct chorale_points got = { .row = NULL };
    sqlite3_stmt *stmt = NULL;
    size_t room = 0;
    int taken;
    enum chorale_err err = chorale_store_query(
        store, runs_sql, CHORALE_FIELDS(system_id, objective, arrivals), &stmt,
        msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        taken = grow(&got, &room);
        if (taken == 0)
            taken = read_row(stmt, &got.pool, &got.row[got.count]);
        if (taken < 0) {
            err = chorale_fail_memory(msg, chorale_store_path(store));
            goto out;
        }
        got.count += (size_t)taken;
    }
    if (err == CHORALE_OK)
        err = chorale_links_wiring(store, system_id, &got.wiring, msg);
    if (err == CHORALE_OK)
        err = chorale_memory_rows_load(store, system_id, &got.memory,
                                       &got.nmemory, msg);
    if (err != CHORALE_OK)
        goto out;
    *points = got;
    memset(&got, 0, sizeof(got));
out:
    sqlite3_finalize(stmt);
    chorale_points_release(&got);
    return err;
}

void chorale_points_dispatched(struct chorale_points *points, double seconds)
{
    for (size_t i = 0; i < points->count; i++) {
        struct chorale_run_point *run = &points->row[i];

        if (!run->ok || strcmp(run->provider, "chorale") != 0)
            continue;
        run->seconds += seconds;
        if (run->late > 0)
            run->late += seconds;
    }
}

void chorale_points_release(struct chorale_points *points)
{
    while (points->pool != NULL) {
        char *text = *(char **)points->pool;

        tdelete(text, &points->pool, compare_text);
        free(text);
    }
    free(points->row);
    free(points->memory);
    points->row = NULL;
    points->memory = NULL;
    points->count = points->nmemory = 0;
}
