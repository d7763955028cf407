/* SPDX-License-Identifier: BSD-3-Clause */
/* stop_rule.h - when the repetitions of a cell are enough. No MPI here: the
 * coverage of the intervals that come of it is tested on invented times. */
#ifndef CHORALE_RUNNERS_MEASURE_STOP_RULE_H
#define CHORALE_RUNNERS_MEASURE_STOP_RULE_H

#include <stddef.h>

/* Repetitions of a cell that runs out of time. */
#define CHORALE_LEAST_TIMED 3

struct chorale_stop {
    int nrep_min, nrep_max;
    double target_width;     /* of the median's 95 % interval, relative */
    double cell_seconds;     /* time cap of a cell */
    int racing;              /* surely slower cells stop early */
};

/* The candidates of one point, as far as they have been seen. */
struct chorale_seen {
    int nrep;
    double spent;            /* s */
    double median, lo, hi;   /* lo, hi NAN: too few repetitions */
    int keep;                /* never raced out: the library */
};

/* Fill seen's nrep, median, lo, hi from x[n] in order of time, n >= 1; work
 * has room for n. The interval allows for autocorrelation (db/quantiles.h). */
void chorale_seen_update(struct chorale_seen *seen, const double *x, size_t n,
                         double *work);

/* Why candidate c of n needs no more repetitions, as run.stop_reason has it,
 * or NULL. In this order: "time" (its cap, and three repetitions), "nrep",
 * "raced" (its interval lies above that of the second best by RACED_BEHIND and
 * it has nrep_min), "width". */
const char *chorale_stop_reason(const struct chorale_stop *stop,
                                const struct chorale_seen *seen, int n, int c);

#endif
