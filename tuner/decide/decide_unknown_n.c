/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_unknown_n.c - one choice for all sizes of a process count, for
 * collectives in which some rank does not know n. */
#include "tuner/decide/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9 /* relative: tie in simulation */

int chorale_decide_is_blind(enum chorale_coll coll)
{
    return chorale_coll_info(coll)->blind;
}

/* Mean over the spots of the mean gain in the choosing (or confirming)
 * launches; NAN if it must not be chosen, or is slower at some spot. */
static double gain_everywhere(const struct chorale_measured *spot, size_t n,
                              const struct chorale_cand *cand, int confirms)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct chorale_measured *s = &spot[i];
        size_t c = chorale_spot_find(s, cand->run);
        double gain;

        if (c == s->ncand || s->cand[c].place < 0)
            return NAN;
        gain = chorale_cand_mean(s, c, confirms ? s->confirms : s->chooses,
                                 NULL);
        if (!(gain >= -SAME))
            return NAN;
        sum += gain;
    }
    return sum / (double)n;
}

/* Mean over the spots of the candidate's gain in one launch; NAN: not run. */
static double gain_in(const struct chorale_measured *spot, size_t n,
                      const struct chorale_cand *cand, const char *launch)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const struct chorale_measured *s = &spot[i];
        size_t l = 0;

        while (l < s->nlaunch && s->launch[l] != launch)
            l++;
        if (l == s->nlaunch)
            return NAN;
        sum += s->cand[chorale_spot_find(s, cand->run)].ratio[l];
    }
    return sum / (double)n;
}

/* The gain in the confirming launches, their number, and the two-sided p-value
 * of no gain. */
static double confirm(const struct chorale_measured *spot, size_t n,
                      const struct chorale_cand *cand, double *count_p,
                      double *p_p)
{
    double sum = 0, squares = 0, count = 0, mean;

    for (size_t l = 0; l < spot->nlaunch; l++) {
        double x = spot->confirms[l] ? gain_in(spot, n, cand, spot->launch[l])
                                     : NAN;

        if (isnan(x))
            continue;
        sum += x;
        squares += x * x;
        count++;
    }
    mean = sum / count;
    *count_p = count;
    *p_p = chorale_mean_pvalue(spot, mean, squares - count * mean * mean,
                               count);
    return mean;
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
    const struct chorale_cand *best = NULL;
    double most = 0, gain, count, p;
    enum chorale_why why = CHORALE_WHY_GAIN;

    for (size_t c = 1; spot->point->comm_size > 1 && c < spot->ncand; c++) {
        double mean = gain_everywhere(spot, n, &spot->cand[c], 0);

        if (mean > most) {
            most = mean;
            best = &spot->cand[c];
        }
    }
    if (best == NULL) {
        settle(spot, n, NULL, CHORALE_WHY_BLIND, 1);
        return;
    }
    gain = confirm(spot, n, best, &count, &p);
    if (!opts->simulated && !(count >= 2))
        why = CHORALE_WHY_LAUNCHES;
    else if (isnan(gain_everywhere(spot, n, best, 1)))
        why = CHORALE_WHY_BLIND;
    else if (!(gain > log1p(opts->threshold) + SAME))
        why = CHORALE_WHY_THRESHOLD;
    else if (!opts->simulated && !(p <= critical))
        why = CHORALE_WHY_INSIGNIFICANT;
    settle(spot, n, why == CHORALE_WHY_GAIN ? best : NULL, why,
           opts->simulated ? 0 : p);
}
