/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c - merge the runs of one database into another.
 *
 * The shard is attached and its rows are copied by INSERT ... SELECT. Temporary
 * tables map the shard's row ids to target's; foreign keys are translated
 * through them. All columns of the shard's tables are copied, so a new column
 * needs no change here.
 */
#include "config.h"

#include "db/merge.h"

#include <stdio.h>
#include <string.h>

#include "db/merge_sql.h"
#include "db/systems.h"

#define BLOCK 500 /* runs copied by one set of statements */
#define TAG 8     /* letters that distinguish systems with the same name */

/* Refuse a shard measured on another machine or with another MPI library: it is
 * usually the wrong file. */
static enum chorale_err refuse_other_system(struct merge *m)
{
    static const char other[] =
        "SELECT s.name, (SELECT name FROM main.system ORDER BY name LIMIT 1)"
        " FROM shard.system s NOT INDEXED"
        " WHERE EXISTS (SELECT 1 FROM main.system)"
        "   AND NOT EXISTS (SELECT 1 FROM main.system t"
        "    WHERE t.uuid = s.uuid OR t.signature = s.signature)"
        " ORDER BY s.name LIMIT 1";
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_merge_check(
        m, sqlite3_prepare_v2(chorale_store_db(m->store), other, -1, &stmt,
                              NULL));
    int rc = SQLITE_OK;

    if (err == CHORALE_OK) {
        rc = sqlite3_step(stmt);
        err = chorale_merge_check(m, rc);
    }
    if (err == CHORALE_OK && rc == SQLITE_ROW)
        err = chorale_fail(m->msg, CHORALE_DATA,
                           "%s: its system %.100s is not in %s, which has "
                           "%.100s; merge it into another database, or add it "
                           "with --other-systems",
                           m->name, (const char *)sqlite3_column_text(stmt, 0),
                           m->into, (const char *)sqlite3_column_text(stmt, 1));
    sqlite3_finalize(stmt);
    return err;
}

/* SQL function name_tag(signature): the start of a hash that distinguishes
 * systems with the same name. Each merged system gets this suffix at first, so
 * that names stay unique during the merge. */
static void name_tag(sqlite3_context *context, int n, sqlite3_value **value)
{
    const char *text = (const char *)sqlite3_value_text(value[0]);
    char uuid[CHORALE_UUID_SIZE];

    (void)n;
    chorale_uuid_of(text != NULL ? text : "", uuid);
    uuid[TAG] = '\0';
    sqlite3_result_text(context, uuid, -1, SQLITE_TRANSIENT);
}

/* The name of a system without that suffix. */
#define BASE(s)                                                              \
    "iif(substr(" s ".name, -9) = '-' || name_tag(" s ".signature),"         \
    " substr(" s ".name, 1, length(" s ".name) - 9), " s ".name)"
#define TAGGED(s) BASE(s) " || '-' || name_tag(" s ".signature)"
#define ELDER                                                                \
    "EXISTS (SELECT 1 FROM main.system o WHERE " BASE("o") " = "             \
    BASE("system") " AND (o.created, o.uuid) <"                              \
    "  (system.created, system.uuid))"

/* Of systems with the same name the oldest keeps it, in any order of merges. */
static enum chorale_err resolve_system_names(struct merge *m)
{
    enum chorale_err err = chorale_merge_execute(
        m, "UPDATE main.system SET name = " TAGGED("system")
        " WHERE " ELDER " AND name <> " TAGGED("system"), 0);

    return err == CHORALE_OK
               ? chorale_merge_execute(m, "UPDATE main.system SET name = "
                                       BASE("system") " WHERE NOT " ELDER
                                       " AND name <> " BASE("system"), 0)
               : err;
}

