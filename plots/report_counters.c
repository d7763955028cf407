/* SPDX-License-Identifier: BSD-3-Clause */
/* report_counters.c - compares counted messages and bytes of one call with the
 * algorithm's schedule, simulated without MPI. */
#include "plots/report.h"

#include <math.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "algorithms/schedule/schedule.h"
#include "plots/plots.h"
#include "tuner/base/units.h"

/* Most ranks to simulate a schedule for: more take seconds each. */
#define MOST_RANKS 128

/* For each variant and number of ranks, its largest block; over its runs. */
static const char counters_sql[] =
    "WITH k AS (SELECT c.cell_id, c.coll, c.variant, c.params, c.comm_size,"
    "  c.ppn, c.shape, c.dtype, c.op, c.op_class, c.msg_size, c.n,"
    "  c.root_policy, m.value AS messages, b.value AS bytes"
    "  FROM cell c JOIN run r USING (cell_id)"
    "  JOIN counter m ON m.run_id = r.run_id AND m.rank = -1"
    "   AND m.event = 'chorale::messages'"
    "  JOIN counter b ON b.run_id = r.run_id AND b.rank = -1"
    "   AND b.event = 'chorale::bytes_sent'"
    "  WHERE c.system_id = ?1 AND c.provider = 'chorale'"
    "   AND c.metric = 'duration' AND c.arrival = 'sync'"
    "   AND c.siblings = 'alone' AND r.status = 'ok'),"
    " a AS (SELECT *, min(messages) AS least, max(messages) AS most,"
    "   min(bytes) AS few, max(bytes) AS many FROM k GROUP BY cell_id),"
    " o AS (SELECT *, row_number() OVER (PARTITION BY coll, variant, params,"
    "   comm_size, ppn, shape, dtype, op ORDER BY msg_size DESC, cell_id)"
    "   AS place FROM a)"
    " SELECT coll, variant, params, comm_size, ppn, shape, dtype, op, op_class,"
    "  msg_size, n, root_policy, least, most, few, many FROM o WHERE place = 1"
    "  ORDER BY coll, comm_size, shape, ppn, dtype, op, variant,"
    "  length(params), params";

struct rows {
    struct chorale_html_table table;
    int count, equal, differ;
};

/* Sum up the messages of one call. Returns 0 without a schedule. */
static int play(sqlite3_stmt *stmt, struct chorale_schedule_sum *sum)
{
    int coll = chorale_coll_find(chorale_text(stmt, 0));
    const struct chorale_alg *alg =
        coll >= 0 ? chorale_alg_find((enum chorale_coll)coll,
                                     chorale_text(stmt, 1)) : NULL;
    struct chorale_point pt = {
        .comm_size = sqlite3_column_int(stmt, 3),
        .msg_size = (size_t)sqlite3_column_int64(stmt, 9),
        .n = (size_t)sqlite3_column_int64(stmt, 10),
        .type_size = chorale_dtype_size(chorale_text(stmt, 6)),
        .commutative = strcmp(chorale_text(stmt, 8), "noncommutative") != 0,
        .ppn = strcmp(chorale_text(stmt, 5), "block") == 0
                   ? sqlite3_column_int(stmt, 4) : 0,
    };
    const char *root = chorale_text(stmt, 11);
    char why[128];

    if (pt.comm_size > 0 && strcmp(root, "middle") == 0)
        pt.root = chorale_coll_root(1, pt.comm_size, pt.ppn);
    else if (pt.comm_size > 0 && strcmp(root, "last") == 0)
        pt.root = pt.comm_size - 1;
    return alg != NULL && pt.comm_size <= MOST_RANKS && pt.comm_size > 0 &&
           sqlite3_column_int64(stmt, 9) >= 0 &&
           chorale_alg_params_parse(alg, chorale_text(stmt, 2), pt.param, why,
                                    sizeof(why)) == 0 &&
           chorale_alg_refuses(alg, &pt) == NULL &&
           chorale_schedule_walk(alg, &pt, sum, NULL) == 0;
}

