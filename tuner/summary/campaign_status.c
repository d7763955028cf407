/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign_status.c - prints what is done, pending and failed. */
#include "tuner/summary/campaign_status.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/adaptive/adaptive.h"
#include "tuner/base/rows.h"
#include "tuner/base/units.h"

#define PROGRESS                                                             \
    "SELECT system, coll, comm_size, planned, done, ok, inapplicable,"       \
    " invalid, failed FROM v_progress ORDER BY system, coll, comm_size"

static const char columns[] =
    "system=system|collective=coll|P=comm_size|planned=planned|done=done|"
    "ok=ok|inappl.=inapplicable|invalid=invalid|failed=failed";

/* Refused or wrong runs by reason. Processes and sizes are of all cells with
 * that reason. */
#define REASONS                                                              \
    "SELECT c.coll, c.variant, CASE count(DISTINCT c.params) WHEN 1"         \
    " THEN max(c.params) ELSE '' END, r.status, r.reason,"                   \
    " count(DISTINCT r.cell_id), min(c.comm_size), max(c.comm_size),"        \
    " min(c.msg_size), max(c.msg_size), count(DISTINCT c.params)"            \
    " FROM run r JOIN cell c USING (cell_id) WHERE r.status <> 'ok'"         \
    " GROUP BY c.coll, c.variant, r.status, r.reason"                        \
    " ORDER BY r.status, c.coll, c.variant"

static void print_reason(sqlite3_stmt *stmt)
{
    sqlite3_int64 cells = sqlite3_column_int64(stmt, 5);
    sqlite3_int64 p[2] = { sqlite3_column_int64(stmt, 6),
                           sqlite3_column_int64(stmt, 7) };
    sqlite3_int64 m[2] = { sqlite3_column_int64(stmt, 8),
                           sqlite3_column_int64(stmt, 9) };
    sqlite3_int64 params = sqlite3_column_int64(stmt, 10);
    char lo[32], hi[32];

    printf("  %s %s", chorale_text(stmt, 0), chorale_text(stmt, 1));
    if (params > 1)
        printf(" (%lld settings)", params);
    else if (chorale_text(stmt, 2)[0] != '\0')
        printf(" %s", chorale_text(stmt, 2));
    printf(", P = %lld", p[0]);
    if (p[1] != p[0])
        printf(" to %lld", p[1]);
    printf(", %s", chorale_human_bytes((double)m[0], lo));
    if (m[1] != m[0])
        printf(" to %s", chorale_human_bytes((double)m[1], hi));
    printf(" (%lld cell%s): %s: %s\n", cells, cells == 1 ? "" : "s",
           chorale_text(stmt, 3), chorale_text(stmt, 4));
}

static enum chorale_err print_reasons(struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int first = 1, failed = 0;
    enum chorale_err err = chorale_store_prepare(store, REASONS, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        if (first)
            printf("\nnot measured:\n");
        first = 0;
        print_reason(stmt);
        failed |= strcmp(chorale_text(stmt, 3), "failed") == 0;
    }
    if (failed)
        printf("`chorale run --retry-failed` repeats failed runs\n");
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err print_failed(struct chorale_store *store,
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    err = chorale_store_prepare(
        store,
        "SELECT comm_size, ordinal, started, reason FROM launch"
        " WHERE status = 'failed' ORDER BY launch_id", &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg))
        printf("a launch of P = %lld (number %lld, %s) ended early: %s\n",
               sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1),
               (const char *)sqlite3_column_text(stmt, 2),
               (const char *)sqlite3_column_text(stmt, 3));
    sqlite3_finalize(stmt);
    return err;
}

/* Launches with unequal nodes, by the checks before measuring. */
#define UNLIKE                                                               \
    "SELECT e.key, e.value, count(*), min(l.comm_size), max(l.comm_size)"    \
    " FROM environment e JOIN launch l USING (launch_id)"                    \
    " WHERE e.key IN ('stragglers', 'cpus_mixed') GROUP BY e.key, e.value"   \
    " ORDER BY 1, 3 DESC LIMIT 20"