/* Systems are the same if their UUID or their signature is equal. */
static enum chorale_err merge_systems(struct merge *m)
{
    static const struct merge_contradiction no[] = {
        { "SELECT 'system ' || s.name FROM shard.system s NOT INDEXED"
          "  CROSS JOIN main.system t ON t.uuid = s.uuid"
          " WHERE t.signature <> s.signature OR t.kind <> s.kind",
          "has the uuid of another" },
        { "SELECT 'system ' || s.name FROM shard.system s NOT INDEXED"
          "  CROSS JOIN main.system t ON t.signature = s.signature"
          " WHERE t.kind <> s.kind",
          "is of another kind" },
    };
    static const char next[] =
        "SELECT coalesce(min(system_id), -1) FROM shard.system s NOT INDEXED"
        " WHERE NOT EXISTS (SELECT 1 FROM main.system t"
        "  WHERE t.uuid = s.uuid OR t.signature = s.signature)";
    /* A system with two UUIDs keeps the older UUID and name. */
    static const char elder[] =
        "UPDATE main.system SET uuid = s.uuid, created = s.created,"
        " name = " TAGGED("s")
        " FROM shard.system s WHERE s.signature = system.signature"
        "   AND (s.created, s.uuid) < (system.created, system.uuid)";
    static const char add[] =
        "INSERT INTO main.system (uuid, name, kind, signature, mpi_library,"
        " created) SELECT s.uuid, " TAGGED("s") ", s.kind, s.signature,"
        " s.mpi_library, s.created"
        " FROM shard.system s WHERE s.system_id = ?1";
    sqlite3_int64 id = -1;
    enum chorale_err err = chorale_merge_check(
        m, sqlite3_create_function(chorale_store_db(m->store), "name_tag", 1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   name_tag, NULL, NULL));

    if (err == CHORALE_OK)
        err = REFUSE(m, no);

    if (err == CHORALE_OK && (m->flags & CHORALE_MERGE_SYSTEMS) == 0)
        err = refuse_other_system(m);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(m, elder, 0);
    while (err == CHORALE_OK &&
           (err = chorale_merge_count(m, next, &id)) == CHORALE_OK && id >= 0)
        err = chorale_merge_execute(m, add, id);
    if (err == CHORALE_OK)
        err = resolve_system_names(m);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(m,
                            "INSERT INTO temp.system_map SELECT s.system_id,"
                            " coalesce((SELECT t.system_id FROM main.system t"
                            "   WHERE t.uuid = s.uuid), (SELECT t.system_id"
                                    "   FROM main.system t"
                                    "   WHERE t.signature = s.signature))"
                                    " FROM shard.system s NOT INDEXED", 0);
    return err;
}

#define SYSTEM " CROSS JOIN temp.system_map y ON y.old = s.system_id"
#define CAMPAIGN " CROSS JOIN temp.campaign_map p ON p.old = s.campaign_id"
#define CELL " CROSS JOIN temp.cell_map c ON c.old = s.cell_id"
#define LAUNCH " CROSS JOIN temp.launch_map l ON l.old = s.launch_id"

/* Settings that must agree. racing is left out because it does not identify a
 * simulated campaign; the first value stays. */
#define SETTINGS(x)                                                         \
    "(" x ".seed, " x ".launches, " x ".nrep_min, " x ".nrep_max, "         \
    x ".nwarmup, " x ".target_width, " x ".cell_seconds, "                  \
    x ".max_memory, " x ".sync, " x ".batch, " x ".counters, "              \
    x ".launcher, " x ".launcher_cmd, " x ".platform, " x ".network, "      \
    x ".tau, " x ".sim_selector)"

/* A campaign that both databases have keeps the earlier creation time. */
static enum chorale_err merge_campaigns(struct merge *m)
{
    static const struct merge_contradiction no[] = {
        { "SELECT 'campaign ' || s.uuid FROM shard.campaign s NOT INDEXED"
          SYSTEM CAMPAIGN
          " CROSS JOIN main.campaign t ON t.campaign_id = p.new"
          " WHERE t.system_id <> y.new OR "
          SETTINGS("t") " IS NOT " SETTINGS("s"),
          "is of another system or has other settings" },
    };
    enum chorale_err err;

    err = chorale_merge_copy(m, "campaign", "campaign_id",
                             "shard.campaign s NOT INDEXED" SYSTEM,
                             "ON CONFLICT (uuid) DO UPDATE SET"
                     " created = excluded.created, command = excluded.command"
                             " WHERE (excluded.created, excluded.command) <"
                             "  (created, command)", NULL, NULL);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(m, "INSERT INTO temp.campaign_map"
                                    " SELECT s.campaign_id, t.campaign_id"
                                    " FROM shard.campaign s NOT INDEXED"
                                    " CROSS JOIN main.campaign t"
                                    " ON t.uuid = s.uuid", 0);
    return err == CHORALE_OK ? REFUSE(m, no) : err;
}

