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

struct campaign {
    struct chorale_store *store;
    sqlite3_int64 system_id;
    const struct chorale_emit_table *table;
    const struct chorale_points *points;
    struct chorale_proofs *proofs;
    unsigned char ours[CHORALE_NCOLL]; /* a Chorale variant was measured, so
                              * the dispatch table decides the collective; else
                              * the rows for the library's rule file do */
    struct chorale_errmsg *msg;
};

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

/* The same for the row of the rule file at the spot. text: its name, of size
 * bytes. */
static enum chorale_err find_rule(const struct campaign *job,
                                  const struct chorale_measured *spot,
                                  int *cand_p, char *text, size_t size)
{
    const struct chorale_run_point *at = spot->point;
    const char *coll = chorale_coll_info(at->coll)->name;
    struct chorale_served_kind kind;
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_served_kind_load(
        job->store, job->system_id, coll, "rules", &kind, job->msg);

    *cand_p = 0;
    snprintf(text, size, "library");
    if (err == CHORALE_OK)
        err = chorale_store_query(
            job->store, "SELECT variant, params FROM decision"
            " WHERE system_id = ?1 AND target = 'rules' AND coll = ?2"
            "  AND ?3 BETWEEN comm_size AND max(comm_size, comm_size_hi)"
            "  AND ppn = ?4 AND shape = ?5 AND dtype = ?6 AND op = ?7"
            "  AND ?8 BETWEEN n_lo AND n_hi AND provider = 'native'"
            " ORDER BY n_lo DESC LIMIT 1",
            CHORALE_FIELDS(job->system_id, coll, at->comm_size, at->ppn,
                           at->shape, kind.dtype, kind.op, at->n), &stmt,
            job->msg);
    if (chorale_store_next(job->store, stmt, &err, job->msg)) {
        const char *variant = chorale_text(stmt, 0);
        const char *params = chorale_text(stmt, 1);

        snprintf(text, size, "native %s%s%s", variant,
                 params[0] != '\0' ? ":" : "", params);
        *cand_p = -1;
        for (size_t c = 1; c < spot->ncand; c++) {
            const struct chorale_run_point *run = spot->cand[c].run;

            if (strcmp(run->provider, "native") == 0 &&
                strcmp(run->variant, variant) == 0 &&
                strcmp(run->params, params) == 0)
                *cand_p = (int)c;
        }
    }
    sqlite3_finalize(stmt);
    return err;
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

static void name(struct chorale_proof *p, const struct chorale_run_point *row)
{
    p->coll = row->coll;
    p->comm_size = row->comm_size;
    p->ppn = row->ppn;
    p->msg_size = row->msg_size;
    p->n = row->n;
    snprintf(p->shape, sizeof(p->shape), "%s", row->shape);
    snprintf(p->dtype, sizeof(p->dtype), "%s", row->dtype);
    snprintf(p->op, sizeof(p->op), "%s", row->op);
    snprintf(p->arrival, sizeof(p->arrival), "%s", row->arrival);
}

static void name_choice(struct chorale_proof *p,
                        const struct chorale_emit_choice *choice)
{
    if (choice == NULL)
        snprintf(p->choice, sizeof(p->choice), "library");
    else
        snprintf(p->choice, sizeof(p->choice), "%s%s%s", choice->alg->name,
                 choice->params[0] != '\0' ? ":" : "", choice->params);
}

/* Add one point. A choice that was not measured adds a row without ratios. */
static enum chorale_err add_point(const struct campaign *job, int rules,
                                  struct chorale_measured *spot)
{
    struct chorale_proofs *proofs = job->proofs;
    struct chorale_proof *p = &proofs->row[proofs->count];
    enum chorale_err err = CHORALE_OK;
    int cand = 0;

    memset(p, 0, sizeof(*p));
    p->seconds = p->library_seconds = p->mean = p->half = p->p = p->best = NAN;
    p->ratio = malloc((proofs->nordinal + 1) * sizeof(*p->ratio));
    if (p->ratio == NULL)
        return chorale_fail_memory(job->msg, NULL);
    for (size_t i = 0; i < proofs->nordinal; i++)
        p->ratio[i] = NAN;
    name(p, spot->point);
    if (rules) {
        err = find_rule(job, spot, &cand, p->choice, sizeof(p->choice));
        proofs->nrules++;
    } else {
        const struct chorale_emit_choice *choice =
            chorale_evaluate_choice(job->table, spot->point);

        cand = find_cand(spot, choice);
        name_choice(p, choice);
    }
    if (cand >= 0)
        take(proofs, p, spot, (size_t)cand);
    proofs->count++;
    return err;
}

/* Add the points of the collectives that the dispatch table decides, or with
 * rules of the others. */
static enum chorale_err load_rows(const struct campaign *job,
                                  struct chorale_decide_opts opts, int rules)
{
    struct chorale_proofs *proofs = job->proofs;
    struct chorale_proof *more;
    struct chorale_measured *spot;
    size_t nspot;
    enum chorale_err err;

    opts.rules = rules;
    err = chorale_decide_sizes(job->points, &opts, &spot, &nspot, job->msg);
    more = realloc(proofs->row,
                   (proofs->count + nspot + 1) * sizeof(*proofs->row));
    if (more != NULL)
        proofs->row = more;
    else if (err == CHORALE_OK)
        err = chorale_fail_memory(job->msg, NULL);
    for (size_t i = 0; i < nspot; i++) {
        const struct chorale_run_point *at = spot[i].point;

        if (err == CHORALE_OK && at->comm_size > 1 && spot[i].nlaunch > 0 &&
            job->ours[at->coll] == !rules)
            err = add_point(job, rules, &spot[i]);
        chorale_measured_release(&spot[i]);
    }
    free(spot);
    return err;
}

/* Load the rows of both kinds. Without rows for a rule file all collectives are
 * the dispatch table's. */
static enum chorale_err load_all(struct campaign *job,
                                 const struct chorale_decide_opts *opts)
{
    const struct chorale_run_point *row = job->points->row;
    sqlite3_int64 nrules = 0;
    enum chorale_err err = chorale_store_find(
        job->store, "SELECT count(*) FROM decision WHERE system_id = ?1"
        " AND target = 'rules'", CHORALE_FIELDS(job->system_id), 0, &nrules,
        job->msg);

    for (size_t i = 0; i < job->points->count; i++) {
        if (row[i].ordinal >= 0 && row[i].ordinal < MAX_ORDINAL &&
            (size_t)row[i].ordinal >= job->proofs->nordinal)
            job->proofs->nordinal = (size_t)row[i].ordinal + 1;
        job->ours[row[i].coll] |= strcmp(row[i].provider, "chorale") == 0;
    }
    for (int c = 0; c < CHORALE_NCOLL; c++)
        job->ours[c] |= nrules == 0;
    if (err == CHORALE_OK)
        err = load_rows(job, *opts, 0);
    return err == CHORALE_OK && nrules > 0 ? load_rows(job, *opts, 1) : err;
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
    struct campaign job = { store, system_id, &table, &points, proofs, { 0 },
                            msg };
    enum chorale_err err;

    memset(&table, 0, sizeof(table));
    *proofs = (struct chorale_proofs){ .simulated = simulated,
                                       .threshold = 0.03,
                                       .overlap = CHORALE_FOLD_OVERLAP };
    err = chorale_policy_load(store, system_id, &policy, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = chorale_policy_points(store, system_id, simulated, &policy,
                                    &points, NULL, NULL, msg);
    opts = chorale_policy_decide(&policy, simulated);
    if (err == CHORALE_OK && chorale_points_inherit(&points) != 0)
        err = chorale_fail_memory(msg, NULL);
    if (err == CHORALE_OK)
        err = load_all(&job, &opts);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(proofs, &table, &points, msg);
    chorale_points_release(&points);
    chorale_emit_release(&table);
    return err;
}
