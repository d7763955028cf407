/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_plan.c - selects the points at which a table is validated and plans
 * their cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/byte_buffer.h"
#include "tuner/assess/evaluate.h"
#include "tuner/assess/validate.h"

struct list {
    struct chorale_proof_point *row;
    size_t count;
    const struct chorale_points *runs; /* in every pattern */
};

/* 1 if two loads have the same point, placement, type and operation. */
static int same_place(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->n == b->n && a->ppn == b->ppn &&
           strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

/* List the patterns that decided at the point: its own, or for robust those in
 * which the library ran there. */
static void find_patterns(const struct chorale_points *runs,
                          const struct chorale_run_point *at,
                          const char *pattern[CHORALE_PROOF_PATTERNS])
{
    int n = 0;

    memset(pattern, 0, CHORALE_PROOF_PATTERNS * sizeof(*pattern));
    if (strcmp(at->arrival, "robust") != 0) {
        pattern[0] = at->arrival;
        return;
    }
    for (size_t i = 0; i < runs->count && n < CHORALE_PROOF_PATTERNS - 1; i++) {
        const struct chorale_run_point *run = &runs->row[i];
        int k = 0;

        if (strcmp(run->provider, "library") != 0 || !run->ok ||
            !same_place(run, at))
            continue;
        while (k < n && strcmp(pattern[k], run->arrival) != 0)
            k++;
        if (k == n)
            pattern[n++] = run->arrival;
    }
}

/* Add a point like run but with another block size. Returns -1 if out of
 * memory. */
static int add(struct list *list, const struct chorale_emit_table *table,
               const struct chorale_run_point *run, size_t msg_size)
{
    const struct chorale_emit_choice *choice;
    struct chorale_proof_point *p =
        chorale_array_grow(list->row, list->count, sizeof(*p));

    if (p == NULL)
        return -1;
    list->row = p;
    p += list->count++;
    *p = (struct chorale_proof_point){ .at = *run };
    find_patterns(list->runs, run, p->pattern);
    p->at.msg_size = msg_size;
    p->at.n = chorale_coll_n(run->coll, msg_size, run->comm_size);
    choice = chorale_evaluate_choice(table, &p->at);
    if (choice == NULL)
        snprintf(p->choice, sizeof(p->choice), "library");
    else
        snprintf(p->choice, sizeof(p->choice), "%.80s%s%.200s",
                 choice->alg->name, choice->params[0] != '\0' ? ":" : "",
                 choice->params);
    return 0;
}

/* The n that the dispatcher looks up. */
static size_t asked(const struct chorale_run_point *p, size_t msg_size)
{
    struct chorale_run_point at = *p;

    at.msg_size = msg_size;
    return chorale_coll_n(at.coll, chorale_evaluate_block(&at), at.comm_size);
}

/* Add the block sizes around each change of choice strictly between two
 * measured sizes: the largest below it and the smallest from it on, in whole
 * elements. */
static int add_boundaries(struct list *list,
                          const struct chorale_emit_table *table,
                          const struct chorale_run_point *a,
                          const struct chorale_run_point *b, size_t element)
{
    int shape = chorale_emit_shape(a->shape);
    const struct chorale_emit_group *group =
        &table->group[a->coll][shape < 0 ? 0 : shape];
    size_t unit = chorale_coll_n(a->coll, element, a->comm_size);
    size_t low = asked(a, a->msg_size), high = asked(b, b->msg_size);

    if (unit == 0 || chorale_coll_info(a->coll)->blind)
        return 0;
    for (size_t i = 0; i < group->nrule; i++) {
        const struct chorale_emit_rule *rule = &group->rule[i];

        if (a->comm_size < rule->comm_size ||
            a->comm_size > rule->comm_size_hi)
            continue;
        for (size_t k = 1; k < rule->count; k++) {
            unsigned long long from = table->band[rule->first + k].from;
            size_t first;

            if (from <= low || from > high)
                continue;
            first = (size_t)((from + unit - 1) / unit) * element;
            while (asked(a, first) < from) /* <= 2 steps, see chorale_ramp() */
                first += element;
            if (first - element > a->msg_size &&
                add(list, table, a, first - element) != 0)
                return -1;
            if (first < b->msg_size && add(list, table, a, first) != 0)
                return -1;
        }
    }
    return 0;
}

/* Returns 1 if two points differ only in size, and possibly in buffers. */
static int neighbours(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    size_t root = strcspn(a->conditions, " ");

    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->msg_size < b->msg_size &&
           strncmp(a->conditions, b->conditions, root + 1) == 0;
}

static int add_between(struct list *list,
                       const struct chorale_emit_table *table,
                       const struct chorale_run_point *a,
                       const struct chorale_run_point *b, int middle)
{
    size_t element = chorale_run_type_size(a), m;

    if (add_boundaries(list, table, a, b, element) != 0)
        return -1;
    m = (size_t)(sqrt((double)a->msg_size * (double)b->msg_size) /
                 (double)element) * element;
    if (middle && m > a->msg_size && m < b->msg_size)
        return add(list, table, a, m);
    return 0;
}

static int compare_text(const char *a, const char *b)
{
    return strcmp(a, b);
}

static int compare_runs(const struct chorale_run_point *a,
                        const struct chorale_run_point *b)
{
    int diff = (int)a->coll - (int)b->coll;

    diff = diff != 0 ? diff : a->comm_size - b->comm_size;
    diff = diff != 0 ? diff : a->ppn - b->ppn;
    diff = diff != 0 ? diff : compare_text(a->shape, b->shape);
    diff = diff != 0 ? diff : compare_text(a->dtype, b->dtype);
    diff = diff != 0 ? diff : compare_text(a->op, b->op);
    diff = diff != 0 ? diff
                     : (a->msg_size > b->msg_size) -
                           (a->msg_size < b->msg_size);
    return diff != 0 ? diff : compare_text(a->conditions, b->conditions);
}

static int compare(const void *x, const void *y)
{
    return compare_runs(&((const struct chorale_proof_point *)x)->at,
                        &((const struct chorale_proof_point *)y)->at);
}

static void sort_unique(struct list *list)
{
    size_t n = 0;

    if (list->count > 0)
        qsort(list->row, list->count, sizeof(*list->row), compare);
    for (size_t i = 0; i < list->count; i++)
        if (n == 0 || compare(&list->row[n - 1], &list->row[i]) != 0)
            list->row[n++] = list->row[i];
    list->count = n;
}

enum chorale_err chorale_proof_points(
    const struct chorale_emit_table *table,
    const struct chorale_proof_basis *basis, int between,
    struct chorale_proof_point **point_p, size_t *count_p,
    struct chorale_errmsg *msg)
{
    const struct chorale_points *points = &basis->points;
    struct list list = { NULL, 0, &basis->runs };
    size_t nmeasured;
    int bad = 0;

    for (size_t i = 0; i < points->count && !bad; i++) {
        const struct chorale_run_point *p = &points->row[i];

        if (strcmp(p->provider, "library") == 0 && p->ok &&
            p->comm_size > 1 &&
            (list.count == 0 || compare_runs(&list.row[list.count - 1].at, p)))
            bad = add(&list, table, p, p->msg_size) != 0;
    }
    sort_unique(&list);
    nmeasured = list.count;
    for (size_t i = 0; i < nmeasured && !bad; i++)
        for (size_t j = i + 1; j < nmeasured && !bad; j++) {
            /* Copied, because add() may move the list. */
            struct chorale_run_point a = list.row[i].at, b = list.row[j].at;

            if (a.coll != b.coll || a.comm_size != b.comm_size)
                break;
            if (!neighbours(&a, &b))
                continue;
            bad = add_between(&list, table, &a, &b, between) != 0;
            break;
        }
    sort_unique(&list);
    if (bad) {
        free(list.row);
        return chorale_fail_memory(msg, "validate");
    }
    *point_p = list.row;
    *count_p = list.count;
    return CHORALE_OK;
}

#define START 1.3        /* times the runs: a launch also starts and ends */

/* Clock time of launches [s] by process count, and runs in them. */
static const char pace_sql[] =
    "SELECT comm_size, sum(strftime('%s', finished) - strftime('%s', started)),"
    " sum((SELECT count(*) FROM run r WHERE r.launch_id = l.launch_id))"
    " FROM launch l WHERE system_id = ?1 AND status = 'done' AND comm_size > 1"
    " GROUP BY comm_size";

/* 1 if calls back to back are measured there too. */
static int twice(const struct chorale_proof_point *p)
{
    return strcmp(p->at.arrival, "sync") == 0 &&
           strcmp(p->choice, "library") != 0;
}

/* Seconds of all runs of these points in one launch. */
static enum chorale_err find_cost(struct chorale_store *store,
                                  sqlite3_int64 system_id, int both,
                                  const struct chorale_proof_point *point,
                                  size_t count, double *seconds_p,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, pace_sql, CHORALE_FIELDS(system_id), &stmt, msg);

    *seconds_p = 0;
    while (chorale_store_next(store, stmt, &err, msg)) {
        double pace = sqlite3_column_double(stmt, 1) /
                      fmax(sqlite3_column_double(stmt, 2), 1);

        for (size_t i = 0; i < count; i++) {
            if (point[i].at.comm_size != sqlite3_column_int(stmt, 0))
                continue;
            for (int k = 0; point[i].pattern[k] != NULL; k++)
                *seconds_p += 2 * pace;
            if (both && twice(&point[i]))
                *seconds_p += 2 * pace;
        }
    }
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_proof_thin(struct chorale_store *store,
                                    sqlite3_int64 system_id, long launches,
                                    int both, double seconds,
                                    struct chorale_proof_point *point,
                                    size_t *count_p,
                                    struct chorale_errmsg *msg)
{
    const double most = seconds / (START * (double)launches);
    double cost = 0;
    size_t n = 0;
    enum chorale_err err = find_cost(store, system_id, both, point, *count_p,
                                     &cost, msg);

    if (err != CHORALE_OK || cost <= most)
        return err;
    for (size_t i = 0; i < *count_p; i++)
        if (strcmp(point[i].choice, "library") != 0)
            point[n++] = point[i];
    if (n > 0)
        *count_p = n;
    err = find_cost(store, system_id, both, point, *count_p, &cost, msg);
    if (err != CHORALE_OK || cost <= most)
        return err;
    n = 0;
    for (size_t i = 0; i < *count_p; i++)
        if (n == 0 || (double)n < most / cost * (double)(i + 1))
            point[n++] = point[i];
    *count_p = n;
    return CHORALE_OK;
}

/* Copies the settings of the latest ordinary campaign, without racing. */
static const char campaign_sql[] =
    "INSERT INTO campaign (uuid, system_id, created, command, seed, launches,"
    " nrep_min, nrep_max, nwarmup, target_width, cell_seconds, max_memory,"
    " sync, batch, racing, counters, launcher, launcher_cmd, platform,"
    " network, tau, sim_selector, validates)"
    " SELECT ?1, system_id, ?3, ?4, seed + 1, ?5, nrep_min, nrep_max, nwarmup,"
    " target_width, cell_seconds, max_memory, sync, batch, 0, '', launcher,"
    " launcher_cmd, platform, network, tau, sim_selector, 1 FROM campaign"
    " WHERE system_id = ?2 AND NOT validates ORDER BY created DESC,"
    " campaign_id DESC LIMIT 1"
    " ON CONFLICT (uuid) DO UPDATE SET"
    " launches = max(launches, excluded.launches)";

/* Drop the pending cells of earlier tables. */
static const char tidy_sql[] =
    "DELETE FROM cell WHERE system_id = ?1 AND provider = 'table'"
    " AND part <> ?2"
    " AND NOT EXISTS (SELECT 1 FROM run r WHERE r.cell_id = cell.cell_id)";
static const char shorten_sql[] =
    "UPDATE cell SET launches = (SELECT max(l.ordinal) + 1 FROM run r"
    "  JOIN launch l USING (launch_id) WHERE r.cell_id = cell.cell_id)"
    " WHERE system_id = ?1 AND provider = 'table' AND part <> ?2";

/* The UUID is derived from the system and the table, so that copies of the
 * database plan the same campaign. */
static enum chorale_err put_campaign(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const char *digest, const char *command,
                                     long launches, sqlite3_int64 *campaign_p,
                                     struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE], name[64], now[32];
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT uuid FROM system WHERE system_id = ?1",
        CHORALE_FIELDS(system_id), &stmt, msg);

    chorale_time_now(now);
    chorale_uuid(uuid);
    if (chorale_store_next(store, stmt, &err, msg)) {
        snprintf(name, sizeof(name), "%.36s %.16s", chorale_text(stmt, 0),
                 digest);
        chorale_uuid_of(name, uuid);
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK)
        err = chorale_store_run(store, campaign_sql,
                                CHORALE_FIELDS(uuid, system_id, now, command,
                                               launches), msg);
    if (err == CHORALE_OK)
        err = chorale_store_find(
            store, "SELECT campaign_id FROM campaign WHERE uuid = ?1",
            CHORALE_FIELDS(uuid), 0, campaign_p, msg);
    if (err == CHORALE_OK && *campaign_p == 0)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: no campaign measured this system, so its "
                           "settings are unknown; run `chorale plan`",
                           chorale_store_path(store));
    return err;
}

