/* SPDX-License-Identifier: BSD-3-Clause */
/* report_page.c - writes the page: head and policy, navigation, filter, and the
 * sections in order. */
#include "config.h"

#include "plots/report.h"

#include <math.h>
#include <string.h>

#include "plots/sha256.h"
#include "tuner/base/units.h"

static const char style[] =
#include "plots/report_css.inc"
    ;

static const char script[] =
#include "plots/report_js.inc"
    ;

static const struct {
    const char *id, *title;
    chorale_report_section *write;
    int traced;              /* 1: only with a trace */
} sections[] = {
    { "result", "Result", chorale_report_head, 0 },
    { "choices", "Choices and crossovers", chorale_report_choices, 0 },
    { "speedups", "Speed-up over n and P", chorale_report_speedups, 0 },
    { "times", "Time against n", chorale_report_times, 0 },
    { "application", "Application", chorale_report_application, 1 },
    { "model", "Model", chorale_report_model, 0 },
    { "counters", "Messages and bytes", chorale_report_counters, 0 },
    { "noise", "Noise and validity", chorale_report_noise, 0 },
    { "environment", "Environment", chorale_report_environment, 0 },
    { "campaigns", "Campaigns", chorale_report_campaigns, 0 },
};

#define NSECTION (sizeof(sections) / sizeof(sections[0]))

enum chorale_err chorale_report_query(struct chorale_report *report,
                                      const char *sql,
                                      chorale_report_row *each, void *arg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        report->store, sql, CHORALE_FIELDS(report->system.id), &stmt,
        report->msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(report->store, stmt, &err, report->msg)) {
        if (report->anon != NULL &&
            sqlite3_column_count(stmt) <= CHORALE_REPORT_COLUMNS)
            chorale_anonymous_row(report->anon, stmt, report->replaced);
        each(report, stmt, arg);
    }
    sqlite3_finalize(stmt);
    return err;
}

const char *chorale_report_text(const struct chorale_report *report,
                                sqlite3_stmt *stmt, int column)
{
    return report->anon != NULL && report->replaced[column] != NULL
               ? report->replaced[column] : chorale_text(stmt, column);
}

static int is_null(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

const char *chorale_report_seconds(sqlite3_stmt *stmt, int column,
                                   char text[32])
{
    return is_null(stmt, column)
               ? "-" : chorale_human_seconds(sqlite3_column_double(stmt,
                                                                   column),
                                             text);
}

const char *chorale_report_percent(sqlite3_stmt *stmt, int column,
                                   char text[32])
{
    if (is_null(stmt, column))
        return "-";
    snprintf(text, 32, "%.2f %%", 100 * sqlite3_column_double(stmt, column));
    return text;
}

const char *chorale_report_speedup(sqlite3_stmt *stmt, int column,
                                   char text[80])
{
    double lo = sqlite3_column_double(stmt, column + 1);
    double hi = sqlite3_column_double(stmt, column + 2);

    if (is_null(stmt, column))
        return "-";
    if (is_null(stmt, column + 1) || is_null(stmt, column + 2) || !(lo < hi))
        snprintf(text, 80, "x%.3f", sqlite3_column_double(stmt, column));
    else
        snprintf(text, 80, "x%.3f [%.3f, %.3f]",
                 sqlite3_column_double(stmt, column), lo, hi);
    return text;
}

const char *chorale_report_ratio(double mean, double half, char text[80])
{
    if (!isfinite(mean))
        snprintf(text, 80, "unknown");
    else if (half > 0)
        snprintf(text, 80, "x%.3f [%.3f, %.3f]", exp(mean), exp(mean - half),
                 exp(mean + half));
    else
        snprintf(text, 80, "x%.3f", exp(mean));
    return text;
}

const char *chorale_report_type(const char *dtype, const char *op,
                                char text[80])
{
    snprintf(text, 80, "%.32s%s%.32s", dtype, op[0] != '\0' ? " " : "", op);
    return text;
}

static void write_head(struct chorale_report *report)
{
    char style_hash[CHORALE_CSP_SIZE], script_hash[CHORALE_CSP_SIZE];
    FILE *out = report->out;

    chorale_csp_hash(style, sizeof(style) - 1, style_hash);
    chorale_csp_hash(script, sizeof(script) - 1, script_hash);
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                 "<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\""
                 "default-src 'none'; style-src '%s'; script-src '%s'; "
                 "base-uri 'none'; form-action 'none'\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, "
                 "initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n"
                 "<meta name=\"referrer\" content=\"no-referrer\">\n"
                 "<title>MPI collectives on ", style_hash, script_hash);
    chorale_html_text(out, report->system.name);
    fprintf(out, "</title>\n<style>%s</style>\n</head>\n", style);
}

