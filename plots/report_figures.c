/* SPDX-License-Identifier: BSD-3-Clause */
/* report_figures.c - writes the sections with pictures, and tables of the same
 * numbers. */
#include "plots/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figures.h"
#include "tuner/emit/table.h"
#include "tuner/base/units.h"

static const char *seconds(double value, char text[32])
{
    return isfinite(value) ? chorale_human_seconds(value, text) : "-";
}

/* Write the picture, or a line instead of it. */
static enum chorale_err put_picture(struct chorale_report *report,
                                    const struct chorale_figure *figure)
{
    char prefix[24];
    enum chorale_err err = CHORALE_OK;

    fputs("<figure", report->out);
    chorale_html_filtered(report->out, figure->coll, figure->comm_size, 0);
    fputs(">\n", report->out);
    fputs("<figcaption>", report->out);
    chorale_html_text(report->out, figure->title);
    fputs("</figcaption>\n", report->out);
    if (figure->picture != NULL) {
        snprintf(prefix, sizeof(prefix), "f%d-", ++report->nfigure);
        fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"Picture: ", report->out);
        chorale_html_text(report->out, figure->title);
        fputs("\">\n", report->out);
        err = chorale_html_svg(report->out, figure->picture, prefix,
                               figure->title, report->msg);
        fputs("</div>\n", report->out);
    }
    return err;
}

static void put_time(struct chorale_html_table *table,
                     const struct chorale_plots_row *row)
{
    char label[CHORALE_PLOTS_LABEL], text[32], lo[32], hi[32];

    chorale_plots_choice_label(label, sizeof(label), row->provider,
                               row->variant, row->params);
    chorale_html_row(table, "", 0, 0);
    chorale_html_cell(table, chorale_exact_bytes(row->n, text));
    chorale_html_cell(table, label);
    chorale_html_cell(table, seconds(row->seconds, text));
    if (isfinite(row->lo) && row->lo < row->hi)
        chorale_html_cellf(table, "%s to %s", seconds(row->lo, lo),
                           seconds(row->hi, hi));
    else
        chorale_html_cell(table, "-");
    chorale_html_cell(table, seconds(row->model, text));
    chorale_html_cell(table, row->decided ? "chosen" : "");
}

/* Write the times at n of the drawn series. Returns the next n, or INFINITY. */
static double put_size(struct chorale_html_table *table,
                       const struct chorale_figure *figure, double n)
{
    double next = INFINITY;

    for (size_t s = 0; s < figure->drawn; s++)
        for (size_t i = 0; i < figure->series[s].count; i++) {
            const struct chorale_plots_row *row = &figure->series[s].row[i];

            if (row->n > n && row->n < next)
                next = row->n;
            else if (!(row->n > n) && !(row->n < n))
                put_time(table, row);
        }
    return next;
}

static enum chorale_err put_times(void *arg,
                                  const struct chorale_figure *figure,
                                  struct chorale_errmsg *msg)
{
    struct chorale_report *report = arg;
    const char *const head[] = {
        "n", "Variant",
        report->system.imported ? "Time" : "Median time", "95 % interval",
        "Model", "Remark",
    };
    struct chorale_html_table table = { .out = report->out };
    char caption[300];
    enum chorale_err err = put_picture(report, figure);

    (void)msg;
    fputs("<details><summary>The numbers", report->out);
    if (figure->nseries > figure->drawn)
        fprintf(report->out, " of %zu of %zu variants", figure->drawn,
                figure->nseries);
    fputs("</summary>\n", report->out);
    snprintf(caption, sizeof(caption), "%s: times", figure->title);
    chorale_html_begin(&table, caption, "ntnnnt", head);
    for (double n = put_size(&table, figure, -1); isfinite(n);)
        n = put_size(&table, figure, n);
    chorale_html_end(&table);
    fputs("</details>\n</figure>\n", report->out);
    return err;
}

static enum chorale_err put_map(void *arg, const struct chorale_figure *figure,
                                struct chorale_errmsg *msg)
{
    struct chorale_report *report = arg;
    enum chorale_err err = put_picture(report, figure);

    (void)msg;
    fputs("<p class=\"note\">See the table below.</p></figure>\n",
          report->out);
    return err;
}

static enum chorale_err put_speedup(void *arg,
                                    const struct chorale_figure *figure,
                                    struct chorale_errmsg *msg)
{
    static const char *const head[] = { "P", "n", "m", "Choice", "Speed-up",
                                        "95 % interval", "Remark" };
    struct chorale_report *report = arg;
    struct chorale_html_table table = { .out = report->out };
    char n[32], m[32];
    enum chorale_err err = put_picture(report, figure);

