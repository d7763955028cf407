/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_from_trace.c - plan the points of imported traces instead of a grid,
 * largest time first, and report those that cannot be planned. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/plan/plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "tuner/base/units.h"

/* Why a traced point is not planned, in the order of the checks. */
enum why { PLANNED, ALONE, EMPTY, KINDS, LIMITS, NWHY };

static const char *const reason[NWHY] = {
    [ALONE] = "communicators of one rank, which need no tuning",
    [EMPTY] = "no data",
    [KINDS] = "operations or types that cannot be planned, so that a table "
              "leaves them to the library",
    [LIMITS] = "left out by -c, -m, -P, --type, --op",
};

struct tally {
    long points[NWHY];
    double seconds[NWHY], all, elsewhere;
    long nother_placement;         /* traced at another placement */
};

enum chorale_err chorale_plan_check_trace(const struct chorale_plan *plan,
                                          struct chorale_errmsg *msg)
{
    if (chorale_spec_listed(plan->arrival, "traced") && !plan->from_trace &&
        !plan->again)
        return chorale_fail(msg, CHORALE_USAGE, "--arrival traced: only points "
                            "of a trace have a pattern; add --from-trace");
    if (plan->trace != NULL && !plan->from_trace)
        return chorale_fail(msg, CHORALE_USAGE, "--trace %s: selects no points "
                            "alone; add --from-trace", plan->trace);
    if (plan->from_trace && plan->rounds)
        return chorale_fail(msg, CHORALE_USAGE, "--from-trace: already "
                            "selects the points; leave %s out",
                            plan->adaptive ? "--adaptive" : "--set model");
    return CHORALE_OK;
}

static int listed_number(const long *list, size_t n, long value)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == value)
            return 1;
    return 0;
}

/* Apply the filters: -P lists numbers, -m gives a range of sizes. */
static int within(const struct planner *p, const struct chorale_trace_target *w,
                  const char *coll)
{
    const struct chorale_plan *plan = p->plan;
    const int data = !chorale_coll_info(w->coll)->dataless;

    if (!chorale_spec_listed(plan->collectives, coll)
        || (plan->procs != NULL && !listed_number(p->proc, p->nproc,
                                                  w->procs))
        || (data && plan->limit_sizes != NULL
            && (w->msg_size < p->size[0]
                || w->msg_size > p->size[p->nsize - 1])))
        return 0;
    if (w->op < 0)
        return 1;
    return chorale_spec_listed(plan->dtype, chorale_dtype(w->dtype)->name)
        && chorale_spec_listed(plan->limit_op, chorale_opkind(w->op)->name);
}

/* Datatype and operation for the plan. Without a reduction only the number of
 * bytes matters. */
static int kinds(const struct planner *p, const char *dtype, const char *op,
                 struct chorale_trace_target *w)
{
    const struct chorale_coll_info *info = chorale_coll_info(w->coll);

    w->op = -1;
    w->dtype = chorale_dtype_find(info->reduces ? dtype
                                  : p->plan->dtype != NULL ? p->plan->dtype
                                                           : "byte");
    if (!info->reduces)
        return w->dtype >= 0;
    w->op = chorale_opkind_find(op);
    return w->dtype >= 0 && w->op >= 0
        && (chorale_opkind(w->op)->bitwise
                ? chorale_dtype(w->dtype)->integer
                : chorale_dtype(w->dtype)->arithmetic);
}

static enum why judge(const struct planner *p, sqlite3_stmt *s,
                      struct chorale_trace_target *w)
{
    const char *coll = chorale_text(s, 0);
    int found = chorale_coll_find(coll);
    long size;

    if (found < 0)
        return KINDS;
    w->coll = (enum chorale_coll)found;
    w->msg_size = (long)sqlite3_column_int64(s, 1);
    w->procs = (long)sqlite3_column_int64(s, 2);
    if (w->procs < 2)
        return ALONE;
    if (w->msg_size == 0 && !chorale_coll_info(w->coll)->dataless)
        return EMPTY;
    if (!kinds(p, chorale_text(s, 4), chorale_text(s, 5), w))
        return KINDS;
    size = (long)chorale_dtype(w->dtype)->size;
    if (w->msg_size > 1L << 46 || w->procs > 1L << 24)
        return KINDS;
    if (w->msg_size % size != 0) {
        w->msg_size += size - w->msg_size % size;
        w->arrival[0] = '\0'; /* unknown for the rounded size */
    }
    return within(p, w, coll) ? PLANNED : LIMITS;
}