#define SAME_CELL                                                           \
    "t.system_id = y.new AND t.coll = s.coll"                               \
    " AND t.comm_size = s.comm_size AND t.msg_size = s.msg_size"            \
    " AND t.ppn = s.ppn AND t.shape = s.shape AND t.dtype = s.dtype"        \
    " AND t.op = s.op AND t.root_policy = s.root_policy"                    \
    " AND t.buffers = s.buffers AND t.arrival = s.arrival"                  \
    " AND t.siblings = s.siblings AND t.metric = s.metric"                  \
    " AND t.provider = s.provider AND t.variant = s.variant"                \
    " AND t.params = s.params"
#define CELL_TEXT                                                           \
    "'the cell ' || s.coll || ' ' || s.variant || ' of ' || s.msg_size"     \
    " || ' bytes on ' || s.comm_size || ' ranks'"

/* True if the conflicting cell was planned before the existing one. */
#define OLDER                                                               \
    "((SELECT created FROM main.campaign p"                                 \
    "   WHERE p.campaign_id = excluded.campaign_id),"                       \
    " (SELECT uuid FROM main.campaign p"                                    \
    "   WHERE p.campaign_id = excluded.campaign_id), excluded.uuid)"        \
    " < ((SELECT created FROM main.campaign p"                              \
    "   WHERE p.campaign_id = cell.campaign_id),"                           \
    " (SELECT uuid FROM main.campaign p"                                    \
    "   WHERE p.campaign_id = cell.campaign_id), cell.uuid)"

/* Cells planned independently are the same if their key columns are equal. The
 * cell belongs to the campaign that planned it first. */
static enum chorale_err merge_cells(struct merge *m)
{
    static const struct merge_contradiction before[] = {
        { "SELECT " CELL_TEXT " FROM shard.cell s NOT INDEXED" SYSTEM
          "  CROSS JOIN main.cell t ON t.uuid = s.uuid"
          " WHERE NOT (" SAME_CELL ")",
          "has the uuid of another" },
    };
    static const struct merge_contradiction after[] = {
        { "SELECT " CELL_TEXT " FROM shard.cell s NOT INDEXED" CELL
          "  CROSS JOIN main.cell t ON t.cell_id = c.new"
          " WHERE t.n <> s.n OR t.op_class <> s.op_class OR t.part <> s.part",
          "is defined differently" },
    };
    enum chorale_err err = REFUSE(m, before);

    if (err == CHORALE_OK)
        err = chorale_merge_copy(m, "cell", "cell_id",
                                 "shard.cell s NOT INDEXED" SYSTEM CAMPAIGN,
                         "ON CONFLICT (system_id, coll, comm_size, msg_size,"
                                 " ppn, shape, dtype, op, root_policy, buffers,"
                         " arrival, siblings, metric, provider, variant,"
                                 " params) DO UPDATE SET"
                                 " launches = max(launches, excluded.launches),"
                                 " uuid = iif(" OLDER ", excluded.uuid, uuid),"
                                 " campaign_id = iif(" OLDER ","
                                 "  excluded.campaign_id, campaign_id)"
                         " WHERE excluded.launches > launches OR " OLDER,
                                 NULL, NULL);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(
            m, "INSERT INTO temp.cell_map SELECT s.cell_id,"
            " t.cell_id FROM shard.cell s NOT INDEXED" SYSTEM
            " CROSS JOIN main.cell t ON " SAME_CELL, 0);
    return err == CHORALE_OK ? REFUSE(m, after) : err;
}

#define START(x)                                                            \
    "(" x ".ordinal, " x ".comm_size, " x ".ppn, " x ".shape, "             \
    x ".siblings, " x ".part, " x ".seed)"

/* A launch that seemed to be killed may have ended normally, if the database
 * was copied during the launch and again after it. */
static enum chorale_err merge_launches(struct merge *m)
{
    static const struct merge_contradiction no[] = {
        { "SELECT 'launch ' || s.uuid FROM shard.launch s NOT INDEXED"
          SYSTEM CAMPAIGN LAUNCH
          " CROSS JOIN main.launch t ON t.launch_id = l.new"
          " WHERE t.system_id <> y.new OR t.campaign_id <> p.new OR "
          START("t") " IS NOT " START("s"),
          "is different" },
    };
    /* Compare with the first launch that has the fact; the others agree. */
    static const struct merge_contradiction place[] = {
        { "SELECT 'system ' || n.name || ': ' || k.what || ' \"' || e.value"
          "  || '\"' FROM shard.launch s NOT INDEXED" SYSTEM
          "  CROSS JOIN " CHORALE_SYSTEM_FACTS " k"
          "  JOIN shard.environment e ON e.launch_id = s.launch_id"
          "   AND e.key = k.key"
          "  JOIN main.system n ON n.system_id = y.new"
          " WHERE e.value <> (SELECT f.value FROM main.launch t"
          "   CROSS JOIN main.environment f ON f.launch_id = t.launch_id"
          "    AND f.key = k.key"
          "   WHERE t.system_id = y.new ORDER BY t.launch_id LIMIT 1)",
          "is different" },
    };
    enum chorale_err err;

