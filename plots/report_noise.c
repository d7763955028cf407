/* SPDX-License-Identifier: BSD-3-Clause */
/* report_noise.c - writes how precise the numbers are, and known problems. */
#include "plots/report.h"

#include <string.h>

#include "tuner/summary/summary.h"
#include "tuner/summary/summary_page.h"
#include "tuner/base/units.h"

/* For each collective and P: cells by half the relative width of their
 * intervals, and the status of their runs. */
static const char noise_sql[] =
    "WITH w AS (SELECT coll, comm_size, count(*) AS cells,"
    "   total(half <= 0.01) AS one, total(half > 0.01 AND half <= 0.03)"
    "   AS three, total(half > 0.03 AND half <= 0.1) AS ten,"
    "   total(half > 0.1) AS more, total(half IS NULL) AS unknown,"
    "   max(half) AS widest"
    "   FROM (SELECT coll, comm_size, sqrt(hi / lo) - 1 AS half"
    "     FROM v_summary WHERE system_id = ?1) GROUP BY coll, comm_size),"
    " p AS (SELECT * FROM v_progress WHERE system ="
    "   (SELECT name FROM system WHERE system_id = ?1))"
    " SELECT p.coll, p.comm_size, p.planned, p.done, p.invalid, p.failed,"
    "  p.inapplicable, coalesce(w.cells, 0), coalesce(one, 0),"
    "  coalesce(three, 0), coalesce(ten, 0), coalesce(more, 0),"
    "  coalesce(unknown, 0), widest"
    " FROM p LEFT JOIN w ON w.coll = p.coll AND w.comm_size = p.comm_size"
    " ORDER BY p.coll, p.comm_size";

struct flags {
    long long cells, flagged[CHORALE_NFLAG];
};

static void put_noise(struct chorale_report *report, sqlite3_stmt *stmt,
                      void *arg)
{
    struct chorale_html_table *table = arg;
    char text[32];

    (void)report;
    chorale_html_row(table, chorale_text(stmt, 0), sqlite3_column_int(stmt, 1),
                     0);
    for (int i = 0; i < 13; i++)
        if (i < 1)
            chorale_html_cell(table, chorale_text(stmt, i));
        else
            chorale_html_cellf(table, "%lld",
                               (long long)sqlite3_column_int64(stmt, i));
    chorale_html_cell(table, chorale_report_percent(stmt, 13, text));
}

static void count_flags(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    struct flags *flags = arg;
    int has[CHORALE_NFLAG];

    (void)report;
    flags->cells++;
    chorale_flags_read(chorale_text(stmt, 0), has);
    for (int i = 0; i < CHORALE_NFLAG; i++)
        flags->flagged[i] += has[i];
}

static void put_load(struct chorale_report *report, sqlite3_stmt *stmt,
                     void *arg)
{
    (void)arg;
    if (sqlite3_column_int(stmt, 0) > 0)
        fprintf(report->out,
                "<p><strong>Other programs ran during %d of %d launch%s"
                "</strong> (up to %.1f processes on a node of %d rank%s).</p>\n",
                sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1),
                sqlite3_column_int(stmt, 1) == 1 ? "" : "es",
                sqlite3_column_double(stmt, 2), sqlite3_column_int(stmt, 3),
                chorale_plural(sqlite3_column_int(stmt, 3)));
}

static void put_kept(struct chorale_report *report, sqlite3_stmt *stmt,
                     void *arg)
{
    int *count = arg;

    if ((*count)++ == 0)
        fputs("<h3>Why the library stays where something was faster</h3>\n"
              "<ul>\n", report->out);
    fputs("<li>", report->out);
    chorale_html_textf(report->out, "%d range%s: ", sqlite3_column_int(stmt, 1),
                       chorale_plural(sqlite3_column_int(stmt, 1)));
    chorale_html_text(report->out, chorale_report_text(report, stmt, 0));
    fputs("</li>\n", report->out);
}

static void put_flags(struct chorale_report *report, const struct flags *flags)
{
    static const char *const head[] = { "Flag", "Cells", "Of", "Meaning" };
    struct chorale_html_table table = { .out = report->out };
    long long any = 0;

    for (int i = 0; i < CHORALE_NFLAG; i++)
        any += flags->flagged[i];
    if (any == 0) {
        fputs("<p>No cell is marked; the widths of the intervals are "
              "above.</p>\n", report->out);
        return;
    }
    chorale_html_begin(&table, "Problems of cells", "tnnt", head);
    for (int i = 0; i < CHORALE_NFLAG; i++) {
        if (flags->flagged[i] == 0)
            continue;
        chorale_html_row(&table, "", 0, 0);
        chorale_html_cell(&table, chorale_flags[i][0][0] != '\0'
                                      ? chorale_flags[i][0] : "others");
        chorale_html_cellf(&table, "%lld", flags->flagged[i]);
        chorale_html_cellf(&table, "%lld", flags->cells);
        chorale_html_cell(&table, chorale_flags[i][1]);
    }
    chorale_html_end(&table);
}

static void put_places(struct chorale_report *report, sqlite3_stmt *stmt,
                       void *arg)
{
    (void)arg;
    fputs("<p>Of several nodes, ", report->out);
    chorale_summary_places(report->out, stmt);
    fputs("</p>\n", report->out);
}

enum chorale_err chorale_report_noise(struct chorale_report *report)
{
    static const char *const head[] = {
        "Collective", "P", "Runs planned", "Done", "Wrong", "Failed",
        "Inapplicable", "Cells", "within 1 %", "3 %", "10 %", "wider",
        "unknown", "Widest",
    };
    struct chorale_html_table table = { .out = report->out };
    struct flags flags = { 0, { 0 } };
    int kept = 0;
    enum chorale_err err;

    fputs("<p>Cells by half the relative width of the 95 % interval of their "
          "time over the launches; it is unknown with one launch on a real "
          "machine. Wrong: the variant's result was incorrect, so it was never "
          "timed. Runs of a validation of the table are counted here, "
          "too.</p>\n", report->out);
    chorale_html_begin(&table, "Runs, and widths of the intervals",
                       "tnnnnnnnnnnnnn", head);
    err = chorale_report_query(report, noise_sql, put_noise, &table);
    chorale_html_end(&table);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, "SELECT validity FROM v_summary"
                                   " WHERE system_id = ?1 AND provider <>"
                                   " 'table'", count_flags, &flags);
    if (err == CHORALE_OK)
        put_flags(report, &flags);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, chorale_summary_load_sql, put_load,
                                   NULL);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, chorale_summary_places_sql,
                                   put_places, NULL);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, chorale_summary_kept_sql, put_kept,
                                   &kept);
    if (kept > 0)
        fputs("</ul>\n", report->out);
    return err;
}
