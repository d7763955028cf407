/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_show.c - print an estimate as a table or as JSON. */
#include "config.h"

#include "tuner/plan/estimate.h"

#include <jansson.h>
#include <stdio.h>

static const char *from_word(enum chorale_estimate_from from)
{
    return from == CHORALE_ESTIMATE_MODEL    ? "model"
           : from == CHORALE_ESTIMATE_STATED ? "stated"
                                             : "default";
}

/* Hours with three digits: both days and minutes are common. */
static void show_row(const char *name, int nodes, int ppn,
                     const struct chorale_estimate_row *row)
{
    char ranks[16] = "", node[16] = "";

    if (nodes > 0)
        snprintf(node, sizeof(node), "%d", nodes);
    if (ppn > 0)
        snprintf(ranks, sizeof(ranks), "%d", ppn);
    printf("%10s %8s %6s %8ld %8ld %10.3g %12.4g\n", name, node, ranks,
           row->ncell, row->nlaunch, row->seconds / 3600,
           row->node_seconds / 3600);
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
static void show_doubt(const struct chorale_estimate *e)
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
        printf("this is a guess: nothing was measured on this system yet; "
               "after one launch of a few of its cells (--launches 1, then "
               "`chorale run` and `chorale fit`) it uses their times\n");
}

void chorale_estimate_show(const struct chorale_estimate *e)
{
    char name[16], starts[40];

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
    printf("%10s %8s %6s %8s %8s %10s %12s\n", "P", "nodes", "ppn", "cells",
           "launches", "hours", "node-hours");
    for (size_t i = 0; i < e->nrow; i++) {
        snprintf(name, sizeof(name), "%d", e->row[i].comm_size);
        show_row(name, e->row[i].nodes, e->row[i].ppn, &e->row[i]);
    }
    show_row("all", 0, 0, &e->all);
    show_doubt(e);
    if (e->all.nstart < e->all.nlaunch)
        printf("%ld of the launches share the start of a larger one, %s made: "
               "with one each (--one-launch-per-p) %.4g node-hours\n",
               e->all.nlaunch - e->all.nstart, starts,
               e->all.node_seconds_each / 3600);
    if (e->all.nleft > 0)
        printf("%ld of the cells cannot run there, or not within "
               "--max-memory: they cost nothing\n", e->all.nleft);
}

static json_t *row_json(const struct chorale_estimate_row *row)
{
    return json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:f, s:f, s:f}",
                     "comm_size", row->comm_size, "nodes", row->nodes,
                     "ppn", row->ppn, "cells", (json_int_t)row->ncell,
                     "cells_left_out", (json_int_t)row->nleft,
                     "launches", (json_int_t)row->nlaunch,
                     "starts", (json_int_t)row->nstart,
                     "hours", row->seconds / 3600,
                     "node_hours_one_launch_per_p",
                     row->node_seconds_each / 3600,
                     "node_hours", row->node_seconds / 3600);
}

static json_t *number(double value, enum chorale_estimate_from from)
{
    return json_pack("{s:f, s:s}", "value", value, "from", from_word(from));
}

enum chorale_err chorale_estimate_json(const struct chorale_estimate *e,
                                       const char *system,
                                       struct chorale_errmsg *msg)
{
    json_t *list = json_array(), *all = row_json(&e->all), *doc;
    int bad;

    for (size_t i = 0; i < e->nrow; i++)
        json_array_append_new(list, row_json(&e->row[i]));
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