    (void)msg;
    fputs("<details><summary>The numbers</summary>\n", report->out);
    chorale_html_begin(&table, figure->title, "nnntnnt", head);
    for (size_t i = 0; i < figure->count; i++) {
        const struct chorale_plots_gain *g = &figure->gain[i];

        chorale_html_row(&table, g->coll, g->comm_size, 0);
        chorale_html_cellf(&table, "%d", g->comm_size);
        chorale_html_cell(&table, chorale_exact_bytes(g->n, n));
        chorale_html_cell(&table, chorale_exact_bytes(g->msg_size, m));
        if (g->rows_of[0] != '\0')
            chorale_html_cellf(&table, "%s (row of %s)", g->choice,
                               g->rows_of);
        else
            chorale_html_cell(&table, g->choice);
        chorale_html_cellf(&table, "x%.3f", g->speedup);
        if (isfinite(g->lo) && g->lo < g->hi)
            chorale_html_cellf(&table, "%.3f to %.3f", g->lo, g->hi);
        else
            chorale_html_cell(&table, report->system.simulated ? "exact"
                                                               : "-");
        chorale_html_cell(&table, g->slower ? "slower" : "");
    }
    chorale_html_end(&table);
    fputs("</details>\n</figure>\n", report->out);
    return err;
}

/* Write the figures of one kind into the current section. */
static enum chorale_err put_figures(
    struct chorale_report *report, enum chorale_figure_kind kind,
    enum chorale_err (*each)(void *, const struct chorale_figure *,
                             struct chorale_errmsg *), size_t *count_p)
{
    struct chorale_figures figures = {
        .store = report->store, .kinds = kind, .dir = report->dir,
        .kind = "svg", .suffix = "svg", .proofs = &report->proofs,
        .each = each, .arg = report, .no_gnuplot = report->no_gnuplot,
    };
    enum chorale_err err = chorale_figures_make(&figures, &report->system,
                                                report->msg);

    if (figures.no_gnuplot && !report->no_gnuplot) {
        report->no_gnuplot = 1;
        fputs("<p><strong>No pictures: ", report->out);
        chorale_html_text(report->out, report->anon != NULL
                                           ? "gnuplot could not be run"
                                           : figures.why.text);
        fputs(".</strong></p>\n", report->out);
    }
    *count_p = figures.count;
    return err;
}

#define DECISIONS(target)                                                    \
    "SELECT coll, comm_size, max(comm_size, comm_size_hi) AS comm_size_hi,"  \
    " ppn, shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,"  \
    " speedup, speedup_lo, speedup_hi, regret, reason, op_class,"            \
    " iif(arrival IN ('', 'sync'), '', '; arrival ' || arrival)"             \
    " FROM decision WHERE system_id = ?1 AND target = '" target "'"          \
    " ORDER BY coll, shape, ppn, dtype, op, op_class, comm_size, n_lo"

static const char decisions_sql[] = DECISIONS("dispatch");
static const char rules_sql[] = DECISIONS("rules");

/* The choice of the previous row, to find crossovers. */
struct crossing {
    int rules;               /* of the table for rule files */
    struct chorale_html_table table;
    char coll[32], choice[256], line[256];
    struct chorale_served_kind kind; /* of coll, in the table */
    enum chorale_err err;
    int open;
};

/* Write the choice, or that the table uses another one instead. */
static void put_choice(const struct crossing *c, struct chorale_html_table *to,
                       sqlite3_stmt *stmt, const char *choice)
{
    char instead[72], said[128];

    chorale_served_kind_note(
        chorale_served_kind_instead(&c->kind, chorale_text(stmt, 5),
                                    chorale_text(stmt, 6),
                                    chorale_text(stmt, 18), instead), said);
    if (said[0] != '\0')
        chorale_html_cellf(to, "%s; %s", choice, said);
    else
        chorale_html_cell(to, choice);
}

static void end_choices(struct crossing *c)
{
    if (c->open)
        chorale_html_end(&c->table);
    c->open = 0;
}

