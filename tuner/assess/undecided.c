/* SPDX-License-Identifier: BSD-3-Clause */
/* undecided.c - measures undecided points in further launches. */
#include "tuner/decide/inherit_runs.h"
#include "tuner/assess/undecided.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/adaptive/adaptive.h"
#include "tuner/assess/remeasure.h"
#include "tuner/base/units.h"
#include "tuner/decide/decide.h"

/* An undecided point. */
struct entry {
    const struct chorale_run_point *point;
    size_t more;             /* launches that would decide it */
    long launches;           /* of its cells */
    double cells;            /* s of its repetitions in a launch */
    int taken;               /* measured in this round */
};

struct work {
    struct chorale_points points;
    struct entry *entry;     /* [count] most valuable first */
    size_t count;
    double start_up;         /* s of a launch without its cells */
};

/* Planned launches of a point, and seconds of its repetitions in a launch. */
#define POINT                                                                \
    "SELECT coalesce(max(c.launches), 0), total(s.nrep * s.median * r.batch)"\
    " / max(1, count(DISTINCT r.launch_id)) FROM cell c"                     \
    " LEFT JOIN run r USING (cell_id) LEFT JOIN run_summary s USING (run_id)"\
    " WHERE c.system_id = ?1 AND c.coll = ?2 AND c.msg_size = ?3"            \
    " AND c.comm_size = ?4 AND c.ppn = ?5 AND c.dtype = ?6 AND c.op = ?7"    \
    " AND c.provider <> 'table' AND (c.arrival = 'sync' OR ?9)"              \
    " AND c.siblings = 'alone' AND c.metric = 'duration'"

static enum chorale_err find_cost(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  enum chorale_arrival_policy arrivals,
                                  struct entry *e, struct chorale_errmsg *msg)
{
    const struct chorale_run_point *at = e->point;
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, POINT,
        CHORALE_FIELDS(system_id, chorale_coll_info(at->coll)->name,
                       at->msg_size, at->comm_size, at->ppn, at->dtype,
                       at->op, arrivals != CHORALE_ARRIVALS_SYNC), &s, msg);

    if (chorale_store_next(store, s, &err, msg)) {
        e->launches = (long)sqlite3_column_int64(s, 0);
        e->cells = sqlite3_column_double(s, 1);
    }
    sqlite3_finalize(s);
    return err;
}

/* List the undecided points of a real system, with their costs. */
static enum chorale_err list(struct chorale_store *store,
                             sqlite3_int64 system_id,
                             const struct chorale_policy *asked,
                             struct work *work, struct chorale_errmsg *msg)
{
    struct chorale_policy policy = *asked;
    struct chorale_undecided *found = NULL;
    struct chorale_decide_opts opts;
    size_t count = 0;
    enum chorale_err err = chorale_policy_inherit(store, system_id, &policy,
                                                  msg);

