/* SPDX-License-Identifier: BSD-3-Clause */
/* decided_times.c - replaces the times of measured cells by those that decide
 * the table, so that a picture shows why a choice was made. */
#include "plots/plots.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/decide_arrival.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/decide/policy.h"

#define WIDEST 1000          /* factor of an interval, as in v_summary */

/* 1 if the row is of the spot's point. */
static int is_at(const struct chorale_plots_row *row,
                 const struct chorale_measured *spot)
{
    const struct chorale_run_point *at = spot->point;

    return (double)at->n == row->n && at->comm_size == row->comm_size &&
           at->ppn == row->ppn &&
           strcmp(chorale_coll_info(at->coll)->name, row->coll) == 0 &&
           strcmp(at->shape, row->shape) == 0 &&
           strcmp(at->dtype, row->dtype) == 0 && strcmp(at->op, row->op) == 0;
}

/* 1 if all runs of the spot's point have the row's root and buffer policies. A
 * decision takes the mean over several. */
static int same_conditions(const struct chorale_plots_row *row,
                           const struct chorale_measured *spot,
                           const struct chorale_points *points)
{
    const struct chorale_run_point *run = spot->point;
    const struct chorale_run_point *end = points->row + points->count;
    char conditions[sizeof(row->root) + sizeof(row->buffers) + 1];

    snprintf(conditions, sizeof(conditions), "%s %s", row->root, row->buffers);
    for (; run < end && run->n == spot->point->n &&
           chorale_decide_same_line(run, spot->point); run++)
        if (strcmp(run->conditions, conditions) != 0)
            return 0;
    return 1;
}

static size_t find_cand(const struct chorale_plots_row *row,
                        const struct chorale_measured *spot)
{
    size_t c = 0;

    while (c < spot->ncand &&
           (strcmp(spot->cand[c].run->provider, row->provider) != 0 ||
            strcmp(spot->cand[c].run->variant, row->variant) != 0 ||
            strcmp(spot->cand[c].run->params, row->params) != 0))
        c++;
    return c;
}

/* Set the row's time, and its 95 % interval over the launches. */
static void set_times(struct chorale_plots_row *row,
                      const struct chorale_measured *spot, size_t cand,
                      int simulated)
{
    const double *ratio = spot->cand[cand].ratio;
    struct chorale_sample times = { 0, 0, 0 };
    double log_seconds = chorale_cand_log_seconds(spot, cand), half;

    if (!isfinite(log_seconds))
        return;
    row->decides = 1;
    row->seconds = exp(log_seconds);
    row->lo = row->hi = NAN;
    for (size_t l = 0; l < spot->nlaunch; l++)
        chorale_gains_add(&times, spot->library[l] - ratio[l]);
    if (times.n < 2) {
        if (simulated)
            row->lo = row->hi = row->seconds;
        return;
    }
    half = gsl_cdf_tdist_Pinv(0.975, times.n - 1) *
           sqrt(times.squares / (times.n - 1) / times.n);
    if (half < log(WIDEST)) {
        row->lo = exp(log_seconds - half);
        row->hi = exp(log_seconds + half);
    }
}

static void set_all(struct chorale_plots_rows *rows,
                    const struct chorale_points *points,
                    const struct chorale_measured *spot, size_t nspot,
                    int simulated)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct chorale_plots_row *row = &rows->row[i];
        size_t s = 0, cand;

        while (s < nspot && !is_at(row, &spot[s]))
            s++;
        if (s == nspot || !same_conditions(row, &spot[s], points))
            continue;
        cand = find_cand(row, &spot[s]);
        if (cand < spot[s].ncand)
            set_times(row, &spot[s], cand, simulated);
    }
}

enum chorale_err chorale_plots_decided_times(struct chorale_store *store,
                                             sqlite3_int64 system_id,
                                             struct chorale_plots_rows *rows,
                                             struct chorale_errmsg *msg)
{
    struct chorale_policy policy = CHORALE_POLICY_DEFAULTS;
    struct chorale_points points = { .row = NULL };
    struct chorale_measured *spot = NULL;
    struct chorale_decide_opts opts;
    sqlite3_int64 simulated = 0;
    size_t nspot = 0;
    enum chorale_err err = chorale_store_find(
        store, "SELECT kind = 'simulated' FROM system WHERE system_id = ?1",
        CHORALE_FIELDS(system_id), 0, &simulated, msg);

    if (err == CHORALE_OK)
        err = chorale_policy_load(store, system_id, &policy, msg);
    if (err == CHORALE_OK)
        err = chorale_policy_points(store, system_id, simulated != 0, &policy,
                                    &points, NULL, NULL, msg);
    if (err == CHORALE_OK && chorale_points_inherit(&points) != 0)
        err = chorale_fail_memory(msg, chorale_store_path(store));
    opts = chorale_policy_decide(&policy, simulated != 0);
    if (err == CHORALE_OK)
        err = chorale_decide_sizes(&points, &opts, &spot, &nspot, msg);
    if (err == CHORALE_OK)
        set_all(rows, &points, spot, nspot, simulated != 0);
    rows->of = (struct chorale_plots_times){
        .arrivals = opts.arrivals,
        .dispatch = chorale_policy_cost(&policy, simulated != 0),
        .p95 = chorale_policy_objective(&policy) == CHORALE_OBJECTIVE_P95,
        .smoothed = policy.exploratory[0] != '\0',
    };
    for (size_t i = 0; i < nspot; i++)
        chorale_measured_release(&spot[i]);
    free(spot);
    chorale_points_release(&points);
    return err;
}