static enum chorale_err print_unlike(struct chorale_store *store,
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int first = 1;
    enum chorale_err err = chorale_store_prepare(store, UNLIKE, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        int slow = strcmp(chorale_text(stmt, 0), "stragglers") == 0;
        sqlite3_int64 n = sqlite3_column_int64(stmt, 2);

        if (first)
            printf("\nunequal nodes (their runs are tagged "
                   "straggler, mixed_cpus):\n");
        first = 0;
        printf("  %lld launch%s of P = %lld to %lld: %s%s\n", (long long)n,
               n == 1 ? "" : "es", sqlite3_column_int64(stmt, 3),
               sqlite3_column_int64(stmt, 4),
               slow ? "slower than the median: node "
                    : "not all nodes have the first one's processor",
               slow ? chorale_text(stmt, 1) : "");
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Compares the library's default beside forced algorithms with launches without
 * them: the number of points that differ, and the number expected by chance. */
#define AGREEMENT                                                            \
    "SELECT count(*), max(launches), exp(avg(ln(ratio))),"                   \
    " coalesce(sum(ratio_lo > 1 OR ratio_hi < 1), 0), count(ratio_lo)"       \
    " FROM v_untouched"
#define DIFFERENT                                                            \
    "SELECT coll, comm_size, msg_size, ratio, ratio_lo, ratio_hi"            \
    " FROM v_untouched WHERE ratio_lo > 1 OR ratio_hi < 1"                   \
    " ORDER BY abs(ln(ratio)) DESC LIMIT 10"
#define BY_CHANCE 0.05

static enum chorale_err print_different(struct chorale_store *store,
                                        struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    char size[32];
    enum chorale_err err = chorale_store_prepare(store, DIFFERENT, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg))
        printf("  %s, P = %lld, %s: %.3f times [%.3f, %.3f]\n",
               chorale_text(stmt, 0), sqlite3_column_int64(stmt, 1),
               chorale_human_bytes((double)sqlite3_column_int64(stmt, 2),
                                   size),
               sqlite3_column_double(stmt, 3), sqlite3_column_double(stmt, 4),
               sqlite3_column_double(stmt, 5));
    sqlite3_finalize(stmt);
    return err;
}

/* Returns 1 if more points differ than by chance at a 5 % level. */
static int more_than_chance(int differ, int points)
{
    return differ > 0 && gsl_cdf_binomial_Q((unsigned)differ - 1, BY_CHANCE,
                                            (unsigned)points) < BY_CHANCE;
}

static enum chorale_err print_untouched(struct chorale_store *store,
                                        struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int row = 0, differ = 0;
    enum chorale_err err = chorale_store_prepare(store, AGREEMENT, &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, &row, msg);
    if (err == CHORALE_OK && row && sqlite3_column_int64(stmt, 0) > 0) {
        int points = sqlite3_column_int(stmt, 0);
        int judged = sqlite3_column_int(stmt, 4);

        differ = sqlite3_column_int(stmt, 3);
        printf("\nIs the library's default slower or faster beside forced "
               "algorithms than without\n(v_untouched)? %s: %.3f times that "
               "without, the geometric mean of %d point%s",
               judged == 0                        ? "Unknown"
               : more_than_chance(differ, judged) ? "YES"
                                                  : "Not significantly",
               sqlite3_column_double(stmt, 2), points, points == 1 ? "" : "s");
        if (judged > 0)
            printf("; %d of %d 95 %% intervals exclude%s 1 (by chance "
                   "%.1f)\n", differ, judged, differ == 1 ? "s" : "",
                   BY_CHANCE * judged);
        else
            printf(", without an interval (one launch, or launches that "
                   "differ a thousandfold)\n");
    }
    sqlite3_finalize(stmt);
    return err == CHORALE_OK && differ > 0 ? print_different(store, msg)
                                           : err;
}

/* Runs that were not planned here: imported tables of other benchmarks, by
 * file; and runs that validate a table, which are also counted above. */
#define IMPORTED                                                             \
    "SELECT y.name, f.value, b.value, count(*), t.value,"                    \
    " sum(',' || r.validity || ',' LIKE '%,not a duration,%')"               \
    " FROM run r JOIN launch l USING (launch_id)"                            \
    " JOIN system y ON y.system_id = l.system_id"                            \
    " JOIN environment f ON f.launch_id = l.launch_id"                       \
    "  AND f.key = 'import:file'"                                            \
    " LEFT JOIN environment b ON b.launch_id = l.launch_id"                  \
    "  AND b.key = 'import:format'"                                          \
    " LEFT JOIN environment t ON t.launch_id = l.launch_id"                  \
    "  AND t.key = 'import:seconds'"                                         \
    " GROUP BY y.system_id, f.value, b.value, t.value ORDER BY 1, 2, 3, 5"
#define VALIDATING                                                           \
    "SELECT y.name, sum(c.launches), sum((SELECT count(DISTINCT l.ordinal)"  \
    "  FROM run r JOIN launch l USING (launch_id)"                           \
    "  WHERE r.cell_id = c.cell_id)) FROM cell c JOIN system y"              \
    " USING (system_id) WHERE c.provider = 'table' GROUP BY y.system_id"     \
    " ORDER BY 1"

/* Pending runs without those of `chorale validate`; `run` makes them. */
#define LEFT                                                                 \
    "SELECT coalesce(sum(max(0, c.launches - (SELECT count(DISTINCT"         \
    "  l.ordinal) FROM run r JOIN launch l USING (launch_id)"                \
    "  WHERE r.cell_id = c.cell_id))), 0) FROM cell c JOIN campaign k"       \
    " USING (campaign_id) WHERE NOT k.validates"

static void print_imported(sqlite3_stmt *stmt)
{
    sqlite3_int64 n = sqlite3_column_int64(stmt, 3);

    const sqlite3_int64 means = sqlite3_column_int64(stmt, 5);

    printf("  %s: %lld row%s imported from %s (%s), not planned or measured "
           "here;\n  a time is the %s", chorale_text(stmt, 0), (long long)n,
           n == 1 ? "" : "s", chorale_text(stmt, 1), chorale_text(stmt, 2),
           chorale_text(stmt, 4));
    if (means > 0)
        printf("; %lld of them %s not a duration", (long long)means,
               means == 1 ? "is" : "are");
    putchar('\n');
}

static void print_validating(sqlite3_stmt *stmt)
{
    printf("  %s: %lld of the planned and %lld of the done runs are of "
           "`chorale validate`, which\n  measures a table and the "
           "library's default, one run each\n",
           chorale_text(stmt, 0), (long long)sqlite3_column_int64(stmt, 1),
           (long long)sqlite3_column_int64(stmt, 2));
}

/* Print a line for each row of a query. */
static enum chorale_err print_each(struct chorale_store *store,
                                   const char *sql,
                                   void (*print)(sqlite3_stmt *stmt),
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, sql, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg))
        print(stmt);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_campaigns_show(struct chorale_store *store,
                                        json_t *list,
                                        struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_int64 planned = 0, done = 0, left = 0;
    struct chorale_rows rows = { .columns = columns };
    enum chorale_err err = chorale_store_prepare(store, PROGRESS, &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        planned += sqlite3_column_int64(stmt, 3);
        done += sqlite3_column_int64(stmt, 4);
        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(chorale_text(stmt, 0), chorale_text(stmt, 1),
                           sqlite3_column_int64(stmt, 2),
                           sqlite3_column_int64(stmt, 3),
                           sqlite3_column_int64(stmt, 4),
                           sqlite3_column_int64(stmt, 5),
                           sqlite3_column_int64(stmt, 6),
                           sqlite3_column_int64(stmt, 7),
                           sqlite3_column_int64(stmt, 8)));
    }
    sqlite3_finalize(stmt);
    if (chorale_rows_show(&rows, list) != 0 && err == CHORALE_OK)
        err = chorale_fail_utf8(msg, chorale_store_path(store));
    if (err == CHORALE_OK && list == NULL && done < planned)
        err = chorale_store_int(store, LEFT, 0, &left, msg);
    if (err != CHORALE_OK || list != NULL)
        return err;
    if (planned == 0)
        printf("%s: no measurement is planned here\n",
               chorale_store_path(store));
    else
        printf("%s: %lld of %lld run%s (a cell in a launch) %s done%s\n",
               chorale_store_path(store), done, planned,
               chorale_plural(planned), done == 1 ? "is" : "are",
               chorale_store_locked(store, CHORALE_LOCK_CAMPAIGN)
                   ? ", and a command is working on it"
               : left > 0 ? "; `chorale run` continues"
               : done < planned ? "; `chorale validate` continues"
                                : "");
    err = print_each(store, IMPORTED, print_imported, msg);
    if (err == CHORALE_OK)
        err = print_each(store, VALIDATING, print_validating, msg);
    if (err == CHORALE_OK)
        err = print_failed(store, msg);
    if (err == CHORALE_OK)
        err = print_reasons(store, msg);
    if (err == CHORALE_OK)
        err = print_unlike(store, msg);
    return err == CHORALE_OK ? print_untouched(store, msg) : err;
}

