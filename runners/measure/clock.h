/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - a clock common to all ranks, and its error.
 *
 * The ranks of a node share its monotonic clock. The first rank of each node
 * learns the common time, that of rank 0's node, in ceil(lg nodes) steps from a
 * node that knows it already. A reading is the fastest of several round trips.
 * A straight line is fitted to the readings over time by the weighted median of
 * slopes; the weight is the time between two readings. A delayed round trip, or
 * one with unequal delays in its two directions, then hardly moves the line. A
 * drift that is not significant counts as 0.
 *
 * Source  Cristian, Distributed Computing 3, 1989 (the quickest round trip
 *         bounds the error); Theil, 1950, and Sen, JASA 63, 1968 (slopes);
 *         Hunold, Carpen-Amarie, IEEE Cluster, 2018 (the hierarchy). */
#ifndef CHORALE_RUNNERS_MEASURE_CLOCK_H
#define CHORALE_RUNNERS_MEASURE_CLOCK_H

#include "algorithms/context.h"

enum { CHORALE_CLOCK_READINGS = 48, CHORALE_CLOCK_CHECKS = 5 };

/* One reading: at local time `at` the local clock was ahead of common time by
 * `ahead` +- `bound`; s. */
struct chorale_reading {
    double at, ahead, bound;
};

struct chorale_clock {
    double (*read)(void *);  /* local clock, s; NULL: CLOCK_MONOTONIC */
    void *read_arg;
    /* common = local - ahead - drift (local - at) */
    double at, ahead, drift;
    double residual;         /* error of common time against rank 0's node, of
                              * the worst rank, s: found by the last check, or
                              * the median of the last checks if larger */
    double first_residual;   /* residual at the end of the agreement */
    double resolution;       /* smallest step seen, s */
    double last[CHORALE_CLOCK_CHECKS]; /* residuals of the last checks */
    int ncheck;
    int shared;              /* 1: all ranks read one clock, no correction */
    /* The hierarchy. */
    int leader, nleaders, lead_rank; /* index of this rank's node, number of
                                      * nodes, first rank of this node */
    int *lead;               /* first rank of each node */
    struct chorale_reading reading[CHORALE_CLOCK_READINGS];
    int nreading;
};

/* Agree on a common clock; collective over ctx. node[rank]: any numbers; ranks
 * with the same number share a clock. read may be set before. With several
 * nodes it takes at least half a second, or the drift would remain unknown.
 * Returns an MPI error code. */
int chorale_clock_agree(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node);

/* Compare with the common time of the other nodes, which gives the residual;
 * then add the new reading to the line. Collective. Of two checks in a row the
 * first measures the error of the old line, the second that of the new one. */
int chorale_clock_check(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node);

/* Common time now, s. */
double chorale_clock_now(const struct chorale_clock *clock);

/* Wait until common time t; returns at once if it has passed. gives: 1 to yield
 * the processor while waiting. Returns the last reading. */
double chorale_clock_wait(const struct chorale_clock *clock, double t,
                          int gives);

/* Fit the line through readings (n >= 1) by the weighted median of slopes. The
 * drift is 0 if it is within the scatter of the readings, if they span too
 * short a time, or if it is implausibly large. */
void chorale_clock_line(const struct chorale_reading *reading, int n,
                        double *at, double *ahead, double *drift);

void chorale_clock_release(struct chorale_clock *clock);

#endif
