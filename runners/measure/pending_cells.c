/* SPDX-License-Identifier: BSD-3-Clause */
/* pending_cells.c - load the pending cells of a launch on rank 0, and share
 * them with all ranks. */
#include "runners/measure/runner.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "runners/measure/judge_samples.h"

#define POINT_SECONDS 60 /* longest point, if cells reach their time caps */

/* A cell is pending in a launch if its campaign measures in the launch's way
 * and no launch of the same ordinal has a run of it. A point's library cells
 * are measured again with any other pending candidate of the point, because
 * decisions use ratios within one launch. */
#define PENDING                                                              \
    "WITH l AS (SELECT * FROM launch WHERE uuid = ?1),"                      \
    " p AS (SELECT c.*, (" CHORALE_CAMPAIGN_WAY("k") ") <>"                  \
    "                   (" CHORALE_CAMPAIGN_WAY("j") ") OR"                  \
    "  EXISTS (SELECT 1 FROM run r JOIN launch k USING (launch_id)"          \
    "           WHERE r.cell_id = c.cell_id AND k.ordinal = l.ordinal)"      \
    "   AS done,"                                                            \
    "  EXISTS (SELECT 1 FROM run r JOIN launch k USING (launch_id)"          \
    "           WHERE r.cell_id = c.cell_id AND k.ordinal = l.ordinal"       \
    "             AND r.status = 'failed') AS failed"                        \
    "   FROM cell c JOIN campaign k USING (campaign_id), l"                  \
    "   JOIN campaign j ON j.campaign_id = l.campaign_id"                    \
    "  WHERE c.system_id = l.system_id"                                      \
    "    AND c.comm_size = l.comm_size AND c.ppn = l.ppn"                    \
    "    AND c.shape = l.shape AND c.launches > l.ordinal"                   \
    "    AND max(1, CAST(c.siblings AS INTEGER)) = l.siblings"               \
    "    AND c.part = l.part),"                                              \
    " q AS (SELECT p.*, min(done) OVER w AS point_done FROM p"               \
    "       WINDOW w AS (PARTITION BY coll, msg_size, dtype, op,"            \
    "                    root_policy, buffers, arrival, metric))"            \
    "SELECT coll, msg_size, dtype, op, root_policy, provider, variant,"      \
    "       params, cell_id, buffers, arrival, metric,"                      \
    "       (SELECT sum(t.seconds) FROM trace_point t, l"                    \
    "         WHERE t.comm_size = l.comm_size AND t.coll = q.coll"           \
    "           AND t.msg_size BETWEEN q.msg_size - 7 AND q.msg_size)"       \
    "  FROM q"                                                               \
    " WHERE NOT done OR (provider = 'library' AND NOT point_done AND"        \
    "                     NOT failed)"                                       \
    " ORDER BY coll, msg_size, dtype, op, root_policy, buffers, arrival,"    \
    "          metric, provider <> 'library', cell_id"

/* In the order of their enums. */
static const char *const root_policies[] = { "none", "first", "middle",
                                             "last", "rotate" };
static const char *const buffer_policies[] = { "warm", "rotate", "cold" };
static const char *const arrivals[] = { "sync", "first", "last", "random",
                                        "ascending" };
static const char *const metrics[] = { "duration", "throughput" };

static int name_find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

#define FIND(names, name) \
    name_find(names, (int)(sizeof(names) / sizeof(*(names))), name)

