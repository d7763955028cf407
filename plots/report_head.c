/* SPDX-License-Identifier: BSD-3-Clause */
/* report_head.c - writes the headline: the gain, the system, the dates and
 * durations, and the source of the numbers. */
#include "plots/report.h"

#include <math.h>
#include <string.h>

#include "algorithms/mpi_name.h"
#include "db/remarks.h"
#include "tuner/base/units.h"

static const char facts_sql[] =
    "SELECT (SELECT mpi_library FROM system WHERE system_id = ?1),"
    " (SELECT min(started) FROM launch WHERE system_id = ?1),"
    " (SELECT max(coalesce(finished, started)) FROM launch"
    "   WHERE system_id = ?1),"
    " (SELECT total((julianday(finished) - julianday(started)) * 86400)"
    "   FROM launch WHERE system_id = ?1 AND finished IS NOT NULL),"
    " (SELECT count(*) FROM launch WHERE system_id = ?1),"
    " count(*), min(msg_size), max(msg_size), min(launches), max(launches),"
    " (SELECT group_concat(coll, ', ') FROM (SELECT DISTINCT coll"
    "   FROM v_summary WHERE system_id = ?1 AND provider <> 'table'"
    "   ORDER BY coll)),"
    " (SELECT group_concat(comm_size, ', ') FROM (SELECT DISTINCT comm_size"
    "   FROM v_summary WHERE system_id = ?1 AND provider <> 'table'"
    "   ORDER BY comm_size))"
    " FROM v_summary WHERE system_id = ?1 AND provider <> 'table'";

/* Only a path in the library's name can identify the site. */
static const char library_sql[] =
    "SELECT 'mpi_library' AS key, mpi_library AS value FROM system"
    " WHERE system_id = ?1";

static void fact(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    chorale_html_text(out, value);
    fputs("</dd></div>\n", out);
}

static void write_library(struct chorale_report *report, sqlite3_stmt *stmt,
                          void *arg)
{
    const char *text[2] = { NULL, NULL };
    char name[CHORALE_MPI_NAME];

    (void)arg;
    if (report->anon != NULL &&
        !chorale_anonymous_row(report->anon, stmt, text))
        return;
    chorale_mpi_name(text[1] != NULL ? text[1] : chorale_text(stmt, 1), name);
    fact(report->out, "MPI library", name);
}

/* Format hours and minutes for long durations. */
static const char *duration(double seconds, char text[48])
{
    long minutes;

    if (!(seconds >= 600 && seconds < 1e12)) /* also of a damaged database */
        return chorale_human_seconds(seconds, text);
    minutes = (long)(seconds / 60 + 0.5);
    snprintf(text, 48, "%ld h %02ld min", minutes / 60, minutes % 60);
    return text;
}

static void write_facts(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    char text[512], from[32], to[32], spent[48], count[32];

    (void)arg;
    if (report->system.simulated) {
        snprintf(text, sizeof(text), "%s, in simulation",
                 chorale_text(stmt, 1));
    } else {
        snprintf(text, sizeof(text), "%s to %s", chorale_text(stmt, 1),
                 chorale_text(stmt, 2));
    }
    if (report->system.imported) {
        fact(report->out, "Files of", text); /* imported tables have neither
                                              * date nor duration */
    } else {
        fact(report->out, "Measured", text);
        snprintf(text, sizeof(text), "%s in %lld launch%s",
                 duration(sqlite3_column_double(stmt, 3), spent),
                 (long long)sqlite3_column_int64(stmt, 4),
                 sqlite3_column_int64(stmt, 4) == 1 ? "" : "es");
        fact(report->out, "Time it took", text);
    }
    if (sqlite3_column_int(stmt, 8) != sqlite3_column_int(stmt, 9))
        snprintf(count, sizeof(count), "%d to %d",
                 sqlite3_column_int(stmt, 8), sqlite3_column_int(stmt, 9));
    else
        snprintf(count, sizeof(count), "%d", sqlite3_column_int(stmt, 9));
    snprintf(text, sizeof(text), "%lld, each in %s launch%s",
             (long long)sqlite3_column_int64(stmt, 5), count,
             strcmp(count, "1") == 0 ? "" : "es");
    fact(report->out, "Cells", text);
    snprintf(text, sizeof(text), "%.400s", chorale_text(stmt, 10));
    fact(report->out, "Collectives", text);
    snprintf(text, sizeof(text), "%.200s; blocks of %s to %s a rank",
             chorale_text(stmt, 11),
             chorale_human_bytes(sqlite3_column_double(stmt, 6), from),
             chorale_human_bytes(sqlite3_column_double(stmt, 7), to));
    fact(report->out, "P", text);
}

