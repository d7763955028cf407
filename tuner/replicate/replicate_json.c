/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_json.c - prints the result of `replicate --json`. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "tuner/base/rows.h"
#include "tuner/replicate/replicate_internal.h"

static json_t *cost_json(const struct chorale_rep_cost *c)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}",
                     "seconds", chorale_json(c->total),
                     "updating", chorale_json(c->updating),
                     "integration", chorale_json(c->integration),
                     "broadcasting", chorale_json(c->broadcasting),
                     "modification", chorale_json(c->modification));
}

static json_t *side_json(const struct chorale_rep_job *job,
                         const struct chorale_rep_row *row)
{
    json_t *side = cost_json(&row->cost);
    int bad = side == NULL;

    bad |= json_object_set_new(side, "side", json_integer(row->side)) != 0;
    bad |= json_object_set_new(side, "latency",
                               chorale_json(row->cost.latency));
    if (row->why[0] != '\0')
        bad |= json_object_set_new(side, "why", json_string(row->why));
    if (row->caveat[0] != '\0')
        bad |= json_object_set_new(side, "caveat", json_string(row->caveat));
    if (!job->known)
        bad |= json_object_set_new(side, job->rep.as_links ? "in_paper"
                                                           : "as_links",
                                   cost_json(&row->other)) != 0;
    if (job->opts->measure)
        bad |= json_object_set_new(side, "measured",
                                   cost_json(&row->seen[0]));
    if (isfinite(row->seen[1].total)) {
        bad |= json_object_set_new(side, "scatter", cost_json(&row->apart));
        bad |= json_object_set_new(side, "scatter_measured",
                                   cost_json(&row->seen[1]));
    }
    if (!bad)
        return side;
    json_decref(side);
    return NULL;
}

enum chorale_err chorale_rep_json(const struct chorale_rep_job *job,
                                  const struct chorale_rep_row *best)
{
    const struct chorale_rep *rep = &job->rep;
    json_t *list = json_array(), *root;
    double even, odd;
    int bad = list == NULL;

    chorale_rep_roots(rep, &even, &odd);
    for (size_t i = 0; i < job->nrow && !bad; i++)
        bad = json_array_append_new(list, side_json(job, &job->row[i])) != 0;
    root = json_pack("{s:s, s:I, s:f, s:f, s:o, s:f, s:o, s:o, s:I, s:o}",
                     "system", job->name, "n", (json_int_t)rep->side,
                     "accesses", rep->accesses, "tx", rep->tx, "tm",
                     chorale_json(rep->tm), "alpha", rep->alpha, "beta",
                     chorale_json(job->beta),
                     "tau", chorale_json(job->tau),
                     "best", (json_int_t)best->side, "sides", list);
    if (!bad && root != NULL && !job->known)
        bad = json_object_set_new(
                  root, "closed_form",
                  json_integer((json_int_t)chorale_rep_closed(rep))) != 0 ||
              json_object_set_new(root, "root_even",
                                  chorale_json(even)) != 0 ||
              json_object_set_new(root, "root_odd",
                                  chorale_json(odd)) != 0 ||
              json_object_set_new(
                  root, "proposition",
                  json_integer((json_int_t)chorale_rep_proposition(rep, 0)));
    if (!bad && root != NULL && !job->known)
        bad = json_object_set_new(
                  root, rep->as_links ? "best_in_paper" : "best_as_links",
                  json_integer(chorale_rep_best(job, CHORALE_REP_OTHER)
                                   ->side)) != 0;
    if (!bad && root != NULL && job->links[0] != '\0')
        bad = json_object_set_new(root, "links", json_string(job->links));
    if (!bad && root != NULL && job->opts->measure)
        bad = json_object_set_new(
                  root, "best_measured",
                  json_integer(chorale_rep_best(job, 0)->side)) != 0 ||
              json_object_set_new(root, "oversubscribed",
                                  json_boolean(job->crowded)) != 0 ||
              json_object_set_new(root, "unit",
                                  chorale_json(
                                      1e-6 * chorale_rep_unit_us(job))) != 0;
    if (bad || root == NULL) {
        json_decref(root);
        return chorale_fail_memory(job->msg, "replicate");
    }
    return chorale_json_print(root) == 0
               ? CHORALE_OK : chorale_fail_output(job->msg, NULL);
}
