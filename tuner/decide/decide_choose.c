/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_choose.c - the best candidate of a measured size, by all launches and
 * by all but one. */
#include "tuner/decide/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9   /* relative: equal in simulation */
#define CLOSE 0.01  /* relative: a tie on a real system if not significant */

/* 1 if candidate a ties with the best: equal in simulation; else close, and not
 * significantly different in the paired launches. */
static int ties(const struct chorale_measured *spot, size_t a, size_t best,
                const char *without, int simulated)
{
    struct chorale_sample d = { 0, 0, 0 };

    for (size_t l = 0; l < spot->nlaunch; l++)
        if (spot->launch[l] != without)
            chorale_gains_add(&d, spot->cand[best].ratio[l] -
                                  spot->cand[a].ratio[l]);
    if (d.n < 1)
        return 0;
    if (fabs(d.mean) <= SAME)
        return 1;
    if (simulated || d.mean > CLOSE || d.n < 2)
        return 0;
    return d.mean <= gsl_cdf_tdist_Pinv(0.975, d.n - 1) *
                     sqrt(d.squares / (d.n - 1) / d.n);
}

/* 1 if a is preferred to b among ties: faster under skewed arrival, simpler,
 * equal to the choice of the next smaller size, shorter or smaller text. */
static int preferred(const struct chorale_cand *a,
                     const struct chorale_cand *b,
                     const struct chorale_cand *neighbour, int simulated)
{
    const char *params = a->run->params, *others = b->run->params;
    size_t la = strlen(params), lb = strlen(others);

    if (a->late > 0 && b->late > 0 && a->patterns == b->patterns &&
        fabs(log(a->late / b->late)) > (simulated ? SAME : CLOSE))
        return a->late < b->late;
    if (a->place != b->place)
        return a->place < b->place;
    if (neighbour != NULL && neighbour->run->variant == a->run->variant &&
        (neighbour->run->params == params) !=
            (neighbour->run->params == others))
        return neighbour->run->params == params;
    return la != lb ? la < lb : strcmp(params, others) < 0;
}

/* The best candidate of the launches but one, 0 if there is no candidate. */
static size_t choose(const struct chorale_measured *spot, const char *without,
                     const struct chorale_cand *neighbour, int simulated)
{
    size_t best = 0, pick;
    double most = -HUGE_VAL;

    for (size_t c = 1; c < spot->ncand; c++) {
        double mean = chorale_cand_mean(spot, c, without, NULL);

        if (spot->cand[c].place >= 0 && mean > most) {
            most = mean;
            best = c;
        }
    }
    pick = best;
    for (size_t c = 1; best > 0 && c < spot->ncand; c++)
        if (spot->cand[c].place >= 0 &&
            ties(spot, c, best, without, simulated) &&
            preferred(&spot->cand[c], &spot->cand[pick], neighbour,
                      simulated))
            pick = c;
    return pick;
}

void chorale_spot_choose(struct chorale_measured *spot,
                         const struct chorale_cand *neighbour, int simulated)
{
    spot->challenger = choose(spot, NULL, neighbour, simulated);
    for (size_t l = 0; l < spot->nlaunch; l++)
        spot->fold[l] = simulated ? spot->challenger
                                  : choose(spot, spot->launch[l], neighbour,
                                           simulated);
}