    err = chorale_merge_copy(m, "launch", "launch_id",
                             "shard.launch s NOT INDEXED" SYSTEM CAMPAIGN,
                             "ON CONFLICT (uuid) DO UPDATE"
                             " SET status = excluded.status,"
                     " reason = excluded.reason, finished = excluded.finished"
                             " WHERE (status = 'running' OR"
                             "        status = 'failed' AND reason = 'killed')"
                             "   AND NOT (excluded.status = 'failed' AND"
                     "            excluded.reason = 'killed')", NULL, NULL);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(
            m, "INSERT INTO temp.launch_map SELECT s.launch_id,"
            " t.launch_id FROM shard.launch s NOT INDEXED"
            " CROSS JOIN main.launch t ON t.uuid = s.uuid", 0);
    if (err == CHORALE_OK)
        err = REFUSE(m, no);
    if (err == CHORALE_OK)
        err = chorale_merge_copy(
            m, "environment", "", "shard.environment s" LAUNCH,
            "ON CONFLICT (launch_id, key) DO NOTHING", NULL, NULL);
    return err == CHORALE_OK ? REFUSE(m, place) : err;
}

/* Copy a block of new runs and their dependent rows. Samples come last, because
 * *samples_p keeps the row count of the last statement. */
static enum chorale_err copy_runs(struct merge *m,
                                  const struct merge_block *block,
                                  sqlite3_int64 *samples_p)
{
    static const char *const follow[][2] = {
        { "run", "temp.run_map r CROSS JOIN shard.run s"
                 " ON s.run_id = r.old" CELL LAUNCH },
        { "run_summary", "temp.run_map r CROSS JOIN shard.run_summary s"
                         " ON s.run_id = r.old" },
        { "counter", "temp.run_map r CROSS JOIN shard.counter s"
                     " ON s.run_id = r.old" },
        { "sample", "temp.run_map r CROSS JOIN shard.sample s"
                    " ON s.run_id = r.old" },
    };
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < sizeof(follow) / sizeof(follow[0]) &&
                       err == CHORALE_OK; i++)
        err = chorale_merge_copy(m, follow[i][0], "", follow[i][1],
                         "AND r.place BETWEEN ?2 AND ?3", block, samples_p);
    return err;
}

/* Copy the runs that target does not have. They are numbered in the order of
 * the shard, so that their samples are appended at the end of the table. */
static enum chorale_err merge_runs(struct merge *m, sqlite3_int64 *samples_p)
{
    static const struct merge_contradiction no[] = {
        { "SELECT 'run ' || s.uuid FROM shard.run s NOT INDEXED" CELL LAUNCH
          "  CROSS JOIN main.run t ON t.uuid = s.uuid"
          " WHERE t.cell_id <> c.new OR t.launch_id <> l.new"
          "    OR t.status <> s.status",
          "is different" },
        { "SELECT 'run ' || s.uuid FROM temp.run_map r"
          "  CROSS JOIN shard.run s ON s.run_id = r.old" CELL LAUNCH
          "  CROSS JOIN main.run t ON t.cell_id = c.new"
          "   AND t.launch_id = l.new",
          "is of a cell and a launch that have another run" },
    };
    sqlite3_int64 last = 0, samples = 0;
    struct merge_block block = { 0, 1, 0 };
    enum chorale_err err;