/* Order by the fields that identify a point. */
static int by_key(const void *a, const void *b)
{
    const struct chorale_trace_target *x = a, *y = b;
    const long mine[] = { (long)x->coll, x->procs, x->msg_size, x->dtype,
                          x->op };
    const long other[] = { (long)y->coll, y->procs, y->msg_size, y->dtype,
                           y->op };

    for (int i = 0; i < 5; i++)
        if (mine[i] != other[i])
            return mine[i] < other[i] ? -1 : 1;
    return 0;
}

/* Root policy: roots that vary between calls are measured in rotation. */
static const char *root_of(const struct planner *p, const char *root)
{
    static const char *const policy[] = { "first", "middle", "last" };

    if (p->plan->limit_root != NULL)
        return p->plan->limit_root;
    for (int i = 0; i < 3; i++)
        if (strcmp(policy[i], root) == 0)
            return policy[i];
    return "rotate";
}

static enum chorale_err append(struct planner *p,
                               const struct chorale_trace_target *want,
                               const char *root)
{
    const size_t n = p->nwant;
    void *more = chorale_array_grow(p->want, n, sizeof(*want));

    if (more == NULL)
        return chorale_fail_memory(p->msg, NULL);
    p->want = more;
    p->want[n] = *want;
    p->want[n].root = root_of(p, root);
    p->nwant = n + 1;
    return CHORALE_OK;
}

/* Merge rows of the same point, which differ in root, variant or trace. */
static void fold(struct planner *p)
{
    size_t to = 0;

    qsort(p->want, p->nwant, sizeof(*p->want), by_key);
    for (size_t i = 1; i < p->nwant; i++) {
        struct chorale_trace_target *w = &p->want[to];

        if (by_key(w, &p->want[i]) != 0) {
            p->want[++to] = p->want[i];
            continue;
        }
        w->seconds += p->want[i].seconds;
        w->calls += p->want[i].calls;
        if (strcmp(w->root, p->want[i].root) != 0)
            w->root = "rotate";
    }
    p->nwant = to + 1;
}

#define TRACED                                                               \
    "SELECT p.coll, p.msg_size, p.comm_size, shape, dtype, op, root,"        \
    "       p.seconds, rank_calls, coalesce(a.arrival, '')"                  \
    "  FROM trace_point p JOIN trace t USING (trace_id)"                     \
    "  LEFT JOIN v_arrival a ON a.coll = p.coll"                             \
    "   AND a.comm_size = p.comm_size AND a.msg_size = p.msg_size"           \
    " WHERE ?1 IS NULL OR t.label = ?1"                                      \
    " ORDER BY p.seconds DESC, p.coll, p.comm_size, n"

static enum chorale_err read_points(struct planner *p,
                                    struct chorale_store *store,
                                    struct tally *tally)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, TRACED, CHORALE_FIELDS(p->plan->trace), &s, p->msg);
    while (chorale_store_next(store, s, &err, p->msg)) {
        struct chorale_trace_target w = { .seconds = sqlite3_column_double(s,
                                                                           7),
                                  .calls = sqlite3_column_double(s, 8) };
        enum why why;

        snprintf(w.arrival, sizeof(w.arrival), "%s", chorale_text(s, 9));
        why = judge(p, s, &w);
        tally->points[why]++;
        tally->seconds[why] += w.seconds;
        tally->all += w.seconds;
        if (why != PLANNED)
            continue;
        if (strcmp(chorale_text(s, 3),
                   chorale_planned_shape(p, w.procs)) != 0) {
            tally->nother_placement++;
            tally->elsewhere += w.seconds;
        }
        err = append(p, &w, chorale_text(s, 6));
    }
    sqlite3_finalize(s);
    return err;
}

static int by_time(const void *a, const void *b)
{
    const struct chorale_trace_target *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return by_key(a, b);
}

