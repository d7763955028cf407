/* SPDX-License-Identifier: BSD-3-Clause */
/* report_model.c - writes the fitted parameters with their intervals, and the
 * model's error for each variant. */
#include "plots/report.h"

#include <string.h>

#include "tuner/model/model.h"
#include "tuner/base/units.h"

static const char params_sql[] =
    "SELECT param, level, regime, dtype, op, ppn, value, lo, hi, npoints,"
    " error, worst_error, trusted, unit FROM model WHERE system_id = ?1"
    " ORDER BY param, level, upto IS NULL, upto, dtype, op, ppn";

static const char variants_sql[] =
    "SELECT coll, variant, shape, ppn, npoints, median_error, worst_error,"
    " loo_error, lack, reach, trusted FROM model_variant WHERE system_id = ?1"
    " ORDER BY coll, shape, ppn, variant";

struct rows {
    struct chorale_html_table table;
    int count, untrusted, unsure; /* kappa values without interval */
};

/* Format a value in its unit: seconds, seconds a byte, bytes, ways. */
static const char *value(sqlite3_stmt *stmt, int column, char text[64])
{
    const char *param = chorale_text(stmt, 0);
    double x = sqlite3_column_double(stmt, column);
    char human[32];

    if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
        return "-";
    if (strcmp(param, "kappa") == 0)
        snprintf(text, 64, "%.4g ways", x);
    else if (strcmp(param, "overlapped") == 0)
        snprintf(text, 64, "%s", x <= 0 ? "none"
                 : x >= CHORALE_MODEL_OVERLAPPED
                     ? "all sizes" : chorale_human_bytes(x, human));
    else
        snprintf(text, 64, "%s%s", chorale_human_seconds(x, human),
                 strncmp(chorale_text(stmt, 13), "s/", 2) == 0 ? "/B" : "");
    return text;
}

static void put_param(struct chorale_report *report, sqlite3_stmt *stmt,
                      void *arg)
{
    struct rows *rows = arg;
    struct chorale_html_table *table = &rows->table;
    double x = sqlite3_column_double(stmt, 6);
    char a[64], b[64], type[80];

    chorale_html_row(table, "", 0, 0);
    chorale_html_cell(table, chorale_text(stmt, 0));
    chorale_html_cell(table, chorale_report_text(report, stmt, 1));
    if (sqlite3_column_int(stmt, 5) > 0)
        chorale_html_cellf(table, "%d a node", sqlite3_column_int(stmt, 5));
    else
        chorale_html_cell(table, chorale_report_text(report, stmt, 2));
    chorale_html_cell(table, chorale_report_type(
        chorale_text(stmt, 3), chorale_text(stmt, 4), type));
    chorale_html_cell(table, value(stmt, 6, a));
    if (sqlite3_column_type(stmt, 7) != SQLITE_NULL &&
        sqlite3_column_type(stmt, 8) != SQLITE_NULL)
        chorale_html_cellf(table, "%s to %s", value(stmt, 7, a),
                           value(stmt, 8, b));
    else
        chorale_html_cell(table, "-");
    if (strcmp(chorale_text(stmt, 0), "beta") == 0 && x > 0)
        chorale_html_cellf(table, "%.4g GB/s", 1e-9 / x);
    else
        chorale_html_cell(table, "");
    chorale_html_cell(table, chorale_text(stmt, 9));
    chorale_html_cell(table, chorale_report_percent(stmt, 10, a));
    chorale_html_cell(table, chorale_report_percent(stmt, 11, b));
    rows->count++;
    rows->untrusted += sqlite3_column_int(stmt, 12) == 0;
    rows->unsure += strcmp(chorale_text(stmt, 0), "kappa") == 0 &&
                     sqlite3_column_type(stmt, 7) == SQLITE_NULL;
}

