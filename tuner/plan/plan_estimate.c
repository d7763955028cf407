/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_estimate.c - estimate a plan without writing it. */
#include "tuner/plan/plan_internal.h"

#include "tuner/plan/estimate.h"

enum chorale_err chorale_plan_check_estimate(struct chorale_plan *plan,
                                             struct chorale_errmsg *msg)
{
    const struct {
        const char *option;
        int said;
    } row[] = {
        { "--json", plan->json },
        { "--alpha", plan->alpha >= 0 },
        { "--beta", plan->beta >= 0 },
        { "--start-up", plan->start_up >= 0 },
        { "--one-launch-per-p", plan->one_per_p },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].said && !plan->estimate)
            return chorale_fail(msg, CHORALE_USAGE, "%s: only for estimates; "
                                "add --estimate", row[i].option);
    plan->dry_run |= plan->estimate;
    return CHORALE_OK;
}

enum chorale_err chorale_plan_estimate(struct planner *p,
                                       sqlite3_int64 campaign)
{
    const struct chorale_plan *plan = p->plan;
    const struct chorale_adapt_opts opts = {
        .decide = { .simulated = p->sys.simulated },
        .nrep_min = plan->nrep_min, .nrep_max = plan->nrep_max,
        .nwarmup = plan->nwarmup, .cell_seconds = plan->cell_seconds,
    };
    const struct chorale_estimate_given said = { plan->alpha, plan->beta,
                                                plan->start_up,
                                                plan->one_per_p };

    return chorale_estimate_make(p->store, p->sys.id, campaign, &opts, &said,
                                 &p->estimate, p->msg);
}

enum chorale_err chorale_plan_show_estimate(struct planner *p)
{
    if (p->plan->json)
        return chorale_estimate_json(&p->estimate, p->sys.name, p->msg);
    chorale_estimate_show(&p->estimate);
    return CHORALE_OK;
}
