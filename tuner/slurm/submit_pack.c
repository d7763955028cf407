/* SPDX-License-Identifier: BSD-3-Clause */
/* submit_pack.c - packs launches into elements and checks the cost. A step of
 * submit.c. */
#include "config.h"

#include "tuner/slurm/submit.h"

#include <math.h>
#include <stdio.h>

#include "tuner/plan/estimate.h"

#define LAUNCH_SECONDS 5.0 /* default of starting a launch */
#define NODE_HOURS 100.0  /* above, --max-node-hours is required */

/* Set the expected seconds of launches without their start, for comparison, and
 * their upper bound. The bound is the sum of cell times, or of the least
 * repetitions where these take longer. */
static enum chorale_err expect(struct chorale_submit *s, double *start_up)
{
    const struct chorale_plan *plan = &s->opts->plan;
    const struct chorale_adapt_opts opts = {
        .nrep_min = plan->nrep_min, .nrep_max = plan->nrep_max,
        .nwarmup = plan->nwarmup, .cell_seconds = plan->cell_seconds,
    };
    const struct chorale_estimate_given said = { -1, -1, s->opts->start_up,
                                                1 };
    struct chorale_estimate all = { .row = NULL };
    sqlite3_int64 campaign = 0;
    enum chorale_err err;

    *start_up = LAUNCH_SECONDS;
    for (size_t i = 0; i < s->nlaunch; i++) {
        s->launch[i].expected = s->launch[i].seconds;
        s->launch[i].stated = s->launch[i].seconds;
        if (s->launch[i].p.campaign_id > campaign)
            campaign = s->launch[i].p.campaign_id;
    }
    err = chorale_estimate_make(s->store, s->system_id, campaign, &opts, &said,
                                &all, s->msg);
    *start_up = all.start_up == CHORALE_ESTIMATE_DEFAULT
                    ? LAUNCH_SECONDS
                    : all.start_up_seconds;
    for (size_t i = 0; i < s->nlaunch; i++) {
        struct chorale_pack_launch *l = &s->launch[i];

        for (size_t k = 0; k < all.nrow; k++)
            if (all.row[k].comm_size == l->p.comm_size &&
                all.row[k].ppn == l->p.ppn && all.row[k].nlaunch > 0) {
                l->expected = all.row[k].seconds / (double)all.row[k].nlaunch -
                              all.start_up_seconds;
                l->seconds = fmax(l->seconds, all.row[k].launch_most);
            }
    }
    chorale_estimate_release(&all);
    return err;
}

/* Print what shared starts save. */
static void show_expected(const struct chorale_submit *s, double start_up)
{
    double each, shared = chorale_pack_expected(s->launch, s->nlaunch,
                                                start_up, &each);
    size_t riding = 0;

    for (size_t i = 0; i < s->nlaunch; i++)
        riding += s->launch[i].wave > 0;
    if (riding > 0)
        printf("%zu of them share the start of a larger one: about %.3g "
               "node-hours instead of %.3g\n", riding, shared / 3600,
               each / 3600);
}

/* Find the element that takes longest; returns its most seconds. A launch is
 * never split over elements and may exceed a job's limit. stated: by
 * --cell-time only, without estimates. */
static double longest(const struct chorale_submit *s, int stated,
                      long *element_p)
{
    double most = 0, sum = 0;

    for (size_t i = 0; i < s->nlaunch; i++) {
        const struct chorale_pack_launch *l = &s->launch[i];
        double seconds = stated ? l->stated : l->seconds;

        sum = i > 0 && l->element == l[-1].element ? sum + seconds : seconds;
        if (sum > most) {
            most = sum;
            *element_p = l->element;
        }
    }
    return most;
}

/* Check that no element needs more starts than allowed; each start continues
 * the previous one. Estimates are not used here, as the model may be far
 * off. */
static enum chorale_err check_starts(const struct chorale_submit *s,
                                     double limit)
{
    const struct chorale_submit_opts *o = s->opts;
    long element = 1;
    double seconds = longest(s, 1, &element), starts = ceil(seconds / limit);

    if (starts > (double)o->attempts)
        return chorale_fail(s->msg, CHORALE_USAGE,
                            "element %ld may take %.0f s, %.0f starts of "
                            "--time %.0f s, but --attempts allows %ld; give a "
                            "longer --time, or more --attempts",
                            element, seconds, starts,
                            o->seconds, o->attempts);
    seconds = longest(s, 0, &element);
    starts = ceil(seconds / limit);
    if (starts > 1 && !o->quiet)
        printf("element %ld, the longest, may take %.0f s: up to %.0f starts "
               "of --time %.0f s\n", element, seconds, starts, o->seconds);
    return CHORALE_OK;
}

enum chorale_err chorale_submit_pack(struct chorale_submit *s)
{
    const struct chorale_submit_opts *o = s->opts;
    double hours = 0, most = o->node_hours > 0 ? o->node_hours : NODE_HOURS;
    struct chorale_pack_opts opts = {
        .limit = o->seconds - chorale_scripts_lead(o->seconds),
        .one_per_p = o->one_per_p,
    };
    enum chorale_err err = expect(s, &opts.start_up);

    if (err != CHORALE_OK)
        return err;
    opts.beyond = fmax(opts.start_up - LAUNCH_SECONDS, 0);
    for (size_t i = 0; i < s->nlaunch; i++) {
        s->launch[i].stated += LAUNCH_SECONDS;
        s->launch[i].seconds += LAUNCH_SECONDS;
    }
    s->nelement = chorale_pack_launches(s->launch, s->nlaunch, &opts);
    if (s->nelement < 0)
        return chorale_fail_memory(s->msg, NULL);
    for (size_t i = 0; i < s->nlaunch; i++) {
        s->launch[i].stated += s->launch[i].wave > 0 ? 0 : opts.beyond;
        s->launch[i].seconds += s->launch[i].wave > 0 ? 0 : opts.beyond;
        hours += s->launch[i].seconds * s->launch[i].nodes / 3600;
        if (o->nodes > 0 && s->launch[i].nodes > o->nodes)
            return chorale_fail(s->msg, CHORALE_USAGE, "P = %d at %d a node "
                                "needs %d nodes, but --nodes allows %ld; raise "
                                "it, or plan fewer ranks",
                                s->launch[i].p.comm_size, s->launch[i].p.ppn,
                                s->launch[i].nodes, o->nodes);
    }
    if (!o->quiet)
        printf("%zu %s in %ld %s, for at most %.3g node-hours\n", s->nlaunch,
               s->nlaunch == 1 ? "launch" : "launches", s->nelement,
               s->nelement == 1 ? "element" : "elements", hours);
    if (!o->quiet)
        show_expected(s, opts.start_up);
    if (hours > most)
        return chorale_fail(s->msg, CHORALE_USAGE,
                            "this may take %.3g node-hours; %s %.3g to allow "
                            "it, or plan fewer cells, sizes or launches",
                            hours, "give --max-node-hours", hours * 1.01);
    return check_starts(s, opts.limit);
}