    if (err == CHORALE_OK)
        err = chorale_policy_points(store, system_id, 0, &policy, &work->points,
                                    NULL, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_adapt_start_up(store, system_id, &work->start_up, msg);
    if (err != CHORALE_OK)
        return err;
    if (chorale_points_inherit(&work->points) != 0)
        return chorale_fail_memory(msg, NULL);
    opts = chorale_policy_decide(&policy, 0);
    err = chorale_decide_undecided(&work->points, &opts, &found, &count, msg);
    if (err == CHORALE_OK) {
        work->entry = calloc(count + 1, sizeof(*work->entry));
        if (work->entry == NULL)
            err = chorale_fail_memory(msg, NULL);
    }
    for (; err == CHORALE_OK && work->count < count; work->count++) {
        struct entry *e = &work->entry[work->count];

        e->point = found[work->count].point;
        e->more = found[work->count].launches;
        err = find_cost(store, system_id, opts.arrivals, e, msg);
    }
    free(found);
    return err;
}

static void release(struct work *work)
{
    free(work->entry);
    chorale_points_release(&work->points);
    memset(work, 0, sizeof(*work));
}

/* List the undecided points; the caller releases *work, also on error. */
static enum chorale_err load(const char *path, const char *system,
                             const struct chorale_policy *policy,
                             struct work *work, struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    int simulated = 0;
    enum chorale_err err = chorale_store_open_system(
        path, system, &store, &system_id, &simulated, msg);

    if (err == CHORALE_OK && !simulated)
        err = list(store, system_id, policy, work, msg);
    chorale_store_close(store);
    return err;
}

/* Take entry i, and other sizes at its process count with as many launches,
 * while their further launches take at most the given seconds. sizes: text of
 * the sizes. Returns the seconds, or 0 if entry i takes more. */
static double take(struct work *work, size_t i, double seconds, char *sizes,
                   size_t room)
{
    struct entry *first = &work->entry[i];
    double cost = (double)first->more * (work->start_up + first->cells);
    size_t len = 0;

    if (!(cost <= seconds))
        return 0;
    for (size_t k = i; k < work->count && len + 32 < room; k++) {
        struct entry *e = &work->entry[k];
        double more = k == i ? 0 : (double)first->more * e->cells;

        if (e->taken || e->launches != first->launches ||
            cost + more > seconds ||
            !chorale_decide_same_line(e->point, first->point))
            continue;
        e->taken = 1;
        cost += more;
        len += (size_t)snprintf(sizes + len, room - len, "%s%zu",
                                len > 0 ? "," : "", e->point->msg_size);
    }
    return cost;
}

/* Measure what fits into the time; *count_p: the number of points. */
static enum chorale_err measure(const char *path, struct work *work,
                                const struct chorale_plan *plan,
                                const struct chorale_run_opts *run,
                                double ends, size_t *count_p,
                                struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    char sizes[4096];

    *count_p = 0;
    for (size_t i = 0; i < work->count && err == CHORALE_OK; i++) {
        const struct entry *e = &work->entry[i];
        struct chorale_again again = {
            .coll = e->point->coll, .sizes = sizes,
            .comm_size = e->point->comm_size, .ppn = e->point->ppn,
            .dtype = e->point->dtype, .op = e->point->op,
            .launches = e->launches + (long)e->more,
        };

        if (!e->taken && take(work, i, ends - chorale_seconds(), sizes,
                              sizeof(sizes)) > 0)
            err = chorale_sizes_remeasure(path, plan, run, &again, msg);
    }
    for (size_t i = 0; i < work->count; i++)
        *count_p += (size_t)work->entry[i].taken;
    return err;
}

/* Seconds of the further launches of all entries. */
static double total(struct work *work)
{
    char sizes[4096];
    double sum = 0;

    for (size_t i = 0; i < work->count; i++)
        if (!work->entry[i].taken)
            sum += take(work, i, HUGE_VAL, sizes, sizeof(sizes));
    return sum;
}

enum chorale_err chorale_undecided_count(const char *path, const char *system,
                                         const struct chorale_policy *policy,
                                         struct chorale_undecided_left *left,
                                         struct chorale_errmsg *msg)
{
    struct work work = { .count = 0 };
    enum chorale_err err = load(path, system, policy, &work, msg);

    left->count = work.count;
    left->seconds = total(&work);
    release(&work);
    return err;
}

enum chorale_err chorale_undecided_measure(const char *path, const char *system,
                                           const struct chorale_plan *plan,
                                           const struct chorale_run_opts *run,
                                           double seconds,
                                           struct chorale_errmsg *msg)
{
    double ends = chorale_seconds() + seconds;
    size_t count = 1;
    enum chorale_err err = CHORALE_OK;

    for (int round = 0; round < CHORALE_UNDECIDED_ROUNDS && count > 0 &&
                        chorale_seconds() < ends && err == CHORALE_OK;
         round++) {
        struct work work = { .count = 0 };
        char rest[32];

        err = load(path, system, &plan->policy, &work, msg);
        if (err == CHORALE_OK && work.count > 0 && !run->quiet)
            printf("%s: the gain at %zu point%s is not significant yet; "
                   "further launches may take %s\n", path, work.count,
                   work.count == 1 ? "" : "s",
                   chorale_human_seconds(fmax(0, ends - chorale_seconds()),
                                         rest));
        if (err == CHORALE_OK)
            err = measure(path, &work, plan, run, ends, &count, msg);
        release(&work);
    }
    return err;
}