/* Write a number, its description, and a further line. */
static void tile(FILE *out, const char *number, const char *what,
                 const char *more)
{
    fputs("<div><p class=\"big\">", out);
    chorale_html_text(out, number);
    fprintf(out, "</p><p>%s", what);
    if (more[0] != '\0') {
        fputs("<br>", out);
        chorale_html_text(out, more);
    }
    fputs("</p></div>\n", out);
}

/* Describe the compared choices. If the table leaves a point to the library,
 * both sides run the library, and a ratio other than 1 is noise. */
static void put_point(FILE *out, const char *what,
                      const struct chorale_proof *p)
{
    const int same = chorale_proof_is_library(p);
    char number[80], more[400], where[128];

    chorale_proof_where(p, where, sizeof(where));
    snprintf(more, sizeof(more), "%s: %.200s%s", where, p->choice,
             same ? " on both sides" : "");
    tile(out, chorale_report_ratio(p->mean, p->half, number), what, more);
}

static size_t count_same(const struct chorale_proofs *proofs)
{
    size_t n = 0;

    for (size_t i = 0; i < proofs->count; i++)
        n += proofs->row[i].nlaunch > 0 &&
             chorale_proof_is_library(&proofs->row[i]);
    return n;
}

static void write_tiles(struct chorale_report *report,
                        const struct chorale_proof_total *t)
{
    FILE *out = report->out;
    const size_t same = count_same(&report->proofs);
    size_t count = t->npoint;
    char number[80], more[160], all[32] = "";
    int used;

    fputs("<div class=\"tiles\">\n", out);
    if (t->npoint < report->proofs.npoint) {
        count = report->proofs.npoint;
        snprintf(all, sizeof(all), " of %zu", count);
    }
    used = snprintf(more, sizeof(more), "over %zu%s point%s of n and P",
                    t->npoint, all, chorale_plural((long long)count));
    if (same > 0)
        snprintf(more + used, sizeof(more) - (size_t)used,
                 ", with the library on both sides at %zu of them", same);
    tile(out, chorale_report_ratio(t->mean, t->half, number),
         "geometric mean of the speed-up over the library's default", more);
    if (t->worst != NULL) {
        put_point(out, "worst point whose interval excludes 1", t->worst);
        put_point(out, "best point whose interval excludes 1", t->best);
    }
    fputs("</div>\n", out);
}

/* Write the source of the numbers. */
static void write_source(const struct chorale_report *report,
                         const struct chorale_proof_total *t)
{
    FILE *out = report->out;

    if (report->validated && report->system.simulated)
        fputs("<p>Validated: the table's choices against the library's "
              "selector, simulated again; simulated times are exact.", out);
    else if (report->validated)
        fputs("<p>Validated: a program that calls MPI as usual, with "
              "the table behind the shim, compared with the library's default "
              "in the same process, in launches of their own.", out);
    else if (report->system.simulated)
        fputs("<p>From the simulated campaign that the table was decided on; "
              "<code>chorale validate</code> has not run.", out);
    else
        fputs("<p>Not validated yet (run <code>chorale validate</code>): "
              "from the campaign's launches, paired with the library's "
              "default within each; each launch counts for the choice of the "
              "others. Points that the table leaves to the library count as "
              "x1.", out);
    if (report->proofs.nrules > 0)
        fprintf(out, " At %zu point%s a rule file for the library chooses among "
                     "its own algorithms; the dispatch table has no variant "
                     "there.", report->proofs.nrules,
                chorale_plural((long long)report->proofs.nrules));
    if (!report->system.simulated)
        fputs(" In brackets 95 % intervals over the launches.", out);
    if (t->nslower > 0)
        fprintf(out, " <strong>%zu of the points %s slower by more than %g "
                     "%%.</strong>", t->nslower,
                t->nslower == 1 ? "is" : "are",
                100 * report->proofs.threshold);
    else
        fprintf(out, " No point is%s slower by more than %g %%.",
                report->system.simulated ? "" : " significantly",
                100 * report->proofs.threshold);
    if (t->nunknown > 0)
        fprintf(out, " At %zu point%s no launch counts, and the numbers here "
                     "leave %s out.", t->nunknown,
                chorale_plural((long long)t->nunknown),
                t->nunknown == 1 ? "it" : "them");
    fputs("</p>\n", out);
}

/* Write the ratio of a point, or "-" without a point. */
static void put_extreme(struct chorale_html_table *table,
                        const struct chorale_proof *p)
{
    char text[80];

    chorale_html_cell(table, p != NULL ? chorale_report_ratio(p->mean, p->half,
                                                              text) : "-");
}

