/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_fit.h - fit a model to imported times of algorithms whose schedule is
 * known, at up to thousands of ranks.
 *
 * The time of a call is a sum of parameters (all >= 0) times features of its
 * schedule (schedule_features.h): messages and bytes inside a node and between
 * nodes in each regime of message sizes, messages in flight at once, messages
 * and bytes that the ranks of a node send through its port, reduced and copied
 * bytes, and a constant. Up to two sizes at which protocols change are those
 * that reduce the error most. Launches of a cell are averaged.
 *
 * What an implementation of a schedule takes in addition is learnt as well: the
 * logarithm of measured over predicted time of each schedule is a Gaussian
 * process over size and process count (kriging.h).
 *
 * Cross-validation: each process count is left out of both fits, but the sizes
 * at which protocols change are those of all points. The first and the last
 * count of an algorithm are extrapolations. */
#ifndef CHORALE_TUNER_FIT_SCHEDULE_FIT_H
#define CHORALE_TUNER_FIT_SCHEDULE_FIT_H

#include <jansson.h>

#include "tuner/fit/schedule_cells.h"
#include "tuner/model/least_squares.h"

#define CHORALE_SCHEDULE_BREAKS 2

struct chorale_schedule_fit {
    int nbreak;
    double upto[CHORALE_SCHEDULE_BREAKS]; /* bytes, ascending */
    size_t ncol;
    double value[CHORALE_FIT_MAX];
    char name[CHORALE_FIT_MAX][24]; /* "alpha net over 4096" */
    const char *unit[CHORALE_FIT_MAX]; /* "s", "s/byte" */
    size_t nrow;
    struct chorale_schedule_row *row;
    size_t npoints;          /* with a known schedule */
    size_t nmean;            /* runs left out, whose time is no duration */
};

/* Fit to the durations among the native and foreign runs of points. *fit is
 * unchanged, and *found_p is 0, if fewer than 10 of their points have a known
 * schedule. asked: polled; nonzero stops the fit with CHORALE_STOPPED; or
 * NULL. */
enum chorale_err chorale_schedule_fit(const struct chorale_points *points,
                                      int (*asked)(void),
                                      struct chorale_schedule_fit *fit,
                                      int *found_p,
                                      struct chorale_errmsg *msg);
void chorale_schedule_fit_release(struct chorale_schedule_fit *fit);

/* Print the fit of a system, or give it as JSON (NULL: out of memory, or a name
 * is not UTF-8). */
void chorale_schedule_fit_print(const char *system,
                                const struct chorale_schedule_fit *fit);
json_t *chorale_schedule_fit_json(const char *system,
                                  const struct chorale_schedule_fit *fit);

#endif
