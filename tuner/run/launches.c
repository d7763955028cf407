/* SPDX-License-Identifier: BSD-3-Clause */
/* launches.c - choose pending launches and update their rows. */
#include "config.h"

#include "tuner/run/launches.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches with pending cells, in the order to run them. One launch of every
 * comm_size comes before the second of any, to spread launches over time;
 * process counts where traced applications spend most time come first. The
 * cells of a launch belong to campaigns with the same way of measuring. An
 * imported system has no pending cells: other machines measured it. */
#define PENDING(and, end)                                                    \
    "WITH RECURSIVE o(ordinal) AS (SELECT 0 UNION ALL"                       \
    "   SELECT ordinal + 1 FROM o"                                           \
    "    WHERE ordinal + 1 < (SELECT max(launches) FROM cell))"              \
    "SELECT c.system_id, max(c.campaign_id), c.comm_size, c.ppn, c.shape,"   \
    "       o.ordinal, count(*), c.part,"                                    \
    "       max(1, CAST(c.siblings AS INTEGER)) AS siblings"                 \
    "  FROM o JOIN cell c ON c.launches > o.ordinal"                         \
    "  JOIN campaign k ON k.campaign_id = c.campaign_id"                     \
    "  JOIN system y ON y.system_id = c.system_id"                           \
    "   AND y.signature NOT GLOB 'imported*'"                                \
    " WHERE (?1 IS NULL OR c.system_id ="                                    \
    "        (SELECT system_id FROM system WHERE name = ?1))"                \
    "   AND (?2 = 0 OR c.campaign_id = ?2)"                                  \
    "   AND iif(?3 IS NULL, c.provider <> 'table', c.part = ?3)"             \
    "   AND NOT EXISTS (SELECT 1 FROM temp.given_up g"                       \
    "        WHERE g.system_id = c.system_id AND g.comm_size = c.comm_size"  \
    "          AND g.ppn = c.ppn AND g.shape = c.shape"                      \
    "          AND g.part = c.part"                                          \
    "          AND g.siblings = max(1, CAST(c.siblings AS INTEGER)))"        \
    "   AND (?4 = 0 OR EXISTS (SELECT 1 FROM element_launch e"               \
    "        WHERE e.element = ?4 AND e.system_id = c.system_id"             \
    "          AND e.comm_size = c.comm_size AND e.ppn = c.ppn"              \
    "          AND e.shape = c.shape AND e.part = c.part"                    \
    "          AND e.siblings = max(1, CAST(c.siblings AS INTEGER))"         \
    "          AND e.ordinal = o.ordinal))"                                  \
    "   AND NOT EXISTS (SELECT 1 FROM run r JOIN launch l USING (launch_id)" \
    "        WHERE r.cell_id = c.cell_id AND l.ordinal = o.ordinal)"         \
    and                                                                      \
    " GROUP BY c.system_id, c.comm_size, c.ppn, c.shape, o.ordinal, c.part," \
    "          siblings, " CHORALE_CAMPAIGN_WAY("k")                         \
    " ORDER BY c.system_id, o.ordinal, (SELECT -total(t.seconds)"            \
    "            FROM trace_point t WHERE t.comm_size = c.comm_size),"       \
    "          c.comm_size, c.part, siblings,"                               \
    "          max(c.campaign_id)"                                           \
    end

/* All launches with the same ordinal and way of measuring as a given one, which
 * may share a start with it. */
#define COSCHED_LAUNCHES                                                     \
    PENDING(" AND o.ordinal = ?6 AND c.part = '' AND c.siblings = 'alone'"   \
            " AND c.system_id = ?7 AND c.shape <> 'cyclic'"                  \
            " AND k.launcher <> 'smpirun'"                                   \
            " AND (" CHORALE_CAMPAIGN_WAY("k") ") = (SELECT "                \
            CHORALE_CAMPAIGN_WAY("j")                                        \
            " FROM campaign j WHERE j.campaign_id = ?5)", "")

/* Cells of launch ?1 without a run in its ordinal; why: the reason of an
 * earlier failure after which a cell is not tried again. */