static enum chorale_err load_launch(struct chorale_store *store,
                                    const char *uuid,
                                    struct chorale_worklist *work,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err;

    err = chorale_store_query(
        store,
        "SELECT l.launch_id, l.ordinal, l.seed, l.comm_size, l.ppn, l.shape,"
        "       c.nrep_min, c.nrep_max, c.nwarmup, c.target_width,"
        "       c.cell_seconds, c.max_memory, c.sync, c.tau, c.counters,"
        "       c.batch, c.racing, c.seed, l.siblings, l.part"
        "  FROM launch l JOIN campaign c USING (campaign_id)"
        " WHERE l.uuid = ?1", CHORALE_FIELDS(uuid), &stmt, msg);
    if (err != CHORALE_OK)
        return err;
    err = chorale_store_step(store, stmt, &row, msg);
    if (err == CHORALE_OK && !row)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: no launch %s; `chorale run` starts launches",
                           chorale_store_path(store), uuid);
    if (err == CHORALE_OK &&
        strlen(chorale_text(stmt, 14)) >= sizeof(work->set.counters))
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: a plan's --counters has %zu bytes, and %zu "
                           "are the most; `chorale plan` its cells again with "
                           "fewer events", chorale_store_path(store),
                           strlen(chorale_text(stmt, 14)),
                           sizeof(work->set.counters) - 1);
    if (err == CHORALE_OK) {
        struct chorale_settings *set = &work->set;

        work->launch_id = sqlite3_column_int64(stmt, 0);
        snprintf(work->launch_uuid, sizeof(work->launch_uuid), "%s", uuid);
        work->ordinal = sqlite3_column_int(stmt, 1);
        work->seed = sqlite3_column_int64(stmt, 2);
        work->comm_size = sqlite3_column_int(stmt, 3);
        work->ppn = sqlite3_column_int(stmt, 4);
        strncpy(work->shape, chorale_text(stmt, 5), sizeof(work->shape) - 1);
        set->stop.nrep_min = sqlite3_column_int(stmt, 6);
        set->stop.nrep_max = sqlite3_column_int(stmt, 7);
        set->nwarmup = sqlite3_column_int(stmt, 8);
        set->stop.target_width = sqlite3_column_double(stmt, 9);
        set->stop.cell_seconds = sqlite3_column_double(stmt, 10);
        set->max_memory = sqlite3_column_double(stmt, 11);
        set->sync = name_find(chorale_sync_names, CHORALE_NSYNC,
                              chorale_text(stmt, 12));
        if (set->sync < 0)
            set->sync = CHORALE_SYNC_BARRIER; /* the schema allows no other */
        set->tau = sqlite3_column_double(stmt, 13);
        strncpy(set->counters, chorale_text(stmt, 14),
                sizeof(set->counters) - 1);
        set->batch = sqlite3_column_int(stmt, 15);
        set->stop.racing = sqlite3_column_int(stmt, 16);
        work->campaign_seed = sqlite3_column_int64(stmt, 17);
        work->siblings = sqlite3_column_int(stmt, 18);
        strncpy(work->part, chorale_text(stmt, 19), sizeof(work->part) - 1);
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Parse an arrival pattern: "ascending:0.5" (a factor of the library's
 * duration) or "last:50us". Returns an enum chorale_arrival, -1: invalid. */
static int read_arrival(const char *word, double *late_by,
                        double *late_seconds)
{
    char name[16] = "", *rest;
    size_t len = strcspn(word, ":");

    *late_by = *late_seconds = 0;
    if (len >= sizeof(name))
        return -1;
    memcpy(name, word, len);
    if (word[len] == ':') {
        *late_by = strtod(word + len + 1, &rest);
        if (!(*late_by > 0))
            return -1;
        if (strcmp(rest, "us") == 0) {
            *late_seconds = 1e-6 * *late_by;
            *late_by = 0;
        } else if (*rest != '\0') {
            return -1;
        }
    }
    return FIND(arrivals, name);
}

/* Parse params of a table's choice: "DIGEST library" or "DIGEST
 * variant:params". On a real machine it is the expected choice of the preloaded
 * shim. In simulation, where no shim is loaded, the choice itself is run. */
static enum chorale_err read_choice(const char *params, int coll,
                                    struct chorale_cand *cand,
                                    struct chorale_errmsg *msg)
{
    const char *choice = strchr(params, ' ');
    const struct chorale_alg *alg;
    char name[64], why[160] = "no such variant";
    size_t len;

    cand->provider = chorale_simulated() ? CHORALE_PROVIDER_LIBRARY
                                         : CHORALE_PROVIDER_TABLE;
    choice = choice != NULL ? choice + 1 : "";
    if (strcmp(choice, "library") == 0)
        return CHORALE_OK;
    len = strcspn(choice, ":");
    snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), choice);
    alg = chorale_alg_find((enum chorale_coll)coll, name);
    if (alg == NULL ||
        chorale_alg_params_parse(alg, choice + len + (choice[len] == ':'),
                                 cand->param, why, sizeof(why)) != 0)
        return chorale_fail(msg, CHORALE_DATA,
                            "cell %lld: unknown choice '%.100s' of a table: "
                            "%s; decide and validate again",
                            (long long)cand->cell_id, choice, why);
    cand->alg = chorale_alg_index(alg);
    if (chorale_simulated())
        cand->provider = CHORALE_PROVIDER_CHORALE;
    return CHORALE_OK;
}

/* Points are sorted into bands by the time that traced applications spend in
 * them, a factor of four each. Without a trace all are in one band. */
static int band_of(double seconds)
{
    return seconds > 0 ? 1024 + ilogb(seconds) / 2 : 0;
}