static const char cell_sql[] =
    "INSERT INTO cell (campaign_id, system_id, launches, part, uuid, provider,"
    " variant, params, coll, msg_size, n, comm_size, ppn, shape, dtype, op,"
    " op_class, root_policy, buffers, metric, arrival)"
    " VALUES (?,?,?,?,?,'table',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
    " ON CONFLICT DO UPDATE SET launches = max(launches, excluded.launches),"
    " campaign_id = excluded.campaign_id";

static enum chorale_err put_cell(struct chorale_store *store,
                                 sqlite3_stmt *stmt, const char *variant,
                                 const char *params,
                                 const struct chorale_proof_point *point,
                                 const char *metric, const char *arrival,
                                 struct chorale_errmsg *msg)
{
    const struct chorale_run_point *at = &point->at;
    const char *space = strchr(at->conditions, ' ');
    char uuid[CHORALE_UUID_SIZE], root[sizeof(at->conditions)];

    chorale_uuid(uuid);
    snprintf(root, sizeof(root), "%.*s",
             space != NULL ? (int)(space - at->conditions) : 0,
             at->conditions);
    return chorale_store_put(
        store, stmt, 5,
        CHORALE_FIELDS(uuid, variant, params, chorale_coll_info(at->coll)->name,
                       at->msg_size, at->n, at->comm_size, at->ppn, at->shape,
                       at->dtype, at->op, at->op_class, root,
                       space != NULL ? space + 1 : "", metric, arrival), msg);
}