#define NO_RUN_CELLS                                                         \
    "SELECT c.cell_id, l.launch_id, (SELECT r.reason FROM run r"             \
    "   WHERE r.cell_id = c.cell_id AND r.status = 'failed'"                 \
    "     AND (r.reason LIKE '" CHORALE_HANG "%'"                            \
    "       OR r.reason LIKE '" CHORALE_ENDED_PROGRAM "%')"                  \
    "   ORDER BY r.run_id LIMIT 1) AS why"                                   \
    "  FROM launch l JOIN cell c ON c.system_id = l.system_id"               \
    "   AND c.comm_size = l.comm_size AND c.ppn = l.ppn"                     \
    "   AND c.shape = l.shape AND c.part = l.part"                           \
    "   AND max(1, CAST(c.siblings AS INTEGER)) = l.siblings"                \
    "   AND c.launches > l.ordinal"                                          \
    "  JOIN campaign k ON k.campaign_id = c.campaign_id"                     \
    "  JOIN campaign j ON j.campaign_id = l.campaign_id"                     \
    " WHERE l.uuid = ?1"                                                     \
    "   AND (" CHORALE_CAMPAIGN_WAY("k") ") ="                               \
    "       (" CHORALE_CAMPAIGN_WAY("j") ")"                                 \
    "   AND NOT EXISTS (SELECT 1 FROM run r JOIN launch k USING (launch_id)" \
    "        WHERE r.cell_id = c.cell_id AND k.ordinal = l.ordinal)"

enum chorale_err chorale_pending_open(struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    return chorale_store_exec(store,
                              "CREATE TEMP TABLE given_up (system_id,"
                              " comm_size, ppn, shape, part, siblings)", msg);
}

static enum chorale_err read_pending(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     struct chorale_pending *p,
                                     struct chorale_errmsg *msg)
{
    const char *part = chorale_text(stmt, 7);

    p->system_id = sqlite3_column_int64(stmt, 0);
    p->campaign_id = sqlite3_column_int64(stmt, 1);
    p->comm_size = sqlite3_column_int(stmt, 2);
    p->ppn = sqlite3_column_int(stmt, 3);
    snprintf(p->shape, sizeof(p->shape), "%s", chorale_text(stmt, 4));
    p->ordinal = sqlite3_column_int(stmt, 5);
    p->ncell = sqlite3_column_int64(stmt, 6);
    p->siblings = sqlite3_column_int(stmt, 8);
    if (snprintf(p->part, sizeof(p->part), "%s", part) <
        (int)sizeof(p->part))
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_DATA,
                        "%s: cells of P = %d name a part of %zu letters, "
                        "which no plan makes; plan them again into another "
                        "database", chorale_store_path(store), p->comm_size,
                        strlen(part));
}

static enum chorale_err prepare(struct chorale_store *store, const char *sql,
                                const struct chorale_launch_filter *wanted,
                                sqlite3_stmt **stmt,
                                struct chorale_errmsg *msg)
{
    return chorale_store_query(
        store, sql,
        CHORALE_FIELDS(wanted->system, wanted->campaign, wanted->part,
                       wanted->element), stmt, msg);
}

enum chorale_err
chorale_pending_next(struct chorale_store *store,
                     const struct chorale_launch_filter *wanted,
                     struct chorale_pending *p, int *found,
                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    *found = 0;
    err = prepare(store, PENDING("", " LIMIT 1"), wanted, &stmt, msg);
    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, found, msg);
    if (err == CHORALE_OK && *found)
        err = read_pending(store, stmt, p, msg);
    sqlite3_finalize(stmt);
    return err;
}

/* The number of nodes, the last possibly not full. */
static int nodes_of(const struct chorale_pending *p)
{
    return (p->comm_size + p->ppn - 1) / p->ppn;
}

/* Order by descending nodes, then descending ranks. */
static int by_size(const void *left, const void *right)
{
    const struct chorale_cosched *a = left, *b = right;

    if (nodes_of(&a->p) != nodes_of(&b->p))
        return nodes_of(&b->p) - nodes_of(&a->p);
    if (a->p.ppn != b->p.ppn)
        return b->p.ppn - a->p.ppn;
    return b->p.comm_size - a->p.comm_size;
}

/* The first launch uses all nodes. Each other one gets the first free nodes of
 * the first wave that has enough of them; launches must fill their nodes. */
