/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_remeasure.c - plans a second measurement of cells that look slower,
 * and more launches of the first one. */
#include "tuner/compare/comparison.h"

#include <stdio.h>
#include <string.h>

#include "db/systems.h"

/* A campaign with the settings of the cell's own, but without racing. */
static const char campaign_sql[] =
    "INSERT INTO campaign (uuid, system_id, created, command, seed, launches,"
    " nrep_min, nrep_max, nwarmup, target_width, cell_seconds, max_memory,"
    " sync, batch, racing, counters, launcher, launcher_cmd, platform,"
    " network, tau, sim_selector, label, again)"
    " SELECT ?1, system_id, ?2, ?3, seed + 1, ?4, nrep_min, nrep_max, nwarmup,"
    " target_width, cell_seconds, max_memory, sync, batch, 0, '', launcher,"
    " launcher_cmd, platform, network, tau, sim_selector, label, 1"
    " FROM campaign WHERE campaign_id = ?5";

#define THE_CELL                                                             \
    " system_id = ?1 AND coll = ?2 AND comm_size = ?3 AND msg_size = ?4"     \
    " AND ppn = ?5 AND shape = ?6 AND dtype = ?7 AND op = ?8"                \
    " AND root_policy || ' ' || buffers = ?9 AND arrival = 'sync'"           \
    " AND siblings = 'alone' AND metric = 'duration' AND provider = ?10"     \
    " AND variant = ?11 AND params = ?12"

static const char find_sql[] =
    "SELECT cell_id, campaign_id FROM cell WHERE" THE_CELL;

/* Insert the second measurement's campaign as a copy of campaign `from`. */
static enum chorale_err put_campaign(struct chorale_store *store,
                                     sqlite3_int64 from, long launches,
                                     const char *command, const char *now,
                                     sqlite3_int64 *id_p,
                                     struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE];

    chorale_uuid(uuid);
    return chorale_store_insert(
        store, campaign_sql, CHORALE_FIELDS(uuid, now, command, launches, from),
        id_p, msg);
}

/* Move one cell to the second measurement. A temporary table maps campaigns to
 * their copies. */
static enum chorale_err again(struct chorale_store *store,
                              sqlite3_int64 cell, sqlite3_int64 from,
                              long launches, const char *command,
                              const char *now, struct chorale_errmsg *msg)
{
    sqlite3_int64 to = 0;
    enum chorale_err err = chorale_store_find(
        store, "SELECT \"to\" FROM temp.again WHERE \"from\" = ?1",
        CHORALE_FIELDS(from), 0, &to, msg);

    if (err == CHORALE_OK && to == 0) {
        err = put_campaign(store, from, launches, command, now, &to, msg);
        if (err == CHORALE_OK)
            err = chorale_store_run(
                store, "INSERT INTO temp.again VALUES (?,?)",
                CHORALE_FIELDS(from, to), msg);
    }
    if (err == CHORALE_OK)
        err = chorale_store_run(
            store, "UPDATE cell SET campaign_id = ?2, launches = launches + ?3"
            " WHERE cell_id = ?1", CHORALE_FIELDS(cell, to, launches), msg);
    return err;
}

static enum chorale_err plan_all(const struct chorale_comparison *cmp,
                                 struct chorale_store *store,
                                 sqlite3_int64 system, long launches,
                                 const char *command, size_t *count_p,
                                 struct chorale_errmsg *msg)
{
    sqlite3_stmt *find = NULL;
    char now[32];
    enum chorale_err err = CHORALE_OK;

    chorale_time_now(now);
    for (size_t i = 0; i < cmp->count && err == CHORALE_OK; i++) {
        const struct chorale_run_point *at = &cmp->cell[i].at;

        if (!cmp->judged[i].looks_slower || cmp->judged[i].again)
            continue;
        err = chorale_store_query(
            store, find_sql,
            CHORALE_FIELDS(system, chorale_coll_info(at->coll)->name,
                           at->comm_size, at->msg_size, at->ppn, at->shape,
                           at->dtype, at->op, at->conditions, at->provider,
                           at->variant, at->params), &find, msg);
        if (chorale_store_next(store, find, &err, msg)) {
            err = again(store, sqlite3_column_int64(find, 0),
                        sqlite3_column_int64(find, 1), launches, command, now,
                        msg);
            ++*count_p;
        }
        sqlite3_finalize(find);
    }
    return err;
}

/* Open a database to plan cells of a system, locked against other planning. The
 * caller closes *store_p, also after an error. */
static enum chorale_err open_to_plan(const char *path, const char *system,
                                     struct chorale_store **store_p,
                                     sqlite3_int64 *id_p,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_WRITE,
                                              store_p, msg);

    if (err == CHORALE_OK)
        err = chorale_store_lock(*store_p, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(*store_p, system, id_p, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_systems_measurable(*store_p, system, msg);
    return err;
}

int chorale_comparison_imported(const struct chorale_comparison *cmp)
{
    return cmp->base.imported || cmp->head.imported;
}

enum chorale_err
chorale_comparison_can_recheck(const struct chorale_comparison *cmp,
                               const char *recheck, struct chorale_errmsg *msg)
{
    if (recheck == NULL || !chorale_comparison_imported(cmp))
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "--recheck %s: %s holds imported "
                        "runs, which cannot be measured again; omit --recheck",
                        recheck, cmp->base.imported ? cmp->base.path
                                                    : cmp->head.path);
}

enum chorale_err chorale_comparison_again(const struct chorale_comparison *cmp,
                                          const char *path, const char *system,
                                          long launches, const char *command,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id;
    enum chorale_err err = open_to_plan(path, system, &store, &id, msg);

    *count_p = 0;
    if (err == CHORALE_OK)
        err = chorale_store_begin(store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_exec(
            store, "CREATE TEMP TABLE again (\"from\", \"to\")", msg);
    if (err == CHORALE_OK)
        err = plan_all(cmp, store, id, launches, command, count_p, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK && store != NULL)
        chorale_store_rollback(store);
    chorale_store_close(store);
    return err;
}

enum chorale_err chorale_comparison_more(const char *path, const char *system,
                                         struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id;
    enum chorale_err err = open_to_plan(path, system, &store, &id, msg);

    if (err == CHORALE_OK)
        err = chorale_store_run(
            store, "UPDATE cell SET launches = 2 * launches"
            " WHERE system_id = ?1 AND campaign_id IN"
            " (SELECT campaign_id FROM campaign WHERE NOT again)",
            CHORALE_FIELDS(id), msg);
    chorale_store_close(store);
    return err;
}

/* Missing runs: the missing launches of each cell that is measured again,
 * summed. */
#define LEFT                                                                 \
    "SELECT total(c.launches - (SELECT count(DISTINCT l.ordinal) FROM run r" \
    " JOIN launch l USING (launch_id) WHERE r.cell_id = c.cell_id AND"       \
    " l.ordinal < c.launches)) FROM cell c JOIN campaign k USING"            \
    " (campaign_id) JOIN system s ON s.system_id = c.system_id"              \
    " WHERE k.again AND (?1 IS NULL OR s.name = ?1)"

enum chorale_err chorale_comparison_left(const struct chorale_side *side,
                                         const char *system,
                                         sqlite3_int64 *left_p,
                                         struct chorale_errmsg *msg)
{
    *left_p = 0;
    return chorale_store_find(chorale_shard_store(side->shard), LEFT,
                              CHORALE_FIELDS(system), 0, left_p, msg);
}
