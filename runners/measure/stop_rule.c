/* SPDX-License-Identifier: BSD-3-Clause */
/* stop_rule.c - when a cell has enough repetitions. */
#include "runners/measure/stop_rule.h"

#include <math.h>
#include <string.h>

#include "db/quantiles.h"

#define RACED_BEHIND 1.25    /* factor above the second best that loses */

void chorale_interim_update(struct chorale_interim *seen, const double *x,
                            size_t n,
                            double *work)
{
    struct chorale_summary s;

    memcpy(work, x, n * sizeof(*x));
    chorale_summarise(work, n, &s);
    seen->nrep = (int)n;
    seen->median = s.median;
    seen->lo = s.lo;
    seen->hi = s.hi;
}

/* Upper end of the second best interval; INFINITY if there are fewer than
 * two. */
static double second_best(const struct chorale_interim *seen, int n)
{
    double first = INFINITY, second = INFINITY;

    for (int i = 0; i < n; i++) {
        double hi = seen[i].nrep > 0 && isfinite(seen[i].hi) ? seen[i].hi
                                                             : INFINITY;

        if (hi < first) {
            second = first;
            first = hi;
        } else if (hi < second) {
            second = hi;
        }
    }
    return second;
}

const char *chorale_stop_reason(const struct chorale_stop *stop,
                                const struct chorale_interim *seen, int n,
                                int c)
{
    const struct chorale_interim *s = &seen[c];

    if (s->spent >= stop->cell_seconds && s->nrep >= CHORALE_LEAST_TIMED)
        return "time";
    if (s->nrep < stop->nrep_min)
        return NULL;
    if (s->nrep >= stop->nrep_max)
        return "nrep";
    if (stop->racing && !s->keep && isfinite(s->lo) &&
        s->lo > RACED_BEHIND * second_best(seen, n))
        return "raced";
    return s->hi - s->lo <= stop->target_width * s->median ? "width" : NULL;
}