static int place(struct chorale_cosched *f, int count)
{
    struct chorale_cosched left;
    int all = f[0].p.comm_size / f[0].p.ppn, kept = 1;
    int *used = calloc((size_t)count, sizeof(*used));

    if (used == NULL)
        return -1;
    f[0].wave = f[0].node = 0;
    used[0] = all;
    for (int i = 1; i < count; i++) {
        int w = 0, need = nodes_of(&f[i].p);

        if (f[i].p.ppn > f[0].p.ppn || need > all)
            continue;
        while (used[w] + need > all)
            w++;
        left = f[kept];
        f[kept] = f[i];
        f[i] = left;
        f[kept].wave = w;
        f[kept].node = used[w];
        used[w] += need;
        kept++;
    }
    free(used);
    return kept;
}

int chorale_cosched_place(struct chorale_cosched *fellow, int count)
{
    if (count < 2)
        return 0;
    qsort(fellow, (size_t)count, sizeof(*fellow), by_size);
    if (strcmp(fellow[0].p.shape, "single-node") == 0)
        return 0;
    count = place(fellow, count);
    return count == 1 ? 0 : count;
}

enum chorale_err
chorale_pending_cosched(struct chorale_store *store,
                        const struct chorale_launch_filter *wanted,
                        const struct chorale_pending *p,
                        struct chorale_cosched **fellow_p, int *count_p,
                        struct chorale_errmsg *msg)
{
    struct chorale_cosched *fellow = NULL, *grown;
    sqlite3_stmt *stmt = NULL;
    int count = 0;
    enum chorale_err err = chorale_store_query(
        store, COSCHED_LAUNCHES,
        CHORALE_FIELDS(wanted->system, wanted->campaign, wanted->part,
                       wanted->element, p->campaign_id, p->ordinal,
                       p->system_id), &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        grown = realloc(fellow, (size_t)(count + 1) * sizeof(*fellow));
        if (grown == NULL) {
            err = chorale_fail_memory(msg, NULL);
            break;
        }
        fellow = grown;
        err = read_pending(store, stmt, &fellow[count++].p, msg);
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK) {
        count = chorale_cosched_place(fellow, count);
        if (count < 0)
            err = chorale_fail_memory(msg, NULL);
    }
    if (err != CHORALE_OK || count == 0) {
        free(fellow);
        fellow = NULL;
        count = 0;
    }
    *fellow_p = fellow;
    *count_p = count;
    return err;
}

enum chorale_err chorale_pending_retry(struct chorale_store *store,
                                       const char *system,
                                       struct chorale_errmsg *msg)
{
    /* Rows that refer to a run are deleted first. */
    static const char *const from[] = { "run_summary", "sample", "counter",
                                        "run" };
    enum chorale_err err = chorale_store_begin(store, msg);
    char sql[320];

    for (size_t i = 0; i < sizeof(from) / sizeof(*from) && err == CHORALE_OK;
         i++) {

        snprintf(sql, sizeof(sql),
                 "DELETE FROM %s WHERE run_id IN (SELECT run_id FROM run"
                 " JOIN cell USING (cell_id) JOIN system USING (system_id)"
                 " WHERE status = 'failed' AND (?1 IS NULL OR name = ?1))",
                 from[i]);
        err = chorale_store_run(store, sql, CHORALE_FIELDS(system), msg);
    }
    return chorale_store_end(store, err, msg);
}

enum chorale_err chorale_pending_give_up(struct chorale_store *store,
                                         const struct chorale_pending *p,
                                         struct chorale_errmsg *msg)
{

    return chorale_store_run(
        store, "INSERT INTO temp.given_up VALUES (?,?,?,?,?,?)",
        CHORALE_FIELDS(p->system_id, p->comm_size, p->ppn, p->shape, p->part,
                       p->siblings), msg);
}

static enum chorale_err put_launch(struct chorale_store *store,
                                   const struct chorale_pending *p,
                                   sqlite3_int64 seed, const char *uuid,
                                   struct chorale_errmsg *msg)
{
    const char *job = getenv("SLURM_JOB_ID");
    const uint64_t own = ((uint64_t)seed * 1000003u + (uint64_t)p->ordinal) *
                             1000003u + (uint64_t)p->comm_size;
    char now[32];

