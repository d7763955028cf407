/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_campaign.c - derives proofs from the campaign's own launches, for a
 * table that was not validated. The launches that chose a variant do not count,
 * because their choice favours lucky values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/assess/evaluate.h"
#include "tuner/decide/policy.h"
#include "tuner/assess/validate.h"

#define MAX_ORDINAL 1000000

static int same_place(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->n == b->n;
}

/* The index of the chosen candidate, 0 for the library; -1 if not measured. */
static int find_cand(const struct chorale_measured *spot,
                     const struct chorale_emit_choice *choice)
{
    if (choice == NULL)
        return 0;
    for (size_t c = 1; c < spot->ncand; c++)
        if (chorale_evaluate_is_choice(spot->cand[c].run, choice))
            return (int)c;
    return -1;
}

static int ordinal_of(const struct chorale_run_point *row, size_t n,
                      const char *launch)
{
    for (size_t i = 0; i < n; i++)
        if (row[i].launch == launch)
            return row[i].ordinal;
    return -1;
}

/* Store the ratios and times of a candidate in the launches that confirm. */
static void take(struct chorale_proofs *proofs, struct chorale_proof *p,
                 const struct chorale_measured *spot, size_t cand,
                 const struct chorale_run_point *row, size_t n)
{
    double mine = 0, library = 0;

    for (size_t l = 0; l < spot->nlaunch; l++) {
        int at = ordinal_of(row, n, spot->launch[l]);
        double ratio = spot->cand[cand].ratio[l];

        if (!spot->confirms[l] || !isfinite(ratio) || at < 0 ||
            (size_t)at >= proofs->nordinal || isfinite(p->ratio[at]))
            continue;
        p->ratio[at] = ratio;
        library += spot->library[l];
        mine += spot->library[l] - ratio;
        p->nlaunch++;
    }
    if (p->nlaunch > 0) { /* sums until judged */
        p->seconds = mine;
        p->library_seconds = library;
    }
}

static void name(struct chorale_proof *p, const struct chorale_run_point *row,
                 const struct chorale_emit_choice *choice)
{
    p->coll = row->coll;
    p->comm_size = row->comm_size;
    p->ppn = row->ppn;
    p->msg_size = row->msg_size;
    p->n = row->n;
    snprintf(p->shape, sizeof(p->shape), "%s", row->shape);
    snprintf(p->dtype, sizeof(p->dtype), "%s", row->dtype);
    snprintf(p->op, sizeof(p->op), "%s", row->op);
    if (choice == NULL)
        snprintf(p->choice, sizeof(p->choice), "library");
    else
        snprintf(p->choice, sizeof(p->choice), "%s%s%s", choice->alg->name,
                 choice->params[0] != '\0' ? ":" : "", choice->params);
}

/* Add one point, with runs row[0, n). A point without a usable launch is
 * skipped; a choice that was not measured adds a row without ratios. Returns -1
 * if out of memory. */
static int add_point(struct chorale_proofs *proofs,
                     const struct chorale_emit_table *table,
                     const struct chorale_run_point *row, size_t n,
                     const struct chorale_decide_opts *opts)
{
    const struct chorale_emit_choice *choice =
        chorale_evaluate_choice(table, row);
    struct chorale_proof *p = &proofs->row[proofs->count];
    struct chorale_measured spot;
    int cand, bad = chorale_measured_init(&spot, row, n, opts) != 0;

    memset(p, 0, sizeof(*p));
    p->seconds = p->library_seconds = p->mean = p->half = p->p = p->best = NAN;
    if (!bad && spot.nlaunch > 0) {
        name(p, row, choice);
        p->ratio = malloc((proofs->nordinal + 1) * sizeof(*p->ratio));
        bad = p->ratio == NULL;
        for (size_t i = 0; i < proofs->nordinal && !bad; i++)
            p->ratio[i] = NAN;
        cand = find_cand(&spot, choice);
        if (!bad && cand >= 0)
            take(proofs, p, &spot, (size_t)cand, row, n);
        proofs->count += !bad;
    }
    chorale_measured_release(&spot);
    return bad ? -1 : 0;
}

static enum chorale_err load_rows(const struct chorale_emit_table *table,
                                  const struct chorale_points *points,
                                  const struct chorale_decide_opts *opts,
                                  struct chorale_proofs *proofs,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_run_point *row = points->row;
    size_t end;
    int bad;

    for (size_t i = 0; i < points->count; i++)
        if (row[i].ordinal >= 0 && row[i].ordinal < MAX_ORDINAL &&
            (size_t)row[i].ordinal >= proofs->nordinal)
            proofs->nordinal = (size_t)row[i].ordinal + 1;
    proofs->row = calloc(points->count + 1, sizeof(*proofs->row));
    bad = proofs->row == NULL;
    for (size_t i = 0; i < points->count && !bad; i = end) {
        for (end = i; end < points->count && same_place(&row[i], &row[end]);
             end++)
            continue;
        if (row[i].comm_size > 1 && chorale_measured_has_library(&row[i],
                                                                 end - i))
            bad = add_point(proofs, table, &row[i], end - i, opts) != 0;
    }
    return bad ? chorale_fail_memory(msg, NULL) : CHORALE_OK;
}

enum chorale_err chorale_proofs_campaign(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         int simulated,
                                         struct chorale_proofs *proofs,
                                         struct chorale_errmsg *msg)
{
    struct chorale_policy policy = CHORALE_POLICY_DEFAULTS;
    struct chorale_points points = { .row = NULL };
    struct chorale_decide_opts opts;
    struct chorale_emit_table table;
    enum chorale_err err;

    memset(&table, 0, sizeof(table));
    *proofs = (struct chorale_proofs){ .simulated = simulated,
                                       .threshold = 0.03 };
    err = chorale_policy_load(store, system_id, &policy, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load_by(store, system_id,
                                     chorale_policy_objective(&policy),
                                     &points, msg);
    opts = chorale_policy_decide(&policy, simulated);
    if (err == CHORALE_OK)
        chorale_points_dispatched(&points,
                                  chorale_policy_cost(&policy, simulated));
    if (err == CHORALE_OK && chorale_points_inherit(&points) != 0)
        err = chorale_fail_memory(msg, NULL);
    if (err == CHORALE_OK)
        err = load_rows(&table, &points, &opts, proofs, msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(proofs, &table, &points, msg);
    chorale_points_release(&points);
    chorale_emit_release(&table);
    return err;
}