static int by_value(const void *a, const void *b)
{
    const long *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Collect the distinct numbers of ranks. */
static enum chorale_err set_procs(struct planner *p)
{
    long *proc = calloc(p->nwant, sizeof(*proc));
    size_t n = 0;

    if (proc == NULL)
        return chorale_fail_memory(p->msg, NULL);
    for (size_t i = 0; i < p->nwant; i++)
        if (!listed_number(proc, n, p->want[i].procs))
            proc[n++] = p->want[i].procs;
    qsort(proc, n, sizeof(*proc), by_value);
    free(p->proc);
    p->proc = proc;
    p->nproc = n;
    return CHORALE_OK;
}

static void say(const struct tally *t)
{
    const double all = t->all > 0 ? t->all : 1;

    for (int i = PLANNED + 1; i < NWHY; i++)
        if (t->points[i] > 0)
            fprintf(stderr, "chorale: not planned: %ld traced %s, %.1f %% of "
                            "the time in collectives: %s\n", t->points[i],
                    t->points[i] == 1 ? "point" : "points",
                    100 * t->seconds[i] / all, reason[i]);
    if (t->nother_placement > 0)
        fprintf(stderr, "chorale: %ld traced %s, %.1f %% of the time, had "
                        "their ranks on other nodes than this plan puts them; "
                        "say --ppn and the launcher of the application\n",
                t->nother_placement,
                t->nother_placement == 1 ? "point" : "points",
                100 * t->elsewhere / all);
}

/* Estimated seconds of a launch at a point: about as many cells as the core set
 * has, until their repetitions or their time limits end. */
static double foreseen(const struct chorale_plan *plan,
                       const struct chorale_trace_target *w)
{
    const double cells = 7, sync_seconds = 50e-6;
    const double each = sync_seconds + (w->calls > 0 ? w->seconds / w->calls
                                                     : 0);
    const double all = each * (double)(plan->nwarmup + plan->nrep_max);

    return cells * (all < plan->cell_seconds ? all : plan->cell_seconds);
}

/* If starts with fewer ranks would be placed on other nodes, those points can
 * only be measured together with points of all ranks. Put the most expensive of
 * the latter first; without any, drop all. */
static void put_all_ranks_first(struct planner *p)
{
    const long all = p->plan->trace_with;
    size_t at = 0;
    struct chorale_trace_target lead;

    while (at < p->nwant && p->want[at].procs != all)
        at++;
    if (at == p->nwant) {
        fprintf(stderr, "chorale: not planned: %zu traced %s of fewer than %ld "
                        "ranks: no planned point has all ranks; use a "
                        "launcher that fills node after node\n", p->nwant,
                p->nwant == 1 ? "point" : "points", all);
        p->nwant = 0;
        return;
    }
    lead = p->want[at];
    memmove(&p->want[1], &p->want[0], at * sizeof(lead));
    p->want[0] = lead;
}

/* Drop points that do not fit into the time limit; the first one stays. */
static void cut(struct planner *p)
{
    const struct chorale_plan *plan = p->plan;
    const size_t n = p->nwant;
    double taken = 0, left = 0, all = 0;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        double more = foreseen(plan, &p->want[i]);
        int known = plan->trace_with > 0 && kept > 0;

        for (size_t k = 0; k < kept && !known; k++)
            known = p->want[k].procs == p->want[i].procs;
        more = (double)plan->launches
             * (more + (known ? 0 : plan->trace_start_up));
        all += p->want[i].seconds;
        if (kept == 0 || taken + more <= plan->trace_seconds) {
            taken += more;
            p->want[kept++] = p->want[i];
        } else {
            left += p->want[i].seconds;
        }
    }
    p->nwant = kept;
    if (kept < n)
        fprintf(stderr, "chorale: %zu of %zu traced points, %.1f %% of the "
                        "time, are not measured: it would take more than the "
                        "budget\n", n - kept, n,
                all > 0 ? 100 * left / all : 0.0);
}

enum chorale_err chorale_plan_traced(struct planner *p, const char *path)
{
    struct chorale_store *store = NULL;
    struct tally tally = {0};
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ,
                                              &store, p->msg);

    if (err == CHORALE_OK)
        err = read_points(p, store, &tally);
    chorale_store_close(store);
    if (err == CHORALE_OK)
        say(&tally);
    if (err == CHORALE_OK && p->nwant == 0)
        err = chorale_fail(p->msg, CHORALE_DATA, "%s: no traced point%s%s "
                           "to plan; `chorale import` reads traces", path,
                           p->plan->trace != NULL ? " of label " : "",
                           p->plan->trace != NULL ? p->plan->trace : "");
    if (err != CHORALE_OK)
        return err;
    fold(p);
    qsort(p->want, p->nwant, sizeof(*p->want), by_time);
    if (p->plan->trace_with > 0)
        put_all_ranks_first(p);
    if (p->nwant == 0)
        return chorale_fail(p->msg, CHORALE_DATA, "%s: no traced point can be "
                            "measured; the line above says why", path);
    if (p->plan->trace_seconds > 0)
        cut(p);
    return set_procs(p);
}
