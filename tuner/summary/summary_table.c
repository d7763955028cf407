/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_table.c - prints the decision table and its gain: the geometric mean
 * of the rows' confirmed speed-ups, weighted by the number of measured points
 * that they cover. */
#include "tuner/summary/summary_page.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tuner/emit/table.h"
#include "tuner/base/units.h"

#define POINTS                                                               \
    "WITH p AS MATERIALIZED (SELECT DISTINCT coll, comm_size, ppn, shape,"   \
    "  dtype, op, n FROM v_summary"                                          \
    "  WHERE system_id = ?1 AND provider = 'library')"

/* True if the row contains a measured process count. */
#define MEASURED                                                             \
    "EXISTS (SELECT 1 FROM p WHERE p.coll = d.coll"                          \
    "  AND p.comm_size BETWEEN d.comm_size"                                  \
    "   AND max(d.comm_size, d.comm_size_hi) AND p.ppn = d.ppn"              \
    "  AND p.shape = d.shape AND p.dtype = d.dtype AND p.op = d.op)"

/* One row for each decision of a target, with the number of measured points
 * that it covers. */
#define DECISIONS(target)                                                    \
    POINTS                                                                   \
    " SELECT coll, comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider,"  \
    " variant, params, speedup, speedup_lo, speedup_hi, basis,"              \
    " (SELECT count(*) FROM p WHERE p.coll = d.coll"                         \
    "   AND p.comm_size BETWEEN d.comm_size"                                 \
    "   AND max(d.comm_size, d.comm_size_hi) AND p.ppn = d.ppn"              \
    "   AND p.shape = d.shape AND p.dtype = d.dtype AND p.op = d.op"         \
    "   AND p.n BETWEEN d.n_lo AND d.n_hi),"                                 \
    " (SELECT count(DISTINCT ppn || ' ' || shape) FROM decision e"           \
    "   WHERE e.system_id = ?1 AND e.coll = d.coll"                          \
    "   AND e.comm_size <= max(d.comm_size, d.comm_size_hi)"                 \
    "   AND d.comm_size <= max(e.comm_size, e.comm_size_hi)"                 \
    "   AND e.target = d.target), op_class,"                                 \
    " max(comm_size, comm_size_hi)"                                          \
    " FROM decision d WHERE system_id = ?1 AND target = '" target "'"        \
    "  AND " MEASURED                                                        \
    " ORDER BY coll, dtype, op, comm_size, ppn, shape, n_lo"
static const char decision_sql[] = DECISIONS("dispatch");
static const char rules_sql[] = DECISIONS("rules");

/* Counts choices at process counts between measured ones. */
static const char between_sql[] =
    POINTS
    " SELECT count(*) FROM decision d WHERE system_id = ?1"
    "  AND target = 'dispatch' AND provider <> 'library' AND NOT " MEASURED;

static const char points_sql[] =
    "SELECT count(*) FROM (SELECT DISTINCT coll, comm_size, ppn, shape, dtype,"
    " op, n FROM v_summary WHERE system_id = ?1 AND provider = 'library')";

/* True if the dispatch table has no choice: only the library's own algorithms
 * were measured, and there are rows for its rule files. */
static const char only_rules_sql[] =
    "SELECT NOT EXISTS (SELECT 1 FROM cell WHERE system_id = ?1"
    "   AND provider = 'chorale')"
    "  AND NOT EXISTS (SELECT 1 FROM decision WHERE system_id = ?1"
    "   AND target = 'dispatch' AND provider = 'chorale')"
    "  AND EXISTS (SELECT 1 FROM decision WHERE system_id = ?1"
    "   AND target = 'rules')";

/* Format a range of n: "128 B to 64 KiB", "128 B to < 64 KiB", "from 64
 * KiB". */
static void range(sqlite3_int64 lo, sqlite3_int64 hi, char *out, size_t size)
{
    char from[32], to[32];

    if (hi >= INT64_MAX / 2)
        snprintf(out, size, "from %s", chorale_page_bytes(lo, from));
    else if (lo == hi)
        snprintf(out, size, "%s", chorale_page_bytes(lo, from));
    else if (hi >= 1023 && ((hi + 1) & hi) == 0)
        snprintf(out, size, "%s to < %s", chorale_page_bytes(lo, from),
                 chorale_page_bytes(hi + 1, to));
    else
        snprintf(out, size, "%s to %s", chorale_page_bytes(lo, from),
                 chorale_page_bytes(hi, to));
}