/* Write "12", or "12 to 14" if launches differ. */
static void put_range(struct chorale_html_table *table, double lo, double hi)
{
    if (hi > lo)
        chorale_html_cellf(table, "%.10g to %.10g", lo, hi);
    else
        chorale_html_cellf(table, "%.10g", lo);
}

static void put_each(struct chorale_html_table *table, double bytes,
                     double messages)
{
    if (messages > 0)
        chorale_html_cellf(table, "%.1f B", bytes / messages);
    else
        chorale_html_cell(table, "-");
}

static void put_counter(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    struct rows *rows = arg;
    struct chorale_html_table *table = &rows->table;
    struct chorale_schedule_sum sum;
    double least = sqlite3_column_double(stmt, 12);
    double most = sqlite3_column_double(stmt, 13);
    double few = sqlite3_column_double(stmt, 14);
    double many = sqlite3_column_double(stmt, 15);
    char label[CHORALE_PLOTS_LABEL], m[32], shape[64];
    int played = play(stmt, &sum), equal;

    (void)report;
    chorale_plots_choice_label(label, sizeof(label), "chorale",
                               chorale_text(stmt, 1), chorale_text(stmt, 2));
    chorale_html_row(table, chorale_text(stmt, 0), sqlite3_column_int(stmt, 3),
                     0);
    chorale_html_cellf(table, "%.40s %s", chorale_text(stmt, 0), label);
    chorale_html_cell(table, chorale_text(stmt, 3));
    snprintf(shape, sizeof(shape), "%.20s, %d a node", chorale_text(stmt, 5),
             sqlite3_column_int(stmt, 4));
    chorale_html_cell(table, shape);
    chorale_html_cell(table, chorale_exact_bytes(
        sqlite3_column_double(stmt, 9), m));
    put_range(table, least, most);
    put_each(table, few, least);
    rows->count++;
    if (!played)
        return; /* the rest of the row stays empty */
    equal = !(least > (double)sum.total_messages) &&
            !(most < (double)sum.total_messages) &&
            !(few > (double)sum.total_bytes) &&
            !(many < (double)sum.total_bytes);
    chorale_html_cellf(table, "%lld", sum.total_messages);
    put_each(table, (double)sum.total_bytes, (double)sum.total_messages);
    chorale_html_cell(table, equal ? "equal" : "differs");
    rows->equal += equal;
    rows->differ += !equal;
}

enum chorale_err chorale_report_counters(struct chorale_report *report)
{
    static const char *const head[] = {
        "Variant", "P", "Placement", "m", "Messages", "Bytes a message",
        "Messages, algorithm", "Bytes a message, algorithm", "Verdict",
    };
    struct rows rows = { .table = {
        .out = report->out,
        .before = "<details><summary>The numbers</summary>\n",
        .after = "</details>\n",
    } };
    enum chorale_err err;

    fputs("<p>Totals of one call over all ranks, at the largest block m of a "
          "variant: as counted while it ran, and as the algorithm's schedule "
          "has it.</p>\n", report->out);
    chorale_html_begin(&rows.table, "Messages and bytes, counted and by the "
                       "algorithm", "tntnnnnnt", head);
    err = chorale_report_query(report, counters_sql, put_counter, &rows);
    chorale_html_end(&rows.table);
    if (err != CHORALE_OK)
        return err;
    if (rows.count == 0)
        fputs("<p>No events were counted.</p>\n", report->out);
    else
        fprintf(report->out, "<p>%d of %d are equal, %d differ, %d have no "
                             "schedule here (the library does a part, or there "
                             "are more than %d ranks).</p>\n", rows.equal,
                rows.count, rows.differ,
                rows.count - rows.equal - rows.differ, MOST_RANKS);
    return CHORALE_OK;
}
