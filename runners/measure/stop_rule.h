/* SPDX-License-Identifier: BSD-3-Clause */
/* stop_rule.h - when a cell has enough repetitions. Contains no MPI, so that
 * the coverage of its intervals can be tested with synthetic times. */
#ifndef CHORALE_RUNNERS_MEASURE_STOP_RULE_H
#define CHORALE_RUNNERS_MEASURE_STOP_RULE_H

#include <stddef.h>

/* Least repetitions of a cell that reaches its time cap. */
#define CHORALE_LEAST_TIMED 3

struct chorale_stop {
    int nrep_min, nrep_max;
    double target_width;     /* of the median's 95 % interval, relative */
    double cell_seconds;     /* time cap of a cell, s */
    int racing;              /* 1: clearly slower cells stop early */
};

/* What is known so far about one candidate of a point. */
struct chorale_interim {
    int nrep;
    double spent;            /* time spent, s */
    double median, lo, hi;   /* s; lo, hi NAN: too few repetitions */
    int keep;                /* 1: never raced out (the library) */
};

/* Set nrep, median, lo, hi from x[n] in order of time, n >= 1; work[n] is
 * scratch. The interval allows for autocorrelation (db/quantiles.h). */
void chorale_interim_update(struct chorale_interim *seen, const double *x,
                            size_t n,
                            double *work);

/* Why candidate c of n stops, as stored in run.stop_reason, or NULL to go on.
 * Checked in this order:
 * - "time": time cap reached, with at least CHORALE_LEAST_TIMED repetitions.
 *   No other reason counts with fewer than nrep_min repetitions;
 * - "nrep": nrep_max repetitions;
 * - "raced": the interval lies above RACED_BEHIND times the upper end of the
 *   second best; only if racing is set, and never for a candidate to keep;
 * - "width": the interval is narrow enough. */
const char *chorale_stop_reason(const struct chorale_stop *stop,
                                const struct chorale_interim *seen, int n,
                                int c);

#endif
