/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_again.c - what looks slower, measured once more. */
#include "tuner/comparison.h"

#include <string.h>
#include <sys/wait.h>

#include "db/systems.h"
#include "tuner/run.h"
#include "tuner/spawn.h"

/* A campaign that measures as the cell's did, to the end. */
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

static void bind_cell(sqlite3_stmt *stmt, sqlite3_int64 system,
                      const struct chorale_run_point *at)
{
    sqlite3_bind_int64(stmt, 1, system);
    sqlite3_bind_text(stmt, 2, chorale_coll_info(at->coll)->name, -1,
                      SQLITE_STATIC);
    sqlite3_bind_int(stmt, 3, at->comm_size);
    sqlite3_bind_int64(stmt, 4, (sqlite3_int64)at->msg_size);
    sqlite3_bind_int(stmt, 5, at->ppn);
    sqlite3_bind_text(stmt, 6, at->shape, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 7, at->dtype, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 8, at->op, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 9, at->conditions, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 10, at->provider, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 11, at->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 12, at->params, -1, SQLITE_STATIC);
}

/* The second measurement's campaign that copies that one. */
static enum chorale_err put_campaign(struct chorale_store *store,
                                     sqlite3_int64 from, long launches,
                                     const char *command, const char *now,
                                     sqlite3_int64 *id_p,
                                     struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE];
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, campaign_sql, &stmt,
                                                 msg);

    chorale_uuid(uuid);
    if (err == CHORALE_OK) {
        sqlite3_bind_text(stmt, 1, uuid, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 2, now, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, command, -1, SQLITE_STATIC);
        sqlite3_bind_int64(stmt, 4, launches);
        sqlite3_bind_int64(stmt, 5, from);
        err = chorale_store_step(store, stmt, NULL, msg);
    }
    sqlite3_finalize(stmt);
    *id_p = sqlite3_last_insert_rowid(chorale_store_db(store));
    return err;
}

/* One cell into the second measurement: in memory it is known which campaign
 * became which. */
static enum chorale_err again(struct chorale_store *store,
                              sqlite3_int64 cell, sqlite3_int64 from,
                              long launches, const char *command,
                              const char *now, struct chorale_errmsg *msg)
{
    sqlite3_int64 to = 0;
    char sql[256];
    enum chorale_err err;

    snprintf(sql, sizeof(sql), "SELECT \"to\" FROM temp.again WHERE \"from\""
             " = %lld", (long long)from);
    err = chorale_store_int(store, sql, 0, &to, msg);
    if (err == CHORALE_OK && to == 0) {
        err = put_campaign(store, from, launches, command, now, &to, msg);
        snprintf(sql, sizeof(sql), "INSERT INTO temp.again VALUES"
                 " (%lld, %lld)", (long long)from, (long long)to);
        if (err == CHORALE_OK)
            err = chorale_store_exec(store, sql, msg);
    }
    snprintf(sql, sizeof(sql), "UPDATE cell SET campaign_id = %lld, launches ="
             " launches + %ld WHERE cell_id = %lld", (long long)to, launches,
             (long long)cell);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, sql, msg);
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
    enum chorale_err err = chorale_store_prepare(store, find_sql, &find, msg);

    chorale_now(now);
    for (size_t i = 0; i < cmp->count && err == CHORALE_OK; i++) {
        int row = 0;

        if (!cmp->judged[i].looks_slower || cmp->judged[i].again)
            continue;
        bind_cell(find, system, &cmp->cell[i].at);
        err = chorale_store_step(store, find, &row, msg);
        if (err != CHORALE_OK || !row)
            continue;
        err = again(store, sqlite3_column_int64(find, 0),
                    sqlite3_column_int64(find, 1), launches, command, now,
                    msg);
        sqlite3_reset(find);
        ++*count_p;
    }
    sqlite3_finalize(find);
    return err;
}

enum chorale_err chorale_comparison_again(const struct chorale_comparison *cmp,
                                          const char *path, const char *system,
                                          long launches, const char *command,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_WRITE,
                                              &store, msg);

    *count_p = 0;
    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN, 0, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, system, &id, NULL, msg);
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

/* One launch of base by another chorale; *more_p: it is not done. */
static enum chorale_err run_other(const char *program, const char *path,
                                  const char *system, int *more_p,
                                  struct chorale_errmsg *msg)
{
    struct chorale_args args = { { NULL }, 0, 0 };
    char text[512];
    int status = 0, code;
    enum chorale_err err;

    chorale_args_add(&args, "%s", program);
    chorale_args_add(&args, "run");
    chorale_args_add(&args, "--quiet");
    chorale_args_add(&args, "--max-launches");
    chorale_args_add(&args, "1");
    if (system != NULL) {
        chorale_args_add(&args, "--system");
        chorale_args_add(&args, "%s", system);
    }
    chorale_args_add(&args, "%s", path);
    err = chorale_capture(&args, "--base-command names it", text, sizeof(text),
                          &status, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        return err;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *more_p = code == CHORALE_STOPPED;
    if (code != CHORALE_OK && code != CHORALE_STOPPED)
        return chorale_fail(msg, CHORALE_ENV, "%s run %s: %.300s", program,
                            path, text);
    return CHORALE_OK;
}

static enum chorale_err run_ours(const char *path, const char *system,
                                 int *more_p, struct chorale_errmsg *msg)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    enum chorale_err err;

    opts.system = system;
    opts.max_launches = 1;
    opts.quiet = 1;
    err = chorale_run(path, &opts, msg);
    *more_p = err == CHORALE_STOPPED;
    if (err == CHORALE_STOPPED && !chorale_stop_requested()) {
        msg->text[0] = '\0';
        err = CHORALE_OK;
    }
    return err;
}

enum chorale_err chorale_comparison_run(const char *base, const char *head,
                                        const char *system,
                                        const char *program,
                                        struct chorale_errmsg *msg)
{
    int more_base = base != NULL, more_head = 1;
    enum chorale_err err = CHORALE_OK;

    while (err == CHORALE_OK && (more_base || more_head)) {
        if (more_base)
            err = program != NULL
                      ? run_other(program, base, system, &more_base, msg)
                      : run_ours(base, system, &more_base, msg);
        if (err == CHORALE_OK && more_head)
            err = run_ours(head, system, &more_head, msg);
    }
    return err;
}
