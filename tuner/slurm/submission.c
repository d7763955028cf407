/* SPDX-License-Identifier: BSD-3-Clause */
/* submission.c - batch jobs in the database. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/slurm/submission.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIBLINGS "max(1, CAST(c.siblings AS INTEGER))"

/* True if cell c belongs to element_launch e. */
#define OF_LAUNCH(e)                                                         \
    "c.system_id = " e ".system_id AND c.comm_size = " e ".comm_size"        \
    " AND c.ppn = " e ".ppn AND c.shape = " e ".shape AND c.part = " e       \
    ".part AND " SIBLINGS " = " e ".siblings AND c.launches > " e ".ordinal" \
    " AND c.provider <> 'table'"

#define HAS_RUN(ordinal)                                                     \
    "EXISTS (SELECT 1 FROM run r JOIN launch l USING (launch_id)"            \
    " WHERE r.cell_id = c.cell_id AND l.ordinal = " ordinal ")"

/* Find the first and last cell that a submission was made for: jobs measure the
 * cells of its plan, not those planned later. Without the plan file any cell
 * counts. */
static void find_cells(struct chorale_element *e)
{
    char plan[sizeof(e->folder) + 16];
    struct chorale_store *store = NULL;
    struct chorale_errmsg why;
    sqlite3_stmt *stmt = NULL;
    int row = 0;

    e->cells[0] = 0;
    e->cells[1] = INT64_MAX;
    snprintf(plan, sizeof(plan), "%s/plan.db", e->folder);
    if (access(plan, R_OK) == 0 &&
        chorale_store_open(plan, CHORALE_STORE_READ, &store, &why) ==
            CHORALE_OK &&
        chorale_store_prepare(store,
                              "SELECT min(c.cell_id), max(c.cell_id) FROM"
                              " (SELECT system_id, comm_size, ppn, shape, part,"
                              "   siblings, min(ordinal) AS ordinal"
                              "   FROM element_launch GROUP BY 1, 2, 3, 4, 5, 6)"
                              " e JOIN cell c ON " OF_LAUNCH("e"), &stmt,
                              &why) ==
            CHORALE_OK &&
        chorale_store_step(store, stmt, &row, &why) == CHORALE_OK && row &&
        sqlite3_column_type(stmt, 0) == SQLITE_INTEGER) {
        e->cells[0] = sqlite3_column_int64(stmt, 0);
        e->cells[1] = sqlite3_column_int64(stmt, 1);
    }
    sqlite3_finalize(stmt);
    chorale_store_close(store);
}

enum chorale_err chorale_elements_load(struct chorale_store *store,
                                       sqlite3_int64 submission,
                                       struct chorale_element **list_p,
                                       size_t *count_p,
                                       struct chorale_errmsg *msg)
{
    struct chorale_element *list = NULL;
    sqlite3_stmt *stmt = NULL;
    size_t count = 0;
    enum chorale_err err;

    err = chorale_store_query(
        store,
        "SELECT submission_id, element, task, nodes, ppn, seconds, job_id,"
        " folder FROM element JOIN submission USING (submission_id)"
        " WHERE ?1 IN (0, submission_id) ORDER BY submission_id, element",
        CHORALE_FIELDS(submission), &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_element *e, *grown =
            chorale_array_grow(list, count, sizeof(*list));

        if (grown == NULL) {
            err = chorale_fail_memory(msg, NULL);
            break;
        }
        list = grown;
        e = &list[count++];
        e->submission = sqlite3_column_int64(stmt, 0);
        e->element = (long)sqlite3_column_int64(stmt, 1);
        e->task = (long)sqlite3_column_int64(stmt, 2);
        e->nodes = sqlite3_column_int(stmt, 3);
        e->ppn = sqlite3_column_int(stmt, 4);
        e->seconds = sqlite3_column_double(stmt, 5);
        snprintf(e->job_id, sizeof(e->job_id), "%s", chorale_text(stmt, 6));
        snprintf(e->folder, sizeof(e->folder), "%s", chorale_text(stmt, 7));
        if (count > 1 && e[-1].submission == e->submission)
            memcpy(e->cells, e[-1].cells, sizeof(e->cells));
        else
            find_cells(e);
    }
    sqlite3_finalize(stmt);
    if (err != CHORALE_OK) {
        free(list);
        return err;
    }
    *list_p = list;
    *count_p = count;
    return CHORALE_OK;
}