/* Rounds of adaptive plans, and round 0 for all other plans. */
#define ROUNDS                                                               \
    "SELECT y.name, k.round, k.system_id, y.kind,"                           \
    " (SELECT count(*) FROM cell c JOIN campaign o USING (campaign_id)"      \
    "   WHERE o.system_id = k.system_id AND o.round = k.round),"             \
    " k.budget, k.budget_unit, k.regret FROM campaign k"                     \
    " JOIN system y USING (system_id) WHERE k.round > 0 OR ?1"               \
    " GROUP BY k.system_id, k.round ORDER BY k.system_id, k.round"

static const char round_columns[] =
    "system=system|round=round|regret=regret:%.2f %%|cells=cells|"
    "launches=launches|seconds=seconds:%.4g|node-s=node_seconds:%.4g|"
    "sum of s=total_seconds:%.4g|sum of node-s=total_node_seconds:%.4g|"
    "=budget|=budget_unit";

enum chorale_err chorale_rounds_show(struct chorale_store *store, int all,
                                     json_t *list, struct chorale_errmsg *msg)
{
    struct chorale_adapt_spent spent;
    sqlite3_stmt *stmt = NULL;
    sqlite3_int64 system = 0;
    double total[2] = { 0, 0 };
    struct chorale_rows rows = { .columns = round_columns };
    enum chorale_err err = chorale_store_query(store, ROUNDS,
                                               CHORALE_FIELDS(all), &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        if (sqlite3_column_int64(stmt, 2) != system)
            total[0] = total[1] = 0;
        system = sqlite3_column_int64(stmt, 2);
        err = chorale_adapt_spent(store, system, sqlite3_column_int(stmt, 1),
                                  &spent, msg);
        if (err != CHORALE_OK)
            break;
        total[0] += spent.seconds;
        total[1] += spent.node_seconds;
        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(chorale_text(stmt, 0), sqlite3_column_int(stmt, 1),
                           sqlite3_column_type(stmt, 7) == SQLITE_NULL
                               ? NAN : sqlite3_column_double(stmt, 7),
                           sqlite3_column_int64(stmt, 4), spent.nlaunch,
                           spent.seconds, spent.node_seconds, total[0],
                           total[1], sqlite3_column_double(stmt, 5),
                           chorale_text(stmt, 6)));
    }
    sqlite3_finalize(stmt);
    if (list == NULL && rows.nrow > 0)
        printf("\nrounds of adaptive plans (0: other plans); regret as "
               "expected before\nthe round, times of launches with their "
               "starts, simulated ones as real ones would take\n");
    if (chorale_rows_show(&rows, list) != 0 && err == CHORALE_OK)
        err = chorale_fail_utf8(msg, chorale_store_path(store));
    return err;
}
