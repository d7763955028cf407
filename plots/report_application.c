/* SPDX-License-Identifier: BSD-3-Clause */
/* report_application.c - writes the predicted gain for traced applications. */
#include "plots/report.h"

#include "tuner/assess/trace_gain.h"
#include "tuner/base/units.h"

#define MOST_POINTS 40

static const char traces_sql[] =
    "SELECT program, label, comm_size, ranks, wall_mean,"
    " (SELECT total(seconds) FROM trace_point p WHERE p.trace_id = t.trace_id)"
    " / ranks, unlisted_calls, started FROM trace t ORDER BY trace_id";

static double share(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void put_trace(struct chorale_report *report, sqlite3_stmt *stmt,
                      void *arg)
{
    struct chorale_html_table *table = arg;
    double wall = sqlite3_column_double(stmt, 4);
    double inside = sqlite3_column_double(stmt, 5);
    char a[32], b[32];

    chorale_html_row(table, "", 0, 0);
    if (report->anon != NULL)
        chorale_html_cell(table, "left out");
    else
        chorale_html_cellf(table, "%.300s%s%.100s", chorale_text(stmt, 0),
                           chorale_text(stmt, 1)[0] != '\0' ? ", " : "",
                           chorale_text(stmt, 1));
    chorale_html_cell(table, chorale_text(stmt, 7));
    chorale_html_cell(table, chorale_text(stmt, 2));
    chorale_html_cell(table, chorale_text(stmt, 3));
    chorale_html_cell(table, chorale_human_seconds(wall, a));
    chorale_html_cell(table, chorale_human_seconds(inside, b));
    chorale_html_cellf(table, "%.1f %%", share(inside, wall));
    chorale_html_cell(table, chorale_text(stmt, 6));
}

static void put_points(struct chorale_report *report,
                       const struct chorale_gain *gain)
{
    static const char *const kind[] = { "table", "library", "not measured",
                                        "tuned already" };
    static const char *const head[] = {
        "Collective", "m", "P", "Type", "Share of the time", "x library",
        "Won", "Covered", "Choice",
    };
    struct chorale_html_table table = { .out = report->out };

    chorale_html_begin(&table, "Points that take most of the time in "
                       "collectives", "tnntnnntt", head);
    for (size_t i = 0; i < gain->count && i < MOST_POINTS; i++) {
        const struct chorale_gain_point *p = &gain->point[i];
        char m[32], type[80];

        chorale_html_row(&table, p->coll, p->comm_size, 0);
        chorale_html_cell(&table, p->coll);
        chorale_html_cell(&table, chorale_exact_bytes((double)p->msg_size, m));
        chorale_html_cellf(&table, "%d", p->comm_size);
        chorale_html_cell(&table, chorale_report_type(p->dtype, p->op, type));
        chorale_html_cellf(&table, "%.1f %%", share(p->seconds, gain->seconds));
        chorale_html_cellf(&table, "%.3f", p->ratio);
        chorale_html_cellf(&table, "%.1f %%", share(p->won, gain->seconds));
        chorale_html_cell(&table, kind[p->kind]);
        chorale_html_cell(&table, p->kind == CHORALE_GAIN_UNKNOWN ? "-"
                                                                  : p->choice);
    }
    chorale_html_end(&table);
    if (gain->count > MOST_POINTS)
        fprintf(report->out, "<p>And %zu more point%s: <code>chorale evaluate "
                             "--trace --points</code>.</p>\n",
                gain->count - MOST_POINTS,
                chorale_plural((long long)(gain->count - MOST_POINTS)));
}

static enum chorale_err put_gain(struct chorale_report *report)
{
    struct chorale_gain gain;
    char all[32], won[32];
    enum chorale_err err = chorale_gain_load(report->store, report->system.id,
                                             &gain, report->msg);

    if (err == CHORALE_OK) {
        fprintf(report->out, "<p><strong>The table wins %.1f %% of the time in "
                             "collectives, %.1f %% of the program</strong>: ",
                share(gain.won, gain.seconds), share(gain.won, gain.wall));
        chorale_html_textf(report->out, "%s of %s that a rank spends there. "
                           "Measurements cover %.1f %%; the rest counts as the "
                           "library's.",
                           chorale_human_seconds(gain.won, won),
                           chorale_human_seconds(gain.seconds, all),
                           share(gain.covered, gain.seconds));
        fputs("</p>\n", report->out);
        put_points(report, &gain);
    }
    chorale_gain_release(&gain);
    return err;
}

enum chorale_err chorale_report_application(struct chorale_report *report)
{
    static const char *const head[] = {
        "Program", "Started", "Ranks", "Traced", "A rank took",
        "In collectives", "Share", "Calls in no row",
    };
    struct chorale_html_table table = { .out = report->out };
    enum chorale_err err;

    chorale_html_begin(&table, "Imported traces", "ttnnnnnn", head);
    err = chorale_report_query(report, traces_sql, put_trace, &table);
    chorale_html_end(&table);
    if (err != CHORALE_OK)
        return err;
    if (report->proofs.count == 0) {
        fputs("<p>Nothing decided yet, so no gain is known: <code>chorale "
              "decide</code>.</p>\n", report->out);
        return CHORALE_OK;
    }
    return put_gain(report);
}