    err = chorale_merge_count(m, "SELECT max(0, coalesce(max(run_id), 0))"
                              " FROM main.run",
                              &block.base);
    if (err == CHORALE_OK)
        err = chorale_merge_execute(
            m, "INSERT INTO temp.run_map (old) SELECT s.run_id"
            " FROM shard.run s NOT INDEXED"
            " WHERE NOT EXISTS (SELECT 1"
            " FROM main.run t WHERE t.uuid = s.uuid)"
            " ORDER BY s.run_id", 0);
    if (err == CHORALE_OK)
        err = REFUSE(m, no);
    if (err == CHORALE_OK)
        err = chorale_merge_count(
            m, "SELECT coalesce(max(place), 0) FROM temp.run_map",
            &last);
    for (; err == CHORALE_OK && block.from <= last; block.from += BLOCK) {
        block.upto = block.from + BLOCK - 1;
        err = copy_runs(m, &block, &samples);
        *samples_p += samples;
        if (err == CHORALE_OK && m->watch != NULL)
            m->watch->progress(m->watch->arg, block.upto < last
                               ? (double)block.upto / (double)last : 1);
    }
    return err;
}

/* Imported traces. Their UUID is a hash of their content. */
static enum chorale_err merge_traces(struct merge *m,
                                     sqlite3_int64 *traces_p)
{
    enum chorale_err err = chorale_merge_execute(
        m, "INSERT INTO temp.trace_map SELECT s.trace_id FROM shard.trace s"
        " NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM main.trace t"
        "  WHERE t.uuid = s.uuid)", 0);

    if (err == CHORALE_OK)
        err = chorale_merge_copy(
            m, "trace", "trace_id", "temp.trace_map x CROSS JOIN"
            " shard.trace s ON s.trace_id = x.old", "", NULL,
            traces_p);
    if (err == CHORALE_OK)
        err = chorale_merge_copy(
            m, "trace_point", "", "temp.trace_map x CROSS JOIN"
            " shard.trace o ON o.trace_id = x.old CROSS JOIN"
            " main.trace u ON u.uuid = o.uuid CROSS JOIN"
            " shard.trace_point s ON s.trace_id = x.old", "", NULL,
            NULL);
    return err;
}

/* Count rows of target before (sign -1) and after (sign 1) the merge, and those
 * of the shard. New runs are counted in the map, since target may have millions
 * of them. */
static enum chorale_err count_rows(struct merge *m, int sign,
                                   struct chorale_merged *merged)
{
    static const char *const table[CHORALE_NMERGED] = { "system", "cell",
                                                        "launch", "run" };
    enum chorale_err err = CHORALE_OK;
    sqlite3_int64 n = 0;
    char sql[96];

    for (int i = 0; i < CHORALE_NMERGED && err == CHORALE_OK; i++) {
        snprintf(sql, sizeof(sql), "SELECT count(*) FROM main.%s", table[i]);
        if (i != CHORALE_MERGED_RUNS)
            err = chorale_merge_count(m, sql, &n);
        else if (sign > 0)
            err = chorale_merge_count(m,
                                      "SELECT count(*) FROM temp.run_map", &n);
        else
            n = 0;
        merged->added[i] += sign * n;
        snprintf(sql, sizeof(sql), "SELECT count(*) FROM shard.%s NOT INDEXED",
                 table[i]);
        if (err == CHORALE_OK)
            err = chorale_merge_count(m, sql, &n);
        merged->there[i] = n - merged->added[i];
    }
    return err;
}

/* Check that every row of the shard was mapped, so that no row is lost. */
static enum chorale_err check_maps(struct merge *m)
{
    sqlite3_int64 lost = 0;
    enum chorale_err err = chorale_merge_count(
        m, "SELECT (SELECT count(*) FROM shard.system NOT INDEXED)"
           " - (SELECT count(*) FROM temp.system_map)"
           " + (SELECT count(*) FROM shard.campaign NOT INDEXED)"
           " - (SELECT count(*) FROM temp.campaign_map)"
           " + (SELECT count(*) FROM shard.cell NOT INDEXED)"
           " - (SELECT count(*) FROM temp.cell_map)"
           " + (SELECT count(*) FROM shard.launch NOT INDEXED)"
           " - (SELECT count(*) FROM temp.launch_map)", &lost);

    if (err == CHORALE_OK && lost != 0)
        err = chorale_fail(m->msg, CHORALE_DATA,
                           "%s: the file is damaged (rows without their key); "
                           "restore a copy", m->name);
    return err;
}