/* Print which rows of another type or operation the table uses here. */
static void put_instead(struct chorale_page *page, sqlite3_stmt *stmt)
{
    struct chorale_served_kind kind;
    struct chorale_errmsg msg;
    char instead[72];

    if (chorale_served_kind_load(page->store, page->system_id,
                                 chorale_text(stmt, 0),
                                 page->rules ? "rules" : "dispatch", &kind,
                                 &msg) != CHORALE_OK)
        /* The query for the next row reports the error. */
        return;
    chorale_served_kind_instead(&kind, chorale_text(stmt, 4),
                                chorale_text(stmt, 5),
                                chorale_text(stmt, 17), instead);
    if (instead[0] == '\0')
        return;
    if (strcmp(instead, "library") == 0) {
        fputs("Not in the table, which leaves these operations to the "
              "library.\n", page->out);
    } else {
        fputs("Not in the table, which takes the rows of ", page->out);
        chorale_page_put(page, instead);
        fputs(" here.\n", page->out);
    }
    if (page->markdown)
        fputc('\n', page->out);
}

static void put_table_head(struct chorale_page *page, sqlite3_stmt *stmt,
                           const char *heading)
{
    chorale_rows_print(&page->rows, page->markdown, page->out);
    snprintf(page->heading, sizeof(page->heading), "%s", heading);
    chorale_page_heading(page, 2, heading);
    put_instead(page, stmt);
}

/* Add a row's points to the headline. A choice without a measured ratio to the
 * library counts as no gain. */
static void count_points(struct chorale_page *page, const char *where,
                         double speedup, int library, sqlite3_int64 points)
{
    if (library || !(speedup > 0) || points == 0)
        return;
    page->sum_log += (double)points * log(speedup);
    if (speedup > 1)
        page->ngained += points;
    if (page->best == 0 || speedup > page->best) {
        page->best = speedup;
        snprintf(page->best_at, sizeof(page->best_at), "%s", where);
    }
    if (page->worst == 0 || speedup < page->worst) {
        page->worst = speedup;
        snprintf(page->worst_at, sizeof(page->worst_at), "%s", where);
    }
}

static void speedup_text(sqlite3_stmt *stmt, int library, char *out,
                         size_t size)
{
    double speedup = sqlite3_column_double(stmt, 11);

    if (library)
        snprintf(out, size, "x1.00");
    else if (sqlite3_column_type(stmt, 11) == SQLITE_NULL)
        snprintf(out, size, "%s", chorale_text(stmt, 14)); /* modelled */
    else if (sqlite3_column_type(stmt, 12) == SQLITE_NULL ||
             sqlite3_column_type(stmt, 13) == SQLITE_NULL ||
             sqlite3_column_double(stmt, 12) == sqlite3_column_double(stmt, 13))
        snprintf(out, size, "x%.2f", speedup);
    else
        snprintf(out, size, "x%.2f [%.2f, %.2f]", speedup,
                 sqlite3_column_double(stmt, 12),
                 sqlite3_column_double(stmt, 13));
}

static void each_decision(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const char *provider = chorale_text(stmt, 8),
               *op = chorale_text(stmt, 5);
    int library = strcmp(provider, "library") == 0;
    int ours = strcmp(provider, "chorale") == 0 || (page->rules && !library);
    char heading[160], procs[80], to[16], n[80], choice[256], gain[64];
    char name[512], where[352];

    snprintf(heading, sizeof(heading), "%s%s%s%s%s%s",
             page->rules ? "Rule files: " : "", chorale_text(stmt, 0),
             op[0] != '\0' ? " (" : "",
             op[0] != '\0' ? chorale_text(stmt, 4) : "",
             op[0] != '\0' ? " " : "", op);
    if (op[0] != '\0')
        strncat(heading, ")", sizeof(heading) - strlen(heading) - 1);
    if (strcmp(heading, page->heading) != 0)
        put_table_head(page, stmt, heading);
    snprintf(to, sizeof(to), "-%d", sqlite3_column_int(stmt, 18));
    if (sqlite3_column_int(stmt, 18) == sqlite3_column_int(stmt, 1))
        to[0] = '\0';
    snprintf(procs, sizeof(procs), "%d%s", sqlite3_column_int(stmt, 1), to);
    if (sqlite3_column_int(stmt, 16) > 1)
        snprintf(procs, sizeof(procs), "%d%s ppn %d %s",
                 sqlite3_column_int(stmt, 1), to, sqlite3_column_int(stmt, 2),
                 chorale_text(stmt, 3));
    range(sqlite3_column_int64(stmt, 6), sqlite3_column_int64(stmt, 7), n,
          sizeof(n));
    snprintf(choice, sizeof(choice), "%s%s%s%s%s", ours ? "" : provider,
             ours || library ? "" : " ",
             library ? "" : chorale_text(stmt, 9),
             chorale_text(stmt, 10)[0] != '\0' ? " " : "",
             chorale_text(stmt, 10));
    speedup_text(stmt, library, gain, sizeof(gain));
    chorale_page_safe(page, name, sizeof(name), choice);
    chorale_rows_add(&page->rows, CHORALE_FIELDS(procs, n, name, gain));
    snprintf(where, sizeof(where), "%s, P = %s, n = %s", heading, procs, n);
    count_points(page, where, sqlite3_column_double(stmt, 11), library,
                 sqlite3_column_int64(stmt, 15));
}