/* Fill a task and a candidate from a row of PENDING. */
static enum chorale_err read_row(sqlite3_stmt *stmt, struct chorale_task *task,
                                 struct chorale_cand *cand,
                                 struct chorale_errmsg *msg)
{
    const struct chorale_alg *alg = NULL;
    char why[160];

    memset(task, 0, sizeof(*task));
    memset(cand, 0, sizeof(*cand));
    task->coll = chorale_coll_find(chorale_text(stmt, 0));
    task->msg_size = sqlite3_column_int64(stmt, 1);
    task->dtype = chorale_dtype_find(chorale_text(stmt, 2));
    task->op = *chorale_text(stmt, 3) != '\0'
                   ? chorale_opkind_find(chorale_text(stmt, 3))
                   : -1;
    task->root_policy = FIND(root_policies, chorale_text(stmt, 4));
    task->buffers = FIND(buffer_policies, chorale_text(stmt, 9));
    task->arrival = read_arrival(chorale_text(stmt, 10), &task->late_by,
                                 &task->late_seconds);
    task->metric = FIND(metrics, chorale_text(stmt, 11));
    task->band = band_of(sqlite3_column_double(stmt, 12));
    if (task->coll < 0 || task->dtype < 0 || task->root_policy < 0 ||
        task->buffers < 0 || task->arrival < 0 || task->metric < 0 ||
        (*chorale_text(stmt, 3) != '\0' && task->op < 0) ||
        chorale_coll_info((enum chorale_coll)task->coll)->reduces !=
            (task->op >= 0))
        return chorale_fail(msg, CHORALE_DATA,
                            "cell %lld: this build does not know %s of %s "
                            "with op '%s', root %s, buffers %s, arrival %s "
                            "and metric %s; plan again",
                            (long long)sqlite3_column_int64(stmt, 8),
                            chorale_text(stmt, 0), chorale_text(stmt, 2),
                            chorale_text(stmt, 3), chorale_text(stmt, 4),
                            chorale_text(stmt, 9), chorale_text(stmt, 10),
                            chorale_text(stmt, 11));
    cand->cell_id = sqlite3_column_int64(stmt, 8);
    cand->alg = -1;
    cand->place = -1;
    if (strcmp(chorale_text(stmt, 5), "library") == 0)
        return CHORALE_OK;
    if (strcmp(chorale_text(stmt, 5), "table") == 0)
        return strcmp(chorale_text(stmt, 6), "choice") == 0
                   ? read_choice(chorale_text(stmt, 7), task->coll, cand, msg)
                   : CHORALE_OK;
    if (strcmp(chorale_text(stmt, 5), "native") == 0) {
        /* provider.c checks whether the library has this algorithm. */
        cand->provider = CHORALE_PROVIDER_NATIVE;
        if (snprintf(cand->name, sizeof(cand->name), "%s%s%s",
                     chorale_text(stmt, 6),
                     *chorale_text(stmt, 7) != '\0' ? ":" : "",
                     chorale_text(stmt, 7)) >= (int)sizeof(cand->name))
            cand->name[0] = '\0';
        return CHORALE_OK;
    }
    if (strcmp(chorale_text(stmt, 5), "chorale") == 0)
        alg = chorale_alg_find((enum chorale_coll)task->coll,
                               chorale_text(stmt, 6));
    if (alg == NULL)
        return chorale_fail(msg, CHORALE_DATA,
                            "cell %lld: this build has no %s variant %s of "
                            "%s; plan again or use the build that planned it",
                            (long long)cand->cell_id, chorale_text(stmt, 5),
                            chorale_text(stmt, 6), chorale_text(stmt, 0));
    if (chorale_alg_params_parse(alg, chorale_text(stmt, 7), cand->param, why,
                                 sizeof(why)) != 0)
        return chorale_fail(msg, CHORALE_DATA, "cell %lld: %s; plan again or "
                            "use the build that planned it",
                            (long long)cand->cell_id, why);
    cand->provider = CHORALE_PROVIDER_CHORALE;
    cand->alg = chorale_alg_index(alg);
    return CHORALE_OK;
}

static int same_point(const struct chorale_task *a,
                      const struct chorale_task *b)
{
    return a->coll == b->coll && a->msg_size == b->msg_size &&
           a->dtype == b->dtype && a->op == b->op &&
           a->root_policy == b->root_policy && a->buffers == b->buffers &&
           a->arrival == b->arrival && a->metric == b->metric &&
           memcmp(&a->late_by, &b->late_by, sizeof(a->late_by)) == 0 &&
           memcmp(&a->late_seconds, &b->late_seconds,
                  sizeof(a->late_seconds)) == 0;
}