static enum chorale_err merge_all(struct merge *m,
                                  struct chorale_merged *merged)
{
    static const char maps[] =
        "CREATE TEMP TABLE system_map (old INTEGER PRIMARY KEY, new NOT NULL);"
        "CREATE TEMP TABLE campaign_map"
        " (old INTEGER PRIMARY KEY, new NOT NULL);"
        "CREATE TEMP TABLE cell_map (old INTEGER PRIMARY KEY, new NOT NULL);"
        "CREATE TEMP TABLE launch_map (old INTEGER PRIMARY KEY, new NOT NULL);"
        "CREATE TEMP TABLE trace_map (old INTEGER PRIMARY KEY);"
        "CREATE TEMP TABLE run_map (place INTEGER PRIMARY KEY, old)";
    enum chorale_err err = chorale_store_exec(m->store, maps, m->msg);

    m->stop = err != CHORALE_OK;
    if (err == CHORALE_OK)
        err = count_rows(m, -1, merged);
    if (err == CHORALE_OK)
        err = chorale_merge_count(m, "SELECT (SELECT count(*) FROM shard.model)"
                                  " + (SELECT count(*) FROM shard.decision)"
                                  " + (SELECT count(*) FROM shard.validation)"
                                  " + (SELECT count(*) FROM shard.baseline)",
                                  &merged->computed);
    if (err == CHORALE_OK)
        err = merge_systems(m);
    if (err == CHORALE_OK)
        err = merge_campaigns(m);
    if (err == CHORALE_OK)
        err = merge_cells(m);
    if (err == CHORALE_OK)
        err = merge_launches(m);
    if (err == CHORALE_OK)
        err = check_maps(m);
    if (err == CHORALE_OK)
        err = merge_runs(m, &merged->samples);
    if (err == CHORALE_OK)
        err = merge_traces(m, &merged->traces);
    return err == CHORALE_OK ? count_rows(m, 1, merged) : err;
}

/* Attach the shard. Its name is a bound value, not part of the statement. */
static enum chorale_err attach(struct merge *m, struct chorale_shard *shard)
{
    sqlite3 *db = chorale_store_db(m->store);
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(
        m->store, "ATTACH ?1 AS shard", &stmt, m->msg);

    if (err == CHORALE_OK) {
        sqlite3_bind_text(stmt, 1, chorale_shard_file(shard), -1,
                          SQLITE_STATIC);
        err = chorale_merge_check(m, sqlite3_step(stmt));
    }
    sqlite3_finalize(stmt);
    /* Once its schema is read, the file name is no longer needed. */
    if (err == CHORALE_OK)
        err = chorale_merge_execute(
            m, "SELECT count(*) FROM shard.sqlite_master", 0);
    if (err == CHORALE_OK)
        chorale_shard_unlink(shard);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, CHORALE_SHARD_VALUE_MAX);
    return err;
}

/* BEGIN IMMEDIATE would also take the shard's write lock; a statement that
 * writes to target takes only target's. */
static enum chorale_err begin(struct merge *m)
{
    enum chorale_err err = chorale_store_exec(
        m->store, "BEGIN; DELETE FROM main.run WHERE false", m->msg);

    m->stop = err != CHORALE_OK;
    return err;
}

enum chorale_err chorale_merge(struct chorale_store *target, const char *into,
                               struct chorale_shard *shard, unsigned flags,
                               const struct chorale_merge_watch *watch,
                               struct chorale_merged *merged, int *stop_p,
                               struct chorale_errmsg *msg)
{
    static const char clear[] =
        "DROP TABLE IF EXISTS temp.system_map;"
        "DROP TABLE IF EXISTS temp.campaign_map;"
        "DROP TABLE IF EXISTS temp.cell_map;"
        "DROP TABLE IF EXISTS temp.launch_map;"
        "DROP TABLE IF EXISTS temp.trace_map;"
        "DROP TABLE IF EXISTS temp.run_map";
    struct merge m = { target, into, chorale_shard_path(shard), 0, flags,
                       watch, msg };
    struct chorale_merged found = { .samples = 0 };
    enum chorale_err err = attach(&m, shard);

    if (err == CHORALE_OK)
        err = begin(&m);
    if (err == CHORALE_OK)
        err = merge_all(&m, &found);
    if (err == CHORALE_OK && (flags & CHORALE_MERGE_DRY) == 0) {
        err = chorale_store_commit(target, msg);
        m.stop = err != CHORALE_OK;
    }
    chorale_store_rollback(target);
    sqlite3_exec(chorale_store_db(target), clear, NULL, NULL, NULL);
    sqlite3_exec(chorale_store_db(target), "DETACH shard", NULL, NULL, NULL);
    if (err == CHORALE_OK)
        *merged = found;
    *stop_p = m.stop;
    return err;
}
