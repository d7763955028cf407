/* SPDX-License-Identifier: BSD-3-Clause */
/* least_squares.h - parameters of a linear cost model from measured times, on plain
 * arrays: seconds = sum over j of x[j] * value[j]. */
#ifndef CHORALE_TUNER_MODEL_LEAST_SQUARES_H
#define CHORALE_TUNER_MODEL_LEAST_SQUARES_H

#include <stddef.h>

#include "db/err.h"

#define CHORALE_FIT_MAX 40

/* Above this condition number two parameters cannot be told apart. */
#define CHORALE_FIT_CONDITION 1e6

struct chorale_fit_data {
    size_t nrow, ncol;       /* ncol in [1, CHORALE_FIT_MAX] */
    const double *x;         /* [nrow * ncol] by rows, >= 0, finite */
    const double *seconds;   /* [nrow] > 0 */
    const double *start;     /* [ncol] values near the result; NULL: none */
    int wide;                /* far rows keep their say, up to a tenth of all:
                              * while the coefficients are not yet right, rows
                              * that a parameter does not touch would outvote
                              * those that it does */
};

struct chorale_fit_result {
    double value[CHORALE_FIT_MAX];
    double lo[CHORALE_FIT_MAX], hi[CHORALE_FIT_MAX]; /* 95 %; NAN: unknown */
    double median_error, worst_error; /* of |model / measured - 1| */
    double tail_error;       /* its 90th percentile */
    size_t worst_row;
    double scale;            /* robust spread of log(seconds / model) */
};

/* Condition number of the design, rows weighted by 1/seconds and columns
 * scaled to unit length; HUGE_VAL if singular or nrow < ncol. CHORALE_ENV:
 * out of memory. */
enum chorale_err chorale_fit_condition(const struct chorale_fit_data *data,
                                       double *condition_p,
                                       struct chorale_errmsg *msg);

/* Fit by relative error: iterated linearisation of log(seconds / model), first
 * by least absolute residuals, then with bisquare weights at a scale from their
 * median (so that outliers have no say, whatever they are), non-negative by
 * the active set of Lawson and Hanson, on the factor R of a QR decomposition.
 * The interval is Student's t on the robust covariance, cut at 0; a parameter
 * held at 0 has the upper end of its unconstrained interval.
 *
 * CHORALE_DATA: condition above CHORALE_FIT_CONDITION, a time that is not
 * positive. CHORALE_ENV: out of memory.
 * Source  Holland and Welsch, Communications in Statistics A6(9), 1977;
 * Lawson and Hanson, Solving Least Squares Problems, 1974. */
enum chorale_err chorale_fit(const struct chorale_fit_data *data,
                             struct chorale_fit_result *fit,
                             struct chorale_errmsg *msg);

/* Columns that the rows cannot tell from those before them, or that are zero
 * everywhere: drop[j] = 1; the first columns are kept first. Columns whose
 * drop[j] is 1 already stay out. CHORALE_ENV: out of memory. */
enum chorale_err chorale_fit_separate(const struct chorale_fit_data *data,
                                      unsigned char *drop,
                                      struct chorale_errmsg *msg);

/* The intervals of fit (of ncol parameters) from the same fit over k >= 2
 * independent launches, value[k][CHORALE_FIT_MAX]: by bootstrap over them
 * (tuner/model/bootstrap.h), which draws the launches for all parameters together.
 * Nothing happens for k < 2. CHORALE_ENV: out of memory. */
enum chorale_err chorale_fit_spread(struct chorale_fit_result *fit,
                                    size_t ncol,
                                    const double (*value)[CHORALE_FIT_MAX],
                                    size_t k, struct chorale_errmsg *msg);

/* Error of the model on the rows for which use[i] is set (NULL: all). scratch
 * has room for all rows. */
void chorale_fit_error(const struct chorale_fit_data *data,
                       const double *value, const unsigned char *use,
                       double *scratch, struct chorale_fit_result *fit);

/* Seconds of a row. */
double chorale_fit_row(const struct chorale_fit_data *data, size_t row,
                       const double *value);

#endif
