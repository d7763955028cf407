/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_unknown_n.c - one choice for all sizes of a process count, for
 * collectives in which some rank does not know n. */
#include "tuner/decide/decide.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9 /* relative: tie in simulation */

int chorale_decide_is_blind(enum chorale_coll coll)
{
    return chorale_coll_info(coll)->blind;
}

/* Mean over the spots of a candidate's mean gain in all launches but one (NULL:
 * in all); NAN if it must not be chosen, or is slower at some spot. */
static double gain_everywhere(const struct chorale_measured *spot, size_t n,
                              const struct chorale_cand *cand,
                              const char *without)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct chorale_measured *s = &spot[i];
        size_t c = chorale_spot_find(s, cand->run);
        double gain;

        if (c == s->ncand || s->cand[c].place < 0)
            return NAN;
        gain = chorale_cand_mean(s, c, without, NULL);
        if (!(gain >= -SAME))
            return NAN;
        sum += gain;
    }
    return sum / (double)n;
}

/* The candidate of the first spot with the best such gain; 0, the library, if
 * no candidate has a gain. */
static size_t choose(const struct chorale_measured *spot, size_t n,
                     const char *without)
{
    double most = 0;
    size_t best = 0;

    for (size_t c = 1; spot->point->comm_size > 1 && c < spot->ncand; c++) {
        double mean = gain_everywhere(spot, n, &spot->cand[c], without);

        if (mean > most) {
            most = mean;
            best = c;
        }
    }
    return best;
}

/* The choice of the first spot's fold that leaves out that launch; SIZE_MAX:
 * the spot did not run in it. */
static size_t known_fold(const struct chorale_measured *first,
                         const char *launch)
{
    for (size_t l = 0; l < first->nlaunch; l++)
        if (first->launch[l] == launch)
            return first->fold[l];
    return SIZE_MAX;
}

/* Cross-fit the choice: its gain in each launch, the mean over the spots. Sets
 * challenger and fold of the spots. */
static struct chorale_sample cross_fit(struct chorale_measured *spot, size_t n,
                                       size_t best, int simulated)
{
    struct chorale_sample sample = { 0, 0, 0 };

    for (size_t i = 0; i < n; i++) {
        spot[i].challenger = chorale_spot_find(&spot[i], spot->cand[best].run);
        for (size_t l = 0; l < spot[i].nlaunch; l++) {
            size_t c = simulated ? best
                       : i > 0   ? known_fold(spot, spot[i].launch[l])
                                 : SIZE_MAX;

            if (c == SIZE_MAX)
                c = choose(spot, n, spot[i].launch[l]);
            spot[i].fold[l] = chorale_spot_find(&spot[i], spot->cand[c].run);
        }
    }
    for (size_t l = 0; l < spot->nlaunch; l++) {
        const struct chorale_run_point *run = spot->cand[spot->fold[l]].run;
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += chorale_spot_ratio(&spot[i], run, spot->launch[l]);
        chorale_gains_add(&sample, sum / (double)n);
    }
    return sample;
}

/* Make the candidate (NULL: the library) the choice of the spots. */
static void settle(struct chorale_measured *spot, size_t n,
                   const struct chorale_cand *cand, enum chorale_why why,
                   double p)
{
    for (size_t i = 0; i < n; i++) {
        struct chorale_measured *s = &spot[i];

        s->pick = cand != NULL ? chorale_spot_find(s, cand->run) : 0;
        if (cand != NULL || s->why == CHORALE_WHY_GAIN)
            s->why = why;
        s->p = p;
        for (size_t c = 0; c < s->ncand; c++)
            s->cand[c].loss = c == s->pick ? 0 : INFINITY;
        s->cand[s->pick].p = p;
    }
}

void chorale_decide_blind(struct chorale_measured *spot, size_t n,
                          double critical,
                          const struct chorale_decide_opts *opts)
{
    size_t best = choose(spot, n, NULL);
    enum chorale_why why = CHORALE_WHY_GAIN;
    struct chorale_sample gain;
    double p;

    if (best == 0) {
        settle(spot, n, NULL, CHORALE_WHY_BLIND, 1);
        return;
    }
    gain = cross_fit(spot, n, best, opts->simulated);
    p = opts->simulated ? 0 : chorale_mean_pvalue(&spot->spread, &gain);
    if (!opts->simulated && gain.n < CHORALE_DECIDE_LAUNCHES)
        why = CHORALE_WHY_LAUNCHES;
    else if (!(gain.mean > log1p(opts->threshold) + SAME))
        why = CHORALE_WHY_THRESHOLD;
    else if (!opts->simulated && !(p <= critical))
        why = CHORALE_WHY_INSIGNIFICANT;
    settle(spot, n, why == CHORALE_WHY_GAIN ? &spot->cand[best] : NULL, why,
           p);
}
