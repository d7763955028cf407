/* SPDX-License-Identifier: BSD-3-Clause */
/* judge_simulated.c - when repetitions in simulated time are enough. */
#include "runners/measure/judge_samples.h"

#include <math.h>

#include "db/quantiles.h"

#define SIM_EQUAL 1e-6       /* relative: rounding of the clock */

/* Distance between the order statistics lo and n - 1 - lo of the n times of
 * each root, relative to the former; the largest over the roots. */
static double sim_spread(struct chorale_timing *t, int c, int turns, int n,
                         size_t lo)
{
    double time[CHORALE_SIM_REPS_MAX], worst = 0;

    for (int i = 0; i < turns; i++) {
        for (int k = 0; k < n; k++)
            time[k] = t->sample[c][i + k * turns].seconds;
        chorale_sort(time, (size_t)n);
        worst = fmax(worst, (time[(size_t)n - 1 - lo] - time[lo]) / time[lo]);
    }
    return worst;
}

void chorale_judge_pairs(struct chorale_timing *t, int turns)
{
    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        t->active[c] = 0;
        if (res->status != CHORALE_RUN_OK ||
            t->nsample[c] != CHORALE_SIM_REPS * turns)
            continue;
        t->active[c] =
            !(sim_spread(t, c, turns, CHORALE_SIM_REPS, 0) <= SIM_EQUAL);
        res->stop_reason = "equal";
    }
}

void chorale_judge_medians(struct chorale_timing *t, int turns)
{
    double enough = t->bench->work.set.stop.target_width;
    size_t lo, hi;

    if (chorale_median_interval(CHORALE_SIM_REPS_MAX, &lo, &hi) != 0)
        lo = 0;
    for (int c = 0; c < t->ncand; c++)
        if (t->nsample[c] == CHORALE_SIM_REPS_MAX * turns &&
            t->result[c].status == CHORALE_RUN_OK)
            t->result[c].stop_reason =
                sim_spread(t, c, turns, CHORALE_SIM_REPS_MAX, lo) <= enough
                ? "width" : "unequal";
}