enum chorale_err chorale_element_count(struct chorale_store *store,
                                       sqlite3_int64 submission, long element,
                                       const sqlite3_int64 cells[2],
                                       sqlite3_int64 *done_p,
                                       sqlite3_int64 *total_p,
                                       struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_query(
        store, "SELECT count(*), total(" HAS_RUN("e.ordinal") ")"
        " FROM element_launch e JOIN cell c ON " OF_LAUNCH("e")
        " WHERE e.submission_id = ?1 AND e.element = ?2"
        " AND c.cell_id BETWEEN ?3 AND ?4",
        CHORALE_FIELDS(submission, element, cells[0], cells[1]), &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, &row, msg);
    if (err == CHORALE_OK) {
        *total_p = sqlite3_column_int64(stmt, 0);
        *done_p = sqlite3_column_int64(stmt, 1);
    }
    sqlite3_finalize(stmt);
    return err;
}

void chorale_element_files(const char *folder, long element, char *shard,
                           char *words, size_t size)
{
    snprintf(shard, size, "%s/shard-%ld.db", folder, element);
    snprintf(words, size, "%s/element-%ld.txt", folder, element);
}

/* Mean seconds of a run in the launches of this database, with their starts; 0
 * if no launch has ended. */
#define PACE                                                                 \
    "SELECT total((julianday(finished) - julianday(started)) * 86400)"       \
    " / max(1, (SELECT count(*) FROM run JOIN launch USING (launch_id)"      \
    "            WHERE finished IS NOT NULL))"                               \
    " FROM launch WHERE finished IS NOT NULL"

static double pace(struct chorale_store *store)
{
    struct chorale_errmsg why;
    sqlite3_stmt *stmt = NULL;
    double seconds = 0;
    int row = 0;

    if (chorale_store_prepare(store, PACE, &stmt, &why) == CHORALE_OK &&
        chorale_store_step(store, stmt, &row, &why) == CHORALE_OK && row)
        seconds = sqlite3_column_double(stmt, 0);
    sqlite3_finalize(stmt);
    return seconds;
}

enum chorale_err chorale_element_done(struct chorale_store *store,
                                      const struct chorale_element *e,
                                      sqlite3_int64 *done_p,
                                      sqlite3_int64 *total_p, double *each_p,
                                      struct chorale_errmsg *msg)
{
    char shard[sizeof(e->folder) + 32], words[sizeof(shard)];
    struct chorale_store *published = NULL;
    sqlite3_int64 more, all;
    struct chorale_errmsg why;
    enum chorale_err err = chorale_element_count(
        store, e->submission, e->element, e->cells, done_p, total_p, msg);

    *each_p = 0;
    if (err != CHORALE_OK || *done_p >= *total_p)
        return err;
    chorale_element_files(e->folder, e->element, shard, words, sizeof(shard));
    if (access(shard, R_OK) == 0 &&
        chorale_store_open(shard, CHORALE_STORE_READ, &published, &why) ==
            CHORALE_OK &&
        chorale_element_count(published, e->submission, e->element,
                              e->cells, &more, &all, &why) == CHORALE_OK &&
        more >= *done_p) {
        *done_p = more;
        *each_p = pace(published);
    }
    chorale_store_close(published);
    return CHORALE_OK;
}

/* Returns 1 if the last job has run: all others have then ended, even if
 * squeue's cached answer still lists them. */
static int is_over(const struct chorale_element *e)
{
    char verdict[sizeof(e->folder) + 16];

    snprintf(verdict, sizeof(verdict), "%s/gather.txt", e->folder);
    return access(verdict, F_OK) == 0;
}

/* Make temp.active: elements in the queue, and their cells. */
static enum chorale_err find_active(struct chorale_store *store,
                                    const struct chorale_slurm_queue *queue,
                                    struct chorale_errmsg *msg)
{
    struct chorale_element *list = NULL;
    sqlite3_stmt *stmt = NULL;
    size_t count = 0;
    char state[128];
    enum chorale_err err;

    err = chorale_store_exec(store,
                             "CREATE TEMP TABLE IF NOT EXISTS active"
                             " (submission_id, element, first_cell, last_cell);"
                             "DELETE FROM temp.active", msg);
    if (err == CHORALE_OK)
        err = chorale_elements_load(store, 0, &list, &count, msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store, "INSERT INTO temp.active VALUES (?1, ?2, ?3, ?4)", &stmt,
            msg);
    for (size_t i = 0; err == CHORALE_OK && i < count; i++) {
        if (list[i].job_id[0] == '\0' || is_over(&list[i]) ||
            !chorale_slurm_state(queue, list[i].job_id, list[i].task, state,
                                 sizeof(state)))
            continue;
        err = chorale_store_put(
            store, stmt, 1,
            CHORALE_FIELDS(list[i].submission, list[i].element,
                           list[i].cells[0], list[i].cells[1]), msg);
    }
    sqlite3_finalize(stmt);
    free(list);
    return err;
}

