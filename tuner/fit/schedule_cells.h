/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_cells.h - points of imported algorithms with a known schedule. */
#ifndef CHORALE_TUNER_FIT_SCHEDULE_CELLS_H
#define CHORALE_TUNER_FIT_SCHEDULE_CELLS_H

#include "tuner/fit/schedule_features.h"
#include "tuner/model/observations.h"

/* Errors |predicted / measured - 1|: median and 90th percentile; NAN: no
 * points. */
struct chorale_schedule_error {
    size_t npoints;
    double median, tail;
};

enum chorale_schedule_sample {
    CHORALE_SAMPLE_IN,       /* points of the fit */
    CHORALE_SAMPLE_OUT,      /* process count left out, others on both sides */
    CHORALE_SAMPLE_END,      /* first or last process count left out */
    CHORALE_SAMPLES
};

/* One algorithm. Texts are those of the points. */
struct chorale_schedule_row {
    enum chorale_coll coll;
    const char *provider, *variant, *params;
    const char *schedule;    /* variant of the catalogue; NULL: not known */
    struct chorale_schedule_error model[CHORALE_SAMPLES];
    struct chorale_schedule_error corrected[CHORALE_SAMPLES]; /* by the process */
};

/* The runs of one algorithm at one point. */
struct chorale_schedule_cell {
    const struct chorale_run_point *run; /* the first of them */
    size_t row;              /* its algorithm */
    const struct chorale_alg *alg;
    struct chorale_features f;
    double log_seconds, variance, nlaunch; /* means over launches */
    double log_model;        /* of the fit in use */
    double error[2][2];      /* |predicted / measured - 1|: [in sample, left
                              * out][model, corrected] */
};

/* What is fitted. */
struct chorale_schedule_cells {
    struct chorale_schedule_cell *cell;
    size_t count;
    struct chorale_schedule_row *row; /* also without a known schedule */
    size_t nrow;
    size_t nmean;            /* runs left out, whose time is no duration */
};

/* Collect the durations of native and foreign runs. The caller frees cell and
 * row, also after an error. CHORALE_ENV: out of memory. */
enum chorale_err chorale_schedule_collect(const struct chorale_points *points,
                                          struct chorale_schedule_cells *cells,
                                          struct chorale_errmsg *msg);

/* The standard deviation of the log time of one launch: of the median cell with
 * several launches, or 0.05 without any. */
double chorale_schedule_noise(const struct chorale_schedule_cell *cell,
                              size_t count);

#endif