static void write_way(struct chorale_report *report)
{
    FILE *out = report->out;

    fputs("<body>\n<a class=\"skip\" href=\"#main\">Skip to the result</a>\n"
          "<header><h1>MPI collectives on ", out);
    chorale_html_text(out, report->system.name);
    fputs("</h1></header>\n<nav aria-label=\"Sections\"><ul>\n", out);
    for (size_t i = 0; i < NSECTION; i++)
        if (!sections[i].traced || report->traced)
            fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
                    sections[i].title);
    fputs("</ul></nav>\n", out);
}

static void write_choice(struct chorale_report *report, sqlite3_stmt *stmt,
                         void *arg)
{
    const char *name = arg;

    fprintf(report->out, "<label><input type=\"checkbox\" name=\"%s\" "
                         "checked value=\"", name);
    chorale_html_text(report->out, chorale_text(stmt, 0));
    fputs("\"> ", report->out);
    chorale_html_text(report->out, chorale_text(stmt, 0));
    fputs("</label>\n", report->out);
}

/* Write the filter, which is hidden until its script has run. */
static enum chorale_err write_filter(struct chorale_report *report)
{
    static char coll[] = "coll", procs[] = "procs";
    FILE *out = report->out;
    enum chorale_err err;

    fputs("<form id=\"filter\" aria-label=\"Filter\" hidden>\n"
          "<fieldset><legend>Collectives</legend>\n", out);
    err = chorale_report_query(
        report, "SELECT DISTINCT coll FROM v_summary WHERE system_id = ?1"
        " ORDER BY coll", write_choice, coll);
    fputs("</fieldset>\n<fieldset><legend>Processes, P</legend>\n", out);
    if (err == CHORALE_OK)
        err = chorale_report_query(
            report, "SELECT DISTINCT comm_size FROM v_summary"
            " WHERE system_id = ?1 ORDER BY comm_size", write_choice, procs);
    fputs("</fieldset>\n<p><button type=\"button\" id=\"all\">All</button> "
          "<button type=\"button\" id=\"none\">None</button> "
          "<span id=\"shown\" role=\"status\"></span></p>\n</form>\n", out);
    return err;
}

enum chorale_err chorale_report_page(struct chorale_report *report)
{
    FILE *out = report->out;
    enum chorale_err err;

    write_head(report);
    write_way(report);
    fputs("<main id=\"main\" tabindex=\"-1\">\n", out);
    err = write_filter(report);
    for (size_t i = 0; i < NSECTION && err == CHORALE_OK; i++) {
        if (sections[i].traced && !report->traced)
            continue;
        fprintf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n"
                     "<h2 id=\"h-%s\">%s</h2>\n", sections[i].id,
                sections[i].id, sections[i].id, sections[i].title);
        err = sections[i].write(report);
        fputs("</section>\n", out);
    }
    fprintf(out, "</main>\n<footer><p>Made by chorale %s from ",
            PACKAGE_VERSION);
    chorale_html_text(out, report->database);
    fprintf(out, ".</p></footer>\n<script>%s</script>\n</body>\n</html>\n",
            script);
    return err;
}
