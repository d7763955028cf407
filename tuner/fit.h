/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - parameters of a linear cost model from measured times, on plain
 * arrays: seconds = sum over j of x[j] * value[j]. */
#ifndef CHORALE_TUNER_FIT_H
#define CHORALE_TUNER_FIT_H

#include <stddef.h>

#include "db/err.h"

#define CHORALE_FIT_MAX 10

/* Above this condition number two parameters cannot be told apart. */
#define CHORALE_FIT_CONDITION 1e6

struct chorale_fit_data {
    size_t nrow, ncol;       /* ncol in [1, CHORALE_FIT_MAX] */
    const double *x;         /* [nrow * ncol] by rows, >= 0, finite */
    const double *seconds;   /* [nrow] > 0 */
};

struct chorale_fit_result {
    double value[CHORALE_FIT_MAX];
    double lo[CHORALE_FIT_MAX], hi[CHORALE_FIT_MAX]; /* 95 %; NAN: unknown */
    double median_error, worst_error; /* of |model / measured - 1| */
    double tail_error;       /* its 90th percentile */
    size_t worst_row;
};

/* Condition number of the design, rows weighted by 1/seconds and columns
 * scaled to unit length; HUGE_VAL if singular or nrow < ncol. CHORALE_ENV:
 * out of memory. */
enum chorale_err chorale_fit_condition(const struct chorale_fit_data *data,
                                       double *condition_p,
                                       struct chorale_errmsg *msg);

/* Fit by relative error: iterated linearisation of log(seconds / model),
 * bisquare weights against outliers (ordinary least squares where the model
 * is exact or points are few), non-negative by enumeration of the active set.
 * The interval is Student's t on the covariance, cut at 0; a parameter held
 * at 0 has the upper end of its unconstrained interval.
 *
 * CHORALE_DATA: condition above CHORALE_FIT_CONDITION, a time that is not
 * positive. CHORALE_ENV: out of memory.
 * Source  Holland and Welsch, Communications in Statistics A6(9), 1977;
 * Hockney, Parallel Computing 20(3), 1994. */
enum chorale_err chorale_fit(const struct chorale_fit_data *data,
                             struct chorale_fit_result *fit,
                             struct chorale_errmsg *msg);

/* Widen the intervals of fit (of ncol parameters) where the spread of the
 * same fit over k independent launches, value[k][CHORALE_FIT_MAX], asks for
 * it (t, k - 1 degrees of freedom). Nothing happens for k < 2. */
void chorale_fit_widen(struct chorale_fit_result *fit, size_t ncol,
                       const double (*value)[CHORALE_FIT_MAX], size_t k);

/* Error of the model on the rows for which use[i] is set (NULL: all). */
void chorale_fit_error(const struct chorale_fit_data *data,
                       const double *value, const unsigned char *use,
                       double *scratch, struct chorale_fit_result *fit);

#endif