    chorale_time_now(now);
    return chorale_store_run(
        store, "INSERT INTO launch (uuid, campaign_id, system_id, ordinal,"
        " comm_size, ppn, shape, seed, job_id, started, status, part,"
        " siblings) VALUES (?,?,?,?,?,?,?,?,?,?,'running',?,?)",
        CHORALE_FIELDS(uuid, p->campaign_id, p->system_id, p->ordinal,
                       p->comm_size, p->ppn, p->shape, own,
                       job != NULL ? job : "", now, p->part, p->siblings),
        msg);
}

/* Insert a failed run for each cell selected by NO_RUN_CELLS and a condition.
 * Its
 * second column is the launch, its third the beginning of the reason. */
static enum chorale_err fail_cells(struct chorale_store *store,
                                   const char *undone, const char *uuid,
                                   sqlite3_int64 cell, const char *reason,
                                   long *count, struct chorale_errmsg *msg)
{
    sqlite3_stmt *find = NULL;
    char run[CHORALE_UUID_SIZE];
    enum chorale_err err = chorale_store_query(
        store, undone, CHORALE_FIELDS(uuid, cell), &find, msg);

    *count = 0;
    /* One at a time: a cell with a stored run is no longer selected. */
    while (chorale_store_next(store, find, &err, msg)) {
        chorale_uuid(run);
        err = chorale_store_run(
            store, "INSERT INTO run (cell_id, launch_id, status, reason, uuid)"
            " VALUES (?1, ?2, 'failed', coalesce(?3, ?4), ?5)",
            CHORALE_FIELDS(sqlite3_column_int64(find, 0),
                           sqlite3_column_int64(find, 1),
                           (const char *)sqlite3_column_text(find, 2), reason,
                           run), msg);
        sqlite3_reset(find);
        ++*count;
    }
    sqlite3_finalize(find);
    return err;
}

enum chorale_err chorale_launch_begin(struct chorale_store *store,
                                      const struct chorale_pending *p,
                                      sqlite3_int64 seed, const char *uuid,
                                      long *nleft,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = put_launch(store, p, seed, uuid, msg);
    if (err == CHORALE_OK)
        err = fail_cells(store,
                         "SELECT cell_id, launch_id,"
                         " why || ' (in an earlier launch: not tried again)'"
                         " FROM (" NO_RUN_CELLS
                         ") WHERE why IS NOT NULL LIMIT 1",
                         uuid, 0, NULL, nleft, msg);
    return chorale_store_end(store, err, msg);
}

enum chorale_err chorale_launch_failed(struct chorale_store *store,
                                       const char *uuid, const char *reason,
                                       struct chorale_errmsg *msg)
{
    char now[32];

    chorale_time_now(now);
    return chorale_store_run(
        store, "UPDATE launch SET status = 'failed', finished = ?3, reason = ?2"
        " WHERE status = 'running' AND (?1 IS NULL OR uuid = ?1)",
        CHORALE_FIELDS(uuid, reason, now), msg);
}

enum chorale_err chorale_launch_runs(struct chorale_store *store,
                                     const char *uuid, sqlite3_int64 *count,
                                     struct chorale_errmsg *msg)
{
    return chorale_store_find(
        store, "SELECT count(*) FROM run JOIN launch USING (launch_id)"
        " WHERE launch.uuid = ?1", CHORALE_FIELDS(uuid), 0, count, msg);
}

enum chorale_err chorale_launch_fail_cell(struct chorale_store *store,
                                          const char *uuid, sqlite3_int64 cell,
                                          const char *reason, long *count,
                                          struct chorale_errmsg *msg)
{
    /* Not NO_RUN_CELLS: the library's default has runs in several launches. */
    return fail_cells(store,
                      cell == 0
                          ? "SELECT cell_id, launch_id, NULL"
                            "  FROM (" NO_RUN_CELLS ") LIMIT 1"
                          : "SELECT c.cell_id, l.launch_id, NULL"
                            "  FROM launch l, cell c"
                            " WHERE l.uuid = ?1 AND c.cell_id = ?2"
                            "   AND NOT EXISTS (SELECT 1 FROM run r"
                            "        WHERE r.cell_id = c.cell_id"
                            "          AND r.launch_id = l.launch_id)",
                      uuid, cell, reason, count, msg);
}