static int grow(void *array_p, int count, size_t size)
{
    void *old, *grown;

    if (count % 256 != 0)
        return 0;
    memcpy(&old, array_p, sizeof(old));
    grown = realloc(old, (size_t)(count + 256) * size);
    if (grown == NULL)
        return -1;
    memcpy(array_p, &grown, sizeof(grown));
    return 0;
}

/* Most candidates of a point that one launch measures: the library and at least
 * one other. A kill loses the point being measured, so a point that may take
 * longer than POINT_SECONDS is split: the other candidates stay pending. The
 * next launch of the same ordinal measures them beside the library again. */
static int group_size(const struct chorale_worklist *work)
{
    double most = POINT_SECONDS / work->set.stop.cell_seconds;

    if (chorale_simulated() || !(most < INT_MAX))
        return INT_MAX;
    return most < 2 ? 2 : (int)most;
}

static enum chorale_err append(struct chorale_worklist *work,
                               const struct chorale_task *task,
                               const struct chorale_cand *cand,
                               struct chorale_errmsg *msg)
{
    if (grow(&work->cand, work->ncand, sizeof(*cand)) != 0 ||
        grow(&work->task, work->ntask, sizeof(*task)) != 0)
        return chorale_fail_memory(msg, NULL);
    if (work->ntask == 0 ||
        !same_point(&work->task[work->ntask - 1], task)) {
        work->task[work->ntask] = *task;
        work->task[work->ntask].first = work->ncand;
        work->ntask++;
    }
    if (work->task[work->ntask - 1].ncand >= group_size(work))
        return CHORALE_OK;
    work->task[work->ntask - 1].ncand++;
    work->cand[work->ncand++] = *cand;
    return CHORALE_OK;
}

/* Shuffle the points by the launch's seed, so that changes during a launch do
 * not always hit the same points. In simulation nothing changes. */
static void shuffle(struct chorale_worklist *work)
{
#ifdef CHORALE_SIM
    (void)work;
#else
    uint64_t s = (uint64_t)work->seed;

    for (int i = work->ntask - 1; i > 0; i--) {
        int j = (int)(chorale_random_next(&s) % (uint64_t)(i + 1));
        struct chorale_task swap = work->task[i];

        work->task[i] = work->task[j];
        work->task[j] = swap;
    }
#endif
}

static int by_band(const void *a, const void *b)
{
    const struct chorale_task *x = a, *y = b;

    return x->band != y->band ? y->band - x->band : x->place - y->place;
}

/* Most important band first, since a campaign may be interrupted. */
static void sort_bands(struct chorale_worklist *work)
{
    for (int i = 0; i < work->ntask; i++)
        work->task[i].place = i;
    if (work->ntask > 0)
        qsort(work->task, (size_t)work->ntask, sizeof(*work->task), by_band);
}

enum chorale_err chorale_worklist_load(struct chorale_store *store,
                                       const char *launch_uuid,
                                       struct chorale_worklist *work,
                                       struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = load_launch(store, launch_uuid, work, msg);

    if (err == CHORALE_OK)
        err = chorale_store_query(store, PENDING, CHORALE_FIELDS(launch_uuid),
                                  &stmt, msg);
    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_task task;
        struct chorale_cand cand;

        err = read_row(stmt, &task, &cand, msg);
        if (err == CHORALE_OK)
            err = append(work, &task, &cand, msg);
        if (err != CHORALE_OK)
            break;
    }
    sqlite3_finalize(stmt);
    shuffle(work);
    sort_bands(work);
    return err;
}

int chorale_worklist_share(struct chorale_bench *bench)
{
    struct chorale_worklist *work = &bench->work;
    struct chorale_worklist head = *work;
    int rc, failed = 0;

    rc = chorale_p2p_bcast(bench, &head, sizeof(head), 0);
    if (rc != MPI_SUCCESS)
        return rc;
    if (bench->world_rank != 0) {
        *work = head;
        work->task = calloc((size_t)head.ntask + 1, sizeof(*work->task));
        work->cand = calloc((size_t)head.ncand + 1, sizeof(*work->cand));
        failed = work->task == NULL || work->cand == NULL;
    }
    rc = chorale_p2p_max(bench, &failed);
    if (rc == MPI_SUCCESS && failed)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, work->task, (size_t)work->ntask *
                                                      sizeof(*work->task), 0);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, work->cand, (size_t)work->ncand *
                                                      sizeof(*work->cand), 0);
    return rc;
}

void chorale_worklist_free(struct chorale_worklist *work)
{
    free(work->task);
    free(work->cand);
    work->task = NULL;
    work->cand = NULL;
}