/* Plan both sides of a point in a pattern. */
static enum chorale_err put_pair(struct chorale_store *store,
                                 sqlite3_stmt *stmt, const char *digest,
                                 const struct chorale_proof_point *point,
                                 const char *metric, const char *arrival,
                                 struct chorale_errmsg *msg)
{
    char params[352];
    enum chorale_err err = put_cell(store, stmt, "library", digest, point,
                                    metric, arrival, msg);

    snprintf(params, sizeof(params), "%s %s", digest, point->choice);
    return err == CHORALE_OK
               ? put_cell(store, stmt, "choice", params, point, metric, arrival,
                          msg)
               : err;
}

static enum chorale_err put_cells(struct chorale_store *store,
                                  sqlite3_int64 system_id, const char *digest,
                                  long launches, sqlite3_int64 campaign_id,
                                  const char *part,
                                  const struct chorale_proof_point *point,
                                  size_t count, int both,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, cell_sql,
        CHORALE_FIELDS(campaign_id, system_id, launches, part), &stmt, msg);

    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        const char *const *pattern = point[i].pattern;

        for (; *pattern != NULL && err == CHORALE_OK; pattern++)
            err = put_pair(store, stmt, digest, &point[i], "duration",
                           *pattern, msg);
        if (err == CHORALE_OK && both && twice(&point[i]))
            err = put_pair(store, stmt, digest, &point[i], "throughput",
                           "sync", msg);
    }
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_proof_plan(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    const char *digest, const char *command,
                                    long launches,
                                    const struct chorale_proof_point *point,
                                    size_t count, int both,
                                    sqlite3_int64 *campaign_p,
                                    struct chorale_errmsg *msg)
{
    char part[32];
    enum chorale_err err = chorale_store_begin(store, msg);

    snprintf(part, sizeof(part), "table-%s", digest);
    if (err == CHORALE_OK)
        err = chorale_store_run(store, tidy_sql,
                                CHORALE_FIELDS(system_id, part), msg);
    if (err == CHORALE_OK)
        err = chorale_store_run(store, shorten_sql,
                                CHORALE_FIELDS(system_id, part), msg);
    if (err == CHORALE_OK)
        err = put_campaign(store, system_id, digest, command, launches,
                           campaign_p, msg);
    if (err == CHORALE_OK)
        err = put_cells(store, system_id, digest, launches, *campaign_p, part,
                        point, count, both, msg);
    return chorale_store_end(store, err, msg);
}
