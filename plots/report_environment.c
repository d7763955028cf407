/* SPDX-License-Identifier: BSD-3-Clause */
/* report_environment.c - the environment of the launches, and the campaigns
 * with the commands that made them. */
#include "plots/report.h"
#include "tuner/base/units.h"

#include <string.h>

#define MOST_VALUES 4 /* of a key that differs from launch to launch */

/* Values by key, the most frequent first. */
static const char environment_sql[] =
    "SELECT e.key AS key, e.value AS value, count(*),"
    " (SELECT count(*) FROM launch WHERE system_id = ?1)"
    " FROM launch l JOIN environment e USING (launch_id)"
    " WHERE l.system_id = ?1 GROUP BY e.key, e.value"
    " ORDER BY e.key, count(*) DESC, e.value";

static const char campaigns_sql[] =
    "SELECT command, created, launches, seed, label, validates, again,"
    " platform <> '', network, tau, sim_selector FROM campaign"
    " WHERE system_id = ?1 ORDER BY campaign_id";

struct keys {
    struct chorale_html_table table;
    char key[256];
    int nvalue;              /* of that key so far */
};

static void put_more(struct keys *keys)
{
    if (keys->nvalue <= MOST_VALUES)
        return;
    chorale_html_row(&keys->table, "", 0, 0);
    chorale_html_cell(&keys->table, keys->key);
    chorale_html_cellf(&keys->table, "and %d value%s more",
                       keys->nvalue - MOST_VALUES,
                       chorale_plural(keys->nvalue - MOST_VALUES));
}

static void put_value(struct chorale_report *report, sqlite3_stmt *stmt,
                      void *arg)
{
    struct keys *keys = arg;
    const char *text[4] = { NULL, NULL, NULL, NULL };
    sqlite3_int64 count = sqlite3_column_int64(stmt, 2);
    sqlite3_int64 all = sqlite3_column_int64(stmt, 3);

    if (report->anon != NULL &&
        !chorale_anonymous_row(report->anon, stmt, text))
        return;
    if (strncmp(keys->key, chorale_text(stmt, 0), sizeof(keys->key) - 1) != 0) {
        put_more(keys);
        snprintf(keys->key, sizeof(keys->key), "%s", chorale_text(stmt, 0));
        keys->nvalue = 0;
    }
    if (keys->nvalue++ >= MOST_VALUES)
        return;
    chorale_html_row(&keys->table, "", 0, 0);
    chorale_html_cell(&keys->table, chorale_text(stmt, 0));
    chorale_html_cell(&keys->table,
                      text[1] != NULL ? text[1] : chorale_text(stmt, 1));
    if (count < all)
        chorale_html_cellf(&keys->table, "%lld of %lld launches",
                           (long long)count, (long long)all);
    else
        chorale_html_cell(&keys->table, "all launches");
}

enum chorale_err chorale_report_environment(struct chorale_report *report)
{
    static const char *const head[] = { "Key", "Value", "In" };
    struct keys keys = { .table = {
        .out = report->out,
        .before = "<details open><summary>What the launches ran under</summary>"
                  "\n",
        .after = "</details>\n",
    } };
    enum chorale_err err;

    chorale_html_begin(&keys.table, "Environment of the launches", "ttt", head);
    err = chorale_report_query(report, environment_sql, put_value, &keys);
    put_more(&keys);
    chorale_html_end(&keys.table);
    if (keys.table.nrow == 0)
        fputs("<p>It was not recorded.</p>\n", report->out);
    if (report->anon != NULL)
        fputs("<p>What tells of hosts, users, accounts and paths was left out "
              "or replaced by *.</p>\n", report->out);
    return err;
}

static void put_campaign(struct chorale_report *report, sqlite3_stmt *stmt,
                         void *arg)
{
    const char *command = chorale_text(stmt, 0);
    FILE *out = report->out;

    (void)arg;
    fputs("<li>", out);
    if (report->anon == NULL)
        chorale_html_textf(out, "%s%s: ", strncmp(command, "chorale ", 8) == 0
                                              ? "" : "chorale ", command);
    chorale_html_textf(out, "%s, launches %s, seed %s", chorale_text(stmt, 1),
                       chorale_text(stmt, 2), chorale_text(stmt, 3));
    if (report->anon == NULL && chorale_text(stmt, 4)[0] != '\0')
        chorale_html_textf(out, ", label %s", chorale_text(stmt, 4));
    if (sqlite3_column_int(stmt, 5))
        fputs("; measured the table against the library", out);
    if (sqlite3_column_int(stmt, 6))
        fputs("; measured again what had looked slower", out);
    if (sqlite3_column_int(stmt, 7))
        chorale_html_textf(out, "; network %s, tau %s s/B, selector %s, the "
                           "platform as in the database (campaign.platform)",
                           chorale_report_text(report, stmt, 8),
                           chorale_text(stmt, 9),
                           chorale_report_text(report, stmt, 10));
    fputs("</li>\n", out);
}

enum chorale_err chorale_report_campaigns(struct chorale_report *report)
{
    FILE *out = report->out;
    enum chorale_err err;

    if (report->anon != NULL)
        fputs("<p>The commands are omitted.</p>\n", out);
    fputs("<ol>\n", out);
    err = chorale_report_query(report, campaigns_sql, put_campaign, NULL);
    fputs("</ol>\n", out);
    return err;
}