static void put_decision(struct chorale_report *report, sqlite3_stmt *stmt,
                         void *arg)
{
    static const char *const head[] = {
        "P", "Placement", "Type", "From n", "To n", "Choice", "Change",
        "Speed-up", "Basis", "Regret", "Why",
    };
    struct crossing *c = arg;
    char text[80], lo[32], hi[32], choice[256], line[256], caption[64];
    int p = sqlite3_column_int(stmt, 1), q = sqlite3_column_int(stmt, 2);

    if (c->rules && c->coll[0] == '\0')
        fputs("<p>Choices among the library's own algorithms, for its rule "
              "files: <code>chorale generate --format mpich-json</code>, "
              "<code>ompi-rules</code> or <code>ompi-json</code> writes "
              "them.</p>\n", report->out);
    if (!c->open || strcmp(c->coll, chorale_text(stmt, 0)) != 0) {
        end_choices(c);
        snprintf(c->coll, sizeof(c->coll), "%s", chorale_text(stmt, 0));
        c->choice[0] = c->line[0] = '\0';
        snprintf(caption, sizeof(caption), "Choices of %s%s", c->coll,
                 c->rules ? " for rule files" : "");
        c->table.out = report->out;
        chorale_html_begin(&c->table, caption, "nttnnttntnt", head);
        c->open = 1;
        c->err = chorale_served_kind_load(report->store, report->system.id,
                                          c->coll,
                                          c->rules ? "rules" : "dispatch",
                                          &c->kind, report->msg);
    }
    chorale_plots_choice_label(choice, sizeof(choice), chorale_text(stmt, 9),
                               chorale_text(stmt, 10), chorale_text(stmt, 11));
    snprintf(line, sizeof(line), "%d %d %d %.40s %.40s %.40s %.40s", p, q,
             sqlite3_column_int(stmt, 3), chorale_text(stmt, 4),
             chorale_text(stmt, 5), chorale_text(stmt, 6),
             chorale_text(stmt, 18));
    chorale_html_row(&c->table, c->coll, p, q);
    if (q > p)
        chorale_html_cellf(&c->table, "%d to %d", p, q);
    else
        chorale_html_cellf(&c->table, "%d", p);
    chorale_html_cellf(&c->table, "%.20s, %d a node", chorale_text(stmt, 4),
                       sqlite3_column_int(stmt, 3));
    chorale_html_cell(&c->table, chorale_report_type(
        chorale_text(stmt, 5), chorale_text(stmt, 6), text));
    chorale_html_cell(&c->table, chorale_exact_bytes(
        sqlite3_column_double(stmt, 7), lo));
    chorale_html_cell(&c->table,
                      sqlite3_column_int64(stmt, 8) >= INT64_MAX / 2
                          ? "any"
                          : chorale_exact_bytes(
                                sqlite3_column_double(stmt, 8), hi));
    put_choice(c, &c->table, stmt, choice);
    chorale_html_cell(&c->table, strcmp(line, c->line) == 0 &&
                                         strcmp(choice, c->choice) != 0
                                     ? "crossover" : "");
    chorale_html_cell(&c->table, strcmp(chorale_text(stmt, 9), "library") == 0
                                     ? "x1" : chorale_report_speedup(stmt, 13,
                                                                     text));
    chorale_html_cell(&c->table, chorale_text(stmt, 12));
    chorale_html_cell(&c->table, chorale_report_percent(stmt, 16, text));
    chorale_html_cellf(&c->table, "%s%s", chorale_report_text(report, stmt, 17),
                       report->anon == NULL ? chorale_text(stmt, 19) : "");
    snprintf(c->choice, sizeof(c->choice), "%s", choice);
    snprintf(c->line, sizeof(c->line), "%s", line);
}

enum chorale_err chorale_report_choices(struct chorale_report *report)
{
    struct crossing c = { .open = 0 }, rules = { .rules = 1 };
    size_t nmap = 0;
    enum chorale_err err;

    fputs("<p>The table's choice for n bytes of an operation on P "
          "processes. An n and P that are not listed stay with the library. "
          "The rows of one type and operation stand for all of the standard: "
          "double and sum if these were measured, else the first by name; "
          "rows and maps of others are marked.</p>\n",
          report->out);
    err = put_figures(report, CHORALE_FIGURE_MAP, put_map, &nmap);
    if (err == CHORALE_OK && nmap == 0)
        fputs("<p>No maps: no decision is stored.</p>\n", report->out);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, decisions_sql, put_decision, &c);
    end_choices(&c);
    if (err == CHORALE_OK)
        err = c.err;
    if (err == CHORALE_OK)
        err = chorale_report_query(report, rules_sql, put_decision, &rules);
    end_choices(&rules);
    if (err == CHORALE_OK)
        err = rules.err;
    if (err == CHORALE_OK)
        fputs("<p class=\"note\">Crossover: at this n the choice changes. "
              "Speed-ups: each launch counts for the choice of the others. "
              "Regret: how much longer the choice takes than the best "
              "candidate. On a real machine the other launches choose that "
              "candidate for each launch."
              "</p>\n", report->out);
    return err;
}

enum chorale_err chorale_report_speedups(struct chorale_report *report)
{
    size_t count = 0;
    enum chorale_err err;

    fprintf(report->out, "<p>How many times faster than the library's default "
                         "the table is; %s.</p>\n",
            report->validated ? "as validated" : "as in the campaign");
    err = put_figures(report, CHORALE_FIGURE_SPEEDUP, put_speedup, &count);
    if (err == CHORALE_OK && count == 0)
        fputs("<p>None: no table was decided or compared.</p>"
              "\n", report->out);
    return err;
}

enum chorale_err chorale_report_times(struct chorale_report *report)
{
    size_t count = 0;

    if (report->system.imported)
        fputs("<p>Times as the benchmark printed them, by the statistic "
              "chosen at import: the mean over calls and ranks, the "
              "median of the calls, or the slowest rank's; of several files "
              "of a point the median, with a 95 % interval.</p>\n",
              report->out);
    else
        fputs("<p>Medians with 95 % intervals over the launches; the library's "
              "default in the colour of the text. Dots are the model's. Rings, "
              "and the band below, mark the table's choice.</p>\n",
              report->out);
    fputs("<p>Shown are the library, the table's choices, and the variants "
          "within 3 % of the best time at some n; of variants with the same "
          "times only the simplest.</p>\n", report->out);
    return put_figures(report, CHORALE_FIGURE_TIMES, put_times, &count);
}
