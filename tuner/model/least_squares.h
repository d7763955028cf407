/* SPDX-License-Identifier: BSD-3-Clause */
/* least_squares.h - robust fit of a linear cost model to measured times, on
 * plain arrays: seconds = sum over j of x[j] * value[j]. */
#ifndef CHORALE_TUNER_MODEL_LEAST_SQUARES_H
#define CHORALE_TUNER_MODEL_LEAST_SQUARES_H

#include <stddef.h>

#include "db/err.h"

#define CHORALE_FIT_MAX 64

/* Above this condition number the parameters are not identifiable. */
#define CHORALE_FIT_CONDITION 1e6

struct chorale_fit_data {
    size_t nrow, ncol;       /* ncol in [1, CHORALE_FIT_MAX] */
    const double *x;         /* [nrow * ncol] by rows, >= 0, finite */
    const double *seconds;   /* [nrow] > 0 */
    const double *start;     /* [ncol] initial values, or NULL */
    int wide;                /* keep the weight of up to a tenth of the rows
                              * with large residuals. Far from the solution
                              * these may be the only rows that depend on a
                              * parameter */
};

struct chorale_fit_result {
    double value[CHORALE_FIT_MAX];
    double lo[CHORALE_FIT_MAX], hi[CHORALE_FIT_MAX]; /* 95 %; NAN: unset */
    double median_error, worst_error; /* of |model / measured - 1| */
    double tail_error;       /* 90th percentile of the same */
    size_t worst_row;
    double scale;            /* robust spread of log(seconds / model) */
};

/* Condition number of the design matrix, with rows weighted by 1/seconds and
 * columns scaled to unit length. *condition_p is HUGE_VAL if the matrix is
 * singular or nrow < ncol. CHORALE_ENV: out of memory. */
enum chorale_err chorale_fit_condition(const struct chorale_fit_data *data,
                                       double *condition_p,
                                       struct chorale_errmsg *msg);

/* Fit by relative error: iterated linearisation of log(seconds / model).
 * The first rounds minimise absolute residuals. Later rounds use bisquare
 * weights scaled by the median residual, so that outliers get weight 0. Values
 * are non-negative by the active-set method of Lawson and Hanson, on the factor
 * R of a QR decomposition. Intervals are Student's t on the robust covariance,
 * truncated at 0; a parameter held at 0 has the upper end of its unconstrained
 * interval.
 *
 * CHORALE_DATA: condition above CHORALE_FIT_CONDITION, or a time that is not
 * positive. CHORALE_ENV: out of memory.
 * Source  Holland and Welsch, Communications in Statistics A6(9), 1977;
 * Lawson and Hanson, Solving Least Squares Problems, 1974. */
enum chorale_err chorale_least_squares_fit(const struct chorale_fit_data *data,
                                           struct chorale_fit_result *fit,
                                           struct chorale_errmsg *msg);

/* Set drop[j] = 1 for columns that are zero in all rows or linearly dependent
 * on earlier kept columns. Columns with drop[j] = 1 at entry stay dropped.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_fit_separate(const struct chorale_fit_data *data,
                                      unsigned char *drop,
                                      struct chorale_errmsg *msg);

/* Replace the intervals of fit (ncol parameters) by bootstrap intervals over
 * the fits value[k] of k independent launches. The launches are resampled
 * jointly for all parameters. k < 2: no change. CHORALE_ENV: out of memory. */
enum chorale_err chorale_fit_spread(struct chorale_fit_result *fit,
                                    size_t ncol,
                                    const double (*value)[CHORALE_FIT_MAX],
                                    size_t k, struct chorale_errmsg *msg);

/* Set the error fields of fit to those of the model on the rows with use[i] set
 * (NULL: all rows). scratch: [nrow]. */
void chorale_fit_error(const struct chorale_fit_data *data,
                       const double *value, const unsigned char *use,
                       double *scratch, struct chorale_fit_result *fit);

/* Seconds of one row according to the model. */
double chorale_fit_row(const struct chorale_fit_data *data, size_t row,
                       const double *value);

#endif