static void put_variant(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    struct rows *rows = arg;
    struct chorale_html_table *table = &rows->table;
    int lacks = sqlite3_column_type(stmt, 8) != SQLITE_NULL &&
                sqlite3_column_double(stmt, 8) < 0.01 &&
                sqlite3_column_double(stmt, 6) > 0.10;
    char text[32];

    (void)report;
    chorale_html_row(table, chorale_text(stmt, 0), 0, 0);
    chorale_html_cellf(table, "%.40s %.80s", chorale_text(stmt, 0),
                       chorale_text(stmt, 1));
    if (sqlite3_column_int(stmt, 3) > 0)
        chorale_html_cellf(table, "%.20s, %d a node", chorale_text(stmt, 2),
                           sqlite3_column_int(stmt, 3));
    else
        chorale_html_cell(table, chorale_text(stmt, 2));
    chorale_html_cell(table, chorale_text(stmt, 4));
    for (int i = 5; i <= 7; i++)
        chorale_html_cell(table, chorale_report_percent(stmt, i, text));
    if (sqlite3_column_type(stmt, 8) != SQLITE_NULL)
        chorale_html_cellf(table, "%.2g", sqlite3_column_double(stmt, 8));
    else
        chorale_html_cell(table, "-");
    chorale_html_cellf(table, "%.3g", sqlite3_column_double(stmt, 9));
    chorale_html_cell(table, lacks ? "lacks fit"
                             : sqlite3_column_int(stmt, 10) ? "yes" : "no");
    rows->count++;
}

enum chorale_err chorale_report_model(struct chorale_report *report)
{
    static const char *const params[] = {
        "Parameter", "Level", "Regime", "Type", "Value", "95 % interval",
        "Rate", "Points", "Error, median", "Error, worst",
    };
    static const char *const variants[] = {
        "Variant", "Placement", "Points", "Error, median", "Error, worst",
        "Predicted", "Lack of fit, p", "Reach", "Trusted",
    };
    struct rows p = { .table = { .out = report->out } };
    struct rows v = p;
    enum chorale_err err;

    fputs("<p>A message of b bytes takes \xce\xb1 + \xce\xb2\xce\xba" "b: "
          "alpha seconds a message, beta seconds a byte, kappa ways that share "
          "a port; tau is seconds a reduced byte. Errors are |model / measured "
          "\xe2\x88\x92 1|.</p>\n", report->out);
    chorale_html_begin(&p.table, "Fitted parameters", "ttttnnnnnn", params);
    err = chorale_report_query(report, params_sql, put_param, &p);
    chorale_html_end(&p.table);
    if (err != CHORALE_OK)
        return err;
    if (p.count == 0)
        fputs("<p>Nothing fitted yet; run <code>chorale fit</code>.</p>\n",
              report->out);
    if (p.unsure > 0)
        fputs("<p class=\"note\">kappa without an interval: there is only one "
              "launch, or the measurements do not determine how many ranks "
              "fill a node's port. The kappa of a pattern is the least of its "
              "launches; that of links explains the patterns.</p>\n",
              report->out);
    if (p.untrusted > 0)
        fputs("<p><strong>Lack of fit: do not predict with this model."
              "</strong></p>\n", report->out);
    chorale_html_begin(&v.table, "How well the model describes each variant",
                       "ttnnnnnnt", variants);
    err = chorale_report_query(report, variants_sql, put_variant, &v);
    chorale_html_end(&v.table);
    if (v.count > 0)
        fputs("<p class=\"note\">Predicted: 90th percentile of the errors "
              "if each point is predicted by a fit without its P. Lack of "
              "fit: the p value of the model missing by more than launches "
              "differ; below 0.01 with a worst error above 10 % the variant "
              "lacks fit. Reach: how many times more ranks were predicted "
              "within 10 %. <code>chorale fit</code> lists the sizes at which "
              "a variant's error is above 30 %, and what the model has no term "
              "for.</p>\n", report->out);
    return err;
}