static void write_by_collective(struct chorale_report *report)
{
    static const char *const head[] = {
        "Collective", "Points", "Speed-up", "Best", "Worst", "Worst at",
        "Slower", "Captured",
    };
    struct chorale_html_table table = { .out = report->out };

    chorale_html_begin(&table, "Speed-up over the library's default by "
                       "collective", "tnnnntnn", head);
    for (int c = 0; c < CHORALE_NCOLL; c++) {
        struct chorale_proof_total t;
        const char *name = chorale_coll_info((enum chorale_coll)c)->name;
        char text[80], where[128];

        chorale_proofs_total(&report->proofs, (enum chorale_coll)c, &t);
        if (t.npoint == 0)
            continue;
        chorale_html_row(&table, name, 0, 0);
        chorale_html_cell(&table, name);
        chorale_html_cellf(&table, "%zu", t.npoint);
        chorale_html_cell(&table, chorale_report_ratio(t.mean, t.half, text));
        put_extreme(&table, t.best);
        put_extreme(&table, t.worst);
        if (t.worst != NULL)
            chorale_proof_where(t.worst, where, sizeof(where));
        chorale_html_cell(&table, t.worst != NULL ? where : "-");
        chorale_html_cellf(&table, "%zu", t.nslower);
        if (isfinite(t.captured))
            chorale_html_cellf(&table, "%.1f %%", 100 * t.captured);
        else
            chorale_html_cell(&table, "-");
    }
    chorale_html_end(&table);
    fputs("<p class=\"note\">Best and worst: of the points whose interval "
          "excludes 1. Captured: share of the best that the campaign "
          "measured, of the logarithms. Slower: significantly, by more than "
          "the threshold, corrected for the number of points (Holm, 5 %).</p>"
          "\n", report->out);
}

/* Tables of other benchmarks; they were not measured here by the runner. */
static const char imported_sql[] =
    "SELECT f.value AS file, b.value AS format, count(*) FROM launch l"
    " JOIN run r USING (launch_id)"
    " JOIN environment f ON f.launch_id = l.launch_id"
    "  AND f.key = 'import:file'"
    " LEFT JOIN environment b ON b.launch_id = l.launch_id"
    "  AND b.key = 'import:format'"
    " WHERE l.system_id = ?1 GROUP BY f.value, b.value ORDER BY 1, 2";

static void write_imported(struct chorale_report *report, sqlite3_stmt *stmt,
                           void *arg)
{
    char text[512];
    int *any = arg;

    if (report->anon != NULL)
        snprintf(text, sizeof(text), "%lld row%s of a benchmark, imported",
                 (long long)sqlite3_column_int64(stmt, 2),
                 chorale_plural(sqlite3_column_int64(stmt, 2)));
    else
        snprintf(text, sizeof(text), "%lld row%s imported from %.200s (%.60s)",
                 (long long)sqlite3_column_int64(stmt, 2),
                 chorale_plural(sqlite3_column_int64(stmt, 2)),
                 chorale_text(stmt, 0), chorale_text(stmt, 1));
    fact(report->out, "Kind", text);
    *any = 1;
}

static void write_exploratory(struct chorale_report *report, sqlite3_stmt *stmt,
                              void *arg)
{
    (void)arg;
    fact(report->out, "Table", chorale_text(stmt, 0));
}

static enum chorale_err write_kind(struct chorale_report *report)
{
    char tuned[CHORALE_LOADED_TEXT] = "";
    int any = 0;
    enum chorale_err err = chorale_report_query(report, imported_sql,
                                                write_imported, &any);

    if (err == CHORALE_OK && !any)
        fact(report->out, "Kind", report->system.simulated
                                      ? "simulated cluster (SimGrid)"
                                      : "real machine");
    if (err == CHORALE_OK)
        err = chorale_self_tuning(report->store, report->system.id, tuned,
                                  report->msg);
    if (tuned[0] != '\0')
        fact(report->out, "Default", tuned);
    return err == CHORALE_OK
               ? chorale_report_query(report, "SELECT exploratory FROM policy"
                                      " WHERE system_id = ?1 AND exploratory"
                                      " <> ''", write_exploratory, NULL)
               : err;
}

enum chorale_err chorale_report_head(struct chorale_report *report)
{
    struct chorale_proof_total t;
    enum chorale_err err;

    chorale_proofs_total(&report->proofs, CHORALE_NCOLL, &t);
    if (t.npoint > 0) {
        write_tiles(report, &t);
        write_source(report, &t);
    } else {
        fprintf(report->out, "<p><strong>%s</strong></p>\n",
                report->proofs.count > 0
                    ? "There is a table, but no launch counts, so its gain is "
                      "unknown."
                : report->system.imported
                    ? "What another benchmark printed was not validated here: "
                      "<code>chorale plan</code> and <code>chorale run</code> "
                      "measure."
                    : "Nothing decided yet: <code>chorale decide</code> does.");
    }
    fputs("<dl class=\"facts\">\n", report->out);
    fact(report->out, "System", report->system.name);
    err = write_kind(report);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, library_sql, write_library, NULL);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, facts_sql, write_facts, NULL);
    fputs("</dl>\n", report->out);
    if (err == CHORALE_OK && t.npoint > 0)
        write_by_collective(report);
    return err;
}