static void each_points(struct chorale_page *page, sqlite3_stmt *stmt)
{
    page->npoints = sqlite3_column_int64(stmt, 0);
}

static void each_between(struct chorale_page *page, sqlite3_stmt *stmt)
{
    page->nbetween = sqlite3_column_int64(stmt, 0);
}

static void each_only_rules(struct chorale_page *page, sqlite3_stmt *stmt)
{
    page->only_rules = sqlite3_column_int(stmt, 0);
}

/* Print the result of the dispatch table, or of the rule files. If only these
 * have choices, theirs is the only result of the page. */
static void put_headline(struct chorale_page *page)
{
    chorale_page_heading(page, 2, page->rules && !page->only_rules
                                      ? "Rule files: result" : "Result");
    if (page->rules)
        fputs("The library's own algorithms, chosen by a rule file that "
              "`chorale generate --format mpich-json`,\n`ompi-rules` or "
              "`ompi-json` writes.", page->out);
    if (page->rules)
        fputs(page->markdown ? "\n\n" : "\n", page->out);
    if (page->npoints == 0) {
        fputs("No point was measured against the library's default yet.\n",
              page->out);
        return;
    }
    fprintf(page->out,
            "%lld of %lld measured point%s gain%s; geometric mean of the "
            "speed-up over all points x%.2f\n(x1.00 where the library's "
            "default stays, also at every n and P not listed%s).\n",
            (long long)page->ngained, (long long)page->npoints,
            chorale_plural(page->npoints), page->ngained == 1 ? "s" : "",
            exp(page->sum_log / (double)page->npoints),
            page->nbetween > 0 ? " except those below" : "");
    if (page->nbetween > 0)
        fprintf(page->out, "Between the measured process counts the table has "
                "%lld more %s expected to gain:\n`chorale decide "
                "--as-before` prints them.\n", (long long)page->nbetween,
                page->nbetween == 1 ? "range that is" : "ranges that are");
    if (page->best > 0) {
        fprintf(page->out, "%sBest:  x%.2f, ", page->markdown ? "\n- " : "",
                page->best);
        chorale_page_put(page, page->best_at);
        fprintf(page->out, "\n%sLeast: x%.2f, ", page->markdown ? "- " : "",
                page->worst);
        chorale_page_put(page, page->worst_at);
        fputc('\n', page->out);
    }
}

/* Print the tables of a query. */
static enum chorale_err put_decisions(struct chorale_page *page,
                                      const char *sql,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err;

    page->rows = (struct chorale_rows){ .columns = "P|n|choice|speed-up" };
    page->heading[0] = '\0';
    err = chorale_page_query(page, sql, each_decision, msg);
    if (chorale_rows_print(&page->rows, page->markdown, page->out) != 0 &&
        err == CHORALE_OK)
        err = chorale_fail_memory(msg, "summary");
    return err;
}

/* Print the table for rule files of the library, if there is one. */
static enum chorale_err put_rules(struct chorale_page *page,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err;

    page->rules = 1;
    page->ngained = page->nbetween = 0;
    page->sum_log = page->best = page->worst = 0;
    err = put_decisions(page, rules_sql, msg);
    if (err == CHORALE_OK && page->heading[0] != '\0')
        put_headline(page);
    page->rules = 0;
    return err;
}

enum chorale_err chorale_page_decisions(struct chorale_page *page,
                                        struct chorale_errmsg *msg)
{
    enum chorale_err err = put_decisions(page, decision_sql, msg);

    if (err == CHORALE_OK && page->heading[0] == '\0')
        fputs("\nNothing decided yet; run `chorale decide`.\n", page->out);
    if (err == CHORALE_OK)
        err = chorale_page_query(page, points_sql, each_points, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(page, between_sql, each_between, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(page, only_rules_sql, each_only_rules, msg);
    if (err == CHORALE_OK && !page->only_rules)
        put_headline(page);
    return err == CHORALE_OK ? put_rules(page, msg) : err;
}
