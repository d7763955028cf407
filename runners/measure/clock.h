/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - a clock that all ranks agree on, and how well they do.
 *
 * Ranks of one node share its monotonic clock. The first rank of each node
 * learns the common time, that of rank 0's node, in ceil(lg nodes) steps: who
 * knows it serves one that does not. A reading is the quickest of some round
 * trips. Readings over time give a straight line, by the median of slopes,
 * weighted by how far apart the readings are, so that neither a delayed trip
 * nor a delay that is longer one way than the other moves it much; a drift that
 * the readings do not show is taken as none.
 *
 * Source  Cristian, Distributed Computing 3, 1989 (the quickest round trip
 *         bounds the error); Theil, 1950, and Sen, JASA 63, 1968 (slopes);
 *         Hunold, Carpen-Amarie, IEEE Cluster, 2018 (the hierarchy). */
#ifndef CHORALE_RUNNERS_MEASURE_CLOCK_H
#define CHORALE_RUNNERS_MEASURE_CLOCK_H

#include "algorithms/context.h"

enum { CHORALE_CLOCK_READINGS = 48, CHORALE_CLOCK_CHECKS = 5 };

/* One reading: at local time at, the local clock was ahead by so much. */
struct chorale_reading {
    double at, ahead, bound;
};

struct chorale_clock {
    double (*read)(void *);  /* the local clock, s; NULL: the node's own */
    void *read_arg;
    /* common = local - ahead - drift (local - at) */
    double at, ahead, drift;
    double residual;         /* how far common time was off that of rank 0's
                              * node, the worst rank's, s: what the last check
                              * found, or the median of the last ones if that
                              * is more */
    double first_residual;   /* at the end of the agreement */
    double resolution;       /* smallest step seen, s */
    double last[CHORALE_CLOCK_CHECKS]; /* what they found */
    int ncheck;
    int shared;              /* all ranks read one clock: nothing to correct */
    /* What the hierarchy needs. */
    int leader, nleaders, lead_rank; /* this rank's node, how many, and its
                                      * first rank */
    int *lead;               /* first rank of each node */
    struct chorale_reading reading[CHORALE_CLOCK_READINGS];
    int nreading;
};

/* Agree on a common clock; collective over ctx. node: of each rank, any
 * numbers (ranks of one number share a clock); read may be set before. Between
 * nodes it takes half a second, or the drift would not be known. Returns an MPI
 * error code. */
int chorale_clock_agree(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node);

/* Compare with the others' common time, which gives the residual, then take
 * the new reading into the line. Collective. Two in a row say how good the
 * line is from then on: the first finds what it was off before. */
int chorale_clock_check(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node);

/* Common time now [s]. */
double chorale_clock_now(const struct chorale_clock *clock);

/* Return at common time t, at once if it has passed; gives: let others run
 * meanwhile. Returns the last reading. */
double chorale_clock_wait(const struct chorale_clock *clock, double t,
                          int gives);

/* The line through readings (n >= 1) by the weighted median of slopes; drift 0
 * where it is smaller than what their scatter allows to see, where they span
 * too short a time, and where it is more than a clock can have. */
void chorale_clock_line(const struct chorale_reading *reading, int n,
                        double *at, double *ahead, double *drift);

void chorale_clock_release(struct chorale_clock *clock);

#endif