/* True if a queued job measures cell c in that launch. */
#define IN_QUEUE(which)                                                      \
    "EXISTS (SELECT 1 FROM temp.active a JOIN main.element_launch e"         \
    " USING (submission_id, element) WHERE e.ordinal = " which               \
    " AND c.cell_id BETWEEN a.first_cell AND a.last_cell"                    \
    " AND " OF_LAUNCH("e") ")"

#define WANTED                                                               \
    "WITH RECURSIVE o(ordinal) AS (SELECT 0 UNION ALL"                       \
    "   SELECT ordinal + 1 FROM o"                                           \
    "    WHERE ordinal + 1 < (SELECT max(launches) FROM cell))"              \
    "SELECT c.system_id, max(c.campaign_id), c.comm_size, c.ppn, c.shape,"   \
    "       o.ordinal, count(*), c.part, " SIBLINGS " AS siblings,"          \
    "       sum(k.cell_seconds)"                                             \
    "  FROM o JOIN cell c ON c.launches > o.ordinal"                         \
    "  JOIN campaign k ON k.campaign_id = c.campaign_id"                     \
    " WHERE c.system_id = ?1 AND c.provider <> 'table'"                      \
    "   AND NOT " HAS_RUN("o.ordinal")                                       \
    "   AND NOT " IN_QUEUE("o.ordinal")                                      \
    " GROUP BY c.comm_size, c.ppn, c.shape, o.ordinal, c.part, 9"

/* Read a row of WANTED. Returns 0 if the part's name is invalid. */
static int read_launch(sqlite3_stmt *stmt, struct chorale_pack_launch *launch)
{
    struct chorale_pending *p = &launch->p;

    memset(launch, 0, sizeof(*launch));
    p->system_id = sqlite3_column_int64(stmt, 0);
    p->campaign_id = sqlite3_column_int64(stmt, 1);
    p->comm_size = sqlite3_column_int(stmt, 2);
    p->ppn = sqlite3_column_int(stmt, 3);
    p->ordinal = sqlite3_column_int(stmt, 5);
    p->ncell = sqlite3_column_int64(stmt, 6);
    p->siblings = sqlite3_column_int(stmt, 8);
    snprintf(p->shape, sizeof(p->shape), "%s", chorale_text(stmt, 4));
    launch->seconds = sqlite3_column_double(stmt, 9);
    return snprintf(p->part, sizeof(p->part), "%s", chorale_text(stmt, 7)) <
           (int)sizeof(p->part);
}

enum chorale_err chorale_submission_pending(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_slurm_queue *queue,
    struct chorale_pack_launch **launch_p, size_t *n_p,
    struct chorale_errmsg *msg)
{
    struct chorale_pack_launch *list = NULL;
    sqlite3_stmt *stmt = NULL;
    size_t n = 0;
    enum chorale_err err = find_active(store, queue, msg);

    if (err == CHORALE_OK)
        err = chorale_store_query(store, WANTED, CHORALE_FIELDS(system_id),
                                  &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_pack_launch *grown =
            chorale_array_grow(list, n, sizeof(*list));

        if (grown == NULL) {
            err = chorale_fail_memory(msg, NULL);
            break;
        }
        list = grown;
        if (!read_launch(stmt, &list[n++]))
            err = chorale_fail(msg, CHORALE_DATA,
                               "%s: cells name an invalid part of %zu "
                               "characters; plan them again into another "
                               "database", chorale_store_path(store),
                               strlen(chorale_text(stmt, 7)));
    }
    sqlite3_finalize(stmt);
    if (err != CHORALE_OK) {
        free(list);
        return err;
    }
    *launch_p = list;
    *n_p = n;
    return CHORALE_OK;
}

static enum chorale_err put_elements(struct chorale_store *store,
                                     sqlite3_int64 id,
                                     const struct chorale_pack_launch *l,
                                     size_t n, struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; err == CHORALE_OK && i < n; i++) {
        const struct chorale_pending *p = &l[i].p;

        err = chorale_store_run(
            store, "INSERT INTO element (submission_id, element, nodes, ppn,"
            " seconds, task) VALUES (?1, ?2, ?3, ?4, ?5, 0) ON CONFLICT"
            " DO UPDATE SET seconds = seconds + excluded.seconds",
            CHORALE_FIELDS(id, l[i].element, l[i].nodes, l[i].ppn,
                           l[i].seconds), msg);
        if (err == CHORALE_OK)
            err = chorale_store_run(
                store,
                "INSERT INTO element_launch VALUES (?,?,?,?,?,?,?,?,?)",
                CHORALE_FIELDS(id, l[i].element, p->system_id, p->comm_size,
                               p->ppn, p->shape, p->part, p->siblings,
                               p->ordinal), msg);
    }
    return err;
}

