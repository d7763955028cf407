/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_campaign.c - derives proofs from the campaign's own launches, for a
 * table that was not validated. Each launch counts for the choice that decide
 * makes without it, because a launch that chooses favours lucky values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/assess/evaluate.h"
#include "tuner/decide/policy.h"
#include "tuner/assess/validate.h"

#define MAX_ORDINAL 1000000

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

/* The ordinal of a launch that ran the library at a spot. */
static int ordinal_of(const struct chorale_measured *spot, const char *launch)
{
    const struct chorale_run_point *row = spot->point;

    while (row->launch != launch)
        row++;
    return row->ordinal;
}

/* Store the ratios and times of a candidate in all launches. */
static void take(struct chorale_proofs *proofs, struct chorale_proof *p,
                 struct chorale_measured *spot, size_t cand)
{
    double mine = 0, library = 0;

    spot->pick = cand;
    for (size_t l = 0; l < spot->nlaunch; l++) {
        int at = ordinal_of(spot, spot->launch[l]);
        double ratio = chorale_spot_gain(spot, spot->launch[l]);

        if (!isfinite(ratio) || at < 0 ||
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

/* Add one point. A choice that was not measured adds a row without ratios.
 * Returns -1 if out of memory. */
static int add_point(struct chorale_proofs *proofs,
                     const struct chorale_emit_table *table,
                     struct chorale_measured *spot)
{
    const struct chorale_emit_choice *choice =
        chorale_evaluate_choice(table, spot->point);
    struct chorale_proof *p = &proofs->row[proofs->count];
    int cand = find_cand(spot, choice);

    memset(p, 0, sizeof(*p));
    p->seconds = p->library_seconds = p->mean = p->half = p->p = p->best = NAN;
    p->ratio = malloc((proofs->nordinal + 1) * sizeof(*p->ratio));
    if (p->ratio == NULL)
        return -1;
    for (size_t i = 0; i < proofs->nordinal; i++)
        p->ratio[i] = NAN;
    name(p, spot->point, choice);
    if (cand >= 0)
        take(proofs, p, spot, (size_t)cand);
    proofs->count++;
    return 0;
}

static enum chorale_err load_rows(const struct chorale_emit_table *table,
                                  const struct chorale_points *points,
                                  const struct chorale_decide_opts *opts,
                                  struct chorale_proofs *proofs,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_run_point *row = points->row;
    struct chorale_measured *spot;
    size_t nspot;
    enum chorale_err err = chorale_decide_sizes(points, opts, &spot, &nspot,
                                                msg);

    for (size_t i = 0; i < points->count; i++)
        if (row[i].ordinal >= 0 && row[i].ordinal < MAX_ORDINAL &&
            (size_t)row[i].ordinal >= proofs->nordinal)
            proofs->nordinal = (size_t)row[i].ordinal + 1;
    proofs->row = calloc(nspot + 1, sizeof(*proofs->row));
    if (err == CHORALE_OK && proofs->row == NULL)
        err = chorale_fail_memory(msg, NULL);
    for (size_t i = 0; i < nspot; i++) {
        if (err == CHORALE_OK && spot[i].point->comm_size > 1 &&
            spot[i].nlaunch > 0 && add_point(proofs, table, &spot[i]) != 0)
            err = chorale_fail_memory(msg, NULL);
        chorale_measured_release(&spot[i]);
    }
    free(spot);
    return err;
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
                                       .threshold = 0.03,
                                       .overlap = CHORALE_FOLD_OVERLAP };
    err = chorale_policy_load(store, system_id, &policy, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load_by(store, system_id,
                                     chorale_policy_objective(&policy),
                                     CHORALE_ARRIVALS_SYNC, &points, msg);
    opts = chorale_policy_decide(&policy, simulated);
    opts.arrivals = CHORALE_ARRIVALS_SYNC;
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
