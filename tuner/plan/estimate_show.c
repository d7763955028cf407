/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_show.c - print an estimate as a table or as JSON. */
#include "config.h"

#include "tuner/plan/estimate.h"

#include <stdio.h>

#include "tuner/base/rows.h"

static const char *from_word(enum chorale_estimate_from from)
{
    return from == CHORALE_ESTIMATE_MODEL    ? "model"
           : from == CHORALE_ESTIMATE_STATED ? "stated"
                                             : "default";
}

/* Hours with three digits: both days and minutes are common. */
static const char columns[] =
    "P=comm_size|nodes=nodes|ppn=ppn|cells=cells|=cells_left_out|"
    "launches=launches|=starts|hours=hours:%.3g|=node_hours_one_launch_per_p|"
    "node-hours=node_hours:%.4g";

/* Add a row; all: the sum of the others, which has no process count. */
static void add_row(struct chorale_rows *rows,
                    const struct chorale_estimate_row *row, int all)
{
    const double hours[] = { row->seconds / 3600, row->node_seconds_each / 3600,
                             row->node_seconds / 3600 };

    if (all)
        chorale_rows_add(rows,
                         CHORALE_FIELDS("all", "", "", row->ncell, row->nleft,
                                        row->nlaunch, row->nstart, hours[0],
                                        hours[1], hours[2]));
    else
        chorale_rows_add(rows,
                         CHORALE_FIELDS(row->comm_size, row->nodes, row->ppn,
                                        row->ncell, row->nleft, row->nlaunch,
                                        row->nstart, hours[0], hours[1],
                                        hours[2]));
}

static void show_numbers(const struct chorale_estimate *e)
{
    printf("a message %.4g us (%s), a byte %.4g ns (%s), a reduced byte %.4g "
           "ns (%s)\n", e->net.alpha * 1e6, from_word(e->alpha),
           e->net.beta * 1e9, from_word(e->beta), e->net.tau * 1e9,
           from_word(e->tau));
    printf("starting a launch %.3g s (", e->start_up_seconds);
    if (e->start_up == CHORALE_ESTIMATE_MODEL)
        printf("mean of the %ld that were made)\n", e->nstarted);
    else
        printf("%s)\n", from_word(e->start_up));
}

/* Print the uncertainty, and how to reduce it. */
static void print_uncertainty(const struct chorale_estimate *e)
{
    if (e->simulated || e->all.nlaunch == 0)
        return;
    printf("%.3g hours, %.4g node-hours if the machine is so noisy that every "
           "cell takes all of its --cell-time\n",
           e->most_seconds / 3600, e->most_node_seconds / 3600);
    if (e->nstarted > 0)
        printf("%.3g %% of the cells measured here did; the same share is "
               "assumed\n", 100 * e->in_time);
    else
        printf("this is a guess: this system has no measurements yet; "
               "after one launch of a few of its cells (--launches 1, then "
               "`chorale run` and `chorale fit`) it uses their times\n");
}

void chorale_estimate_show(const struct chorale_estimate *e)
{
    struct chorale_rows rows = { .columns = columns, .indent = 2 };
    char starts[40];

    snprintf(starts, sizeof(starts), "%ld %s", e->all.nstart,
             e->all.nstart == 1 ? "is" : "are");
    show_numbers(e);
    if (e->alpha == CHORALE_ESTIMATE_DEFAULT ||
        e->beta == CHORALE_ESTIMATE_DEFAULT)
        printf("no model of this system is fitted: the default values "
               "may be wrong by several times\n");
    if (e->simulated)
        printf("hours are those of a real system with these times: %d "
               "launches for each simulated one\n", CHORALE_ADAPT_LAUNCHES);
    for (size_t i = 0; i < e->nrow; i++)
        add_row(&rows, &e->row[i], 0);
    add_row(&rows, &e->all, 1);
    chorale_rows_print(&rows, 0, stdout);
    print_uncertainty(e);
    if (e->all.nstart < e->all.nlaunch)
        printf("%ld of the launches share the start of a larger one, %s made: "
               "with one each (--one-launch-per-p) %.4g node-hours\n",
               e->all.nlaunch - e->all.nstart, starts,
               e->all.node_seconds_each / 3600);
    if (e->all.nleft > 0)
        printf("%ld of the cells cannot run there, or not within "
               "--max-memory: they cost nothing\n", e->all.nleft);
}

static json_t *number(double value, enum chorale_estimate_from from)
{
    return json_pack("{s:f, s:s}", "value", value, "from", from_word(from));
}

enum chorale_err chorale_estimate_json(const struct chorale_estimate *e,
                                       const char *system,
                                       struct chorale_errmsg *msg)
{
    struct chorale_rows rows = { .columns = columns, .indent = 2 };
    json_t *list, *all, *doc;
    size_t last = e->nrow;
    int bad;

    for (size_t i = 0; i < e->nrow; i++)
        add_row(&rows, &e->row[i], 0);
    add_row(&rows, &e->all, 1);
    list = chorale_rows_json(&rows);
    all = json_incref(json_array_get(list, last));
    json_array_remove(list, last);
    if (all != NULL) {
        json_object_del(all, "comm_size");
        json_object_del(all, "nodes");
        json_object_del(all, "ppn");
    }
    if (all != NULL && !e->simulated) {
        json_object_set_new(all, "hours_noisy",
                            json_real(e->most_seconds / 3600));
        json_object_set_new(all, "node_hours_noisy",
                            json_real(e->most_node_seconds / 3600));
    }
    doc = json_pack("{s:s, s:b, s:i, s:o, s:o, s:o, s:o, s:I, s:f, s:o, s:o}",
                    "system", system, "simulated", e->simulated,
                    "launches_for_each",
                    e->simulated ? CHORALE_ADAPT_LAUNCHES : 1,
                    "alpha", number(e->net.alpha, e->alpha),
                    "beta", number(e->net.beta, e->beta),
                    "tau", number(e->net.tau, e->tau),
                    "start_up", number(e->start_up_seconds, e->start_up),
                    "started", (json_int_t)e->nstarted,
                    "out_of_time", e->in_time, "rows", list,
                    "all", all);
    if (doc == NULL)
        return chorale_fail_memory(msg, NULL);
    bad = json_dumpf(doc, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII |
                                      JSON_REAL_PRECISION(15)) != 0;
    json_decref(doc);
    printf("\n");
    return bad ? chorale_fail_output(msg, NULL) : CHORALE_OK;
}