static enum chorale_err put_submission(struct chorale_store *store,
                                       sqlite3_int64 id,
                                       sqlite3_int64 system_id,
                                       const char *command, const char *folder,
                                       struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE], now[32];

    chorale_uuid(uuid);
    chorale_time_now(now);
    return chorale_store_run(
        store, "INSERT INTO submission VALUES (?1,?2,?3,?4,?5,?6,'')",
        CHORALE_FIELDS(id, uuid, system_id, now, command, folder), msg);
}

enum chorale_err chorale_submission_put(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const char *command, const char *base,
                                        const struct chorale_pack_launch *l,
                                        size_t n, sqlite3_int64 *id_p,
                                        char *folder, size_t size,
                                        struct chorale_errmsg *msg)
{
    sqlite3_int64 id = 0;
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_int(store, "SELECT coalesce(max(submission_id), 0)"
                                " + 1 FROM submission", 1, &id, msg);
    /* Skip existing folders, as of another database. */
    for (; err == CHORALE_OK; id++) {
        if (snprintf(folder, size, "%s/%lld", base, (long long)id) >=
            (int)size)
            err = chorale_fail_long(msg, base);
        else if (access(folder, F_OK) != 0)
            break;
    }
    if (err == CHORALE_OK)
        err = put_submission(store, id, system_id, command, folder, msg);
    if (err == CHORALE_OK)
        err = put_elements(store, id, l, n, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK) {
        chorale_store_rollback(store);
        return err;
    }
    *id_p = id;
    return CHORALE_OK;
}

enum chorale_err chorale_submission_job(struct chorale_store *store,
                                        sqlite3_int64 id, long first,
                                        long last, const char *job_id,
                                        struct chorale_errmsg *msg)
{
    return chorale_store_run(
        store, first == 0
                   ? "UPDATE submission SET gather_job = ?4"
                     " WHERE submission_id = ?1"
                   : "UPDATE element SET job_id = ?4, task = element - ?2"
                     " WHERE submission_id = ?1"
                     "   AND element BETWEEN ?2 AND ?3",
        CHORALE_FIELDS(id, first, last, job_id), msg);
}

/* Copy a submission (%lld) into the attached database `plan`. Cells that queued
 * jobs measure in all its launches are left out. */
#define COPY                                                                 \
    "INSERT INTO plan.system SELECT * FROM main.system;"                     \
    "INSERT INTO plan.campaign SELECT * FROM main.campaign;"                 \
    "INSERT INTO plan.submission SELECT * FROM main.submission"              \
    " WHERE submission_id = %lld;"                                           \
    "INSERT INTO plan.element SELECT t.* FROM main.element t"                \
    " JOIN plan.submission USING (submission_id);"                           \
    "INSERT INTO plan.element_launch SELECT t.* FROM main.element_launch t"  \
    " JOIN plan.submission USING (submission_id);"                           \
    "INSERT INTO plan.cell SELECT c.* FROM main.cell c"                      \
    " WHERE c.provider <> 'table'"                                           \
    " AND (NOT EXISTS (SELECT 1 FROM temp.active) OR NOT EXISTS"             \
    "   (SELECT 1 FROM plan.element_launch p WHERE " OF_LAUNCH("p") ")"      \
    "  OR EXISTS (SELECT 1 FROM plan.element_launch p WHERE "                \
    OF_LAUNCH("p") " AND NOT " IN_QUEUE("p.ordinal") "));"                   \
    "INSERT INTO plan.launch SELECT DISTINCT l.* FROM main.launch l"         \
    " JOIN plan.element_launch e ON e.system_id = l.system_id"               \
    " AND e.comm_size = l.comm_size AND e.ppn = l.ppn"                       \
    " AND e.shape = l.shape AND e.part = l.part"                             \
    " AND e.siblings = l.siblings AND e.ordinal = l.ordinal;"                \
    "INSERT INTO plan.run SELECT r.* FROM main.run r"                        \
    " JOIN plan.launch USING (launch_id) JOIN plan.cell USING (cell_id)"

enum chorale_err chorale_submission_plan(struct chorale_store *store,
                                         sqlite3_int64 id, const char *file,
                                         struct chorale_errmsg *msg)
{
    struct chorale_store *made = NULL;
    char *sql = sqlite3_mprintf(COPY, (long long)id);
    enum chorale_err err;

    if (sql == NULL)
        return chorale_fail_memory(msg, NULL);
    err = chorale_store_open(file, CHORALE_STORE_CREATE, &made, msg);
    chorale_store_close(made);
    if (err == CHORALE_OK)
        err = chorale_store_run(
            store, "ATTACH ?1 AS plan", CHORALE_FIELDS(file), msg);
    if (err == CHORALE_OK)
        err = chorale_store_begin(store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, sql, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    chorale_store_rollback(store);
    sqlite3_exec(chorale_store_db(store), "DETACH plan", NULL, NULL, NULL);
    sqlite3_free(sql);
    return err;
}
