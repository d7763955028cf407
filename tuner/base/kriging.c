/* SPDX-License-Identifier: BSD-3-Clause */
/* kriging.c - Gaussian process regression in two dimensions. */
#include "tuner/base/kriging.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUGGET 1e-6  /* of the variance: keeps the matrix regular */
#define WEIGHT 4.0   /* weight of the usual deviation, in measurements */
#define LEAST_SD 0.0005

double chorale_krige_correlation(const struct chorale_krige_at *a,
                                 const struct chorale_krige_at *b,
                                 const double length[2])
{
    double r = exp(-fabs(a->x - b->x) / length[0] -
                   fabs(a->y - b->y) / length[1]);

    for (int i = 0; i < CHORALE_KRIGE_KINDS; i++)
        if (a->kin[i] != b->kin[i])
            r *= CHORALE_KRIGE_KIN;
    return r;
}

/* Invert the correlation matrix. -1: singular. */
static int invert(struct chorale_krige *k)
{
    gsl_matrix_view m = gsl_matrix_view_array(k->inverse, k->n, k->n);

    for (size_t i = 0; i < k->n; i++)
        for (size_t j = 0; j < k->n; j++)
            k->inverse[i * k->n + j] =
                chorale_krige_correlation(&k->at[i], &k->at[j], k->length) +
                (i == j ? NUGGET + k->nugget +
                              pow(k->at[i].noise / k->usual, 2)
                        : 0);
    if (gsl_linalg_cholesky_decomp1(&m.matrix) != GSL_SUCCESS)
        return -1;
    return gsl_linalg_cholesky_invert(&m.matrix) == GSL_SUCCESS ? 0 : -1;
}

/* Compute the weights of the measurements and set the standard deviation.
 * Returns the leave-one-out criterion; smaller is better. */
static double leave_one_out(struct chorale_krige *k, const double *z,
                            double usual)
{
    double squares = 0, logs = 0, n = (double)k->n;

    for (size_t i = 0; i < k->n; i++) {
        double own = k->inverse[i * k->n + i];

        k->weight[i] = 0;
        for (size_t j = 0; j < k->n; j++)
            k->weight[i] += k->inverse[i * k->n + j] * (z[j] - k->mean);
        squares += k->weight[i] * k->weight[i] / own;
        logs -= log(own);
    }
    squares = (squares + WEIGHT * usual * usual) / (n + WEIGHT);
    k->sd = fmax(sqrt(squares), LEAST_SD);
    return n * log(squares) + logs;
}

/* Try all lengths, store the best; those of the last trial stay set. */
static int search(struct chorale_krige *k, const double *z, double usual,
                  double best[2])
{
    static const double x[] = { 3, 8, 24 }, y[] = { 1.5, 4, 12 };
    double least = INFINITY;
    int found = 0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double score;

            k->length[0] = x[i];
            k->length[1] = y[j];
            if (invert(k) != 0)
                continue;
            score = leave_one_out(k, z, usual);
            if (score < least) {
                least = score;
                best[0] = x[i];
                best[1] = y[j];
                found = 1;
            }
        }
    return found ? 0 : -1;
}

int chorale_krige_fit(struct chorale_krige *k,
                      const struct chorale_krige_at *at, const double *z,
                      size_t n, double noise, double usual,
                      const double *length, const double *mean)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double best[2] = { 8, 4 };

    *k = (struct chorale_krige){ .n = n, .sd = usual, .usual = usual,
                                 .length = { 8, 4 } };
    k->at = malloc((n + 1) * sizeof(*k->at));
    k->inverse = malloc((n * n + 1) * sizeof(double));
    k->weight = calloc(n + 1, sizeof(double));
    k->near = calloc(n + 1, sizeof(double));
    if (k->at == NULL || k->inverse == NULL || k->weight == NULL ||
        k->near == NULL) {
        k->n = 0;
        gsl_set_error_handler(handler);
        return -1;
    }
    k->nugget = noise * noise / (usual * usual);
    k->mean = mean != NULL ? *mean : 0;
    for (size_t i = 0; i < n; i++) {
        k->at[i] = at[i];
        k->mean += mean != NULL ? 0 : z[i] / (double)n;
    }
    if (length != NULL)
        memcpy(best, length, sizeof(best));
    else if (n > 0 && search(k, z, usual, best) != 0)
        k->n = 0; /* predict the mean everywhere */
    memcpy(k->length, best, sizeof(best));
    if (k->n > 0 && invert(k) == 0)
        leave_one_out(k, z, usual);
    else
        k->n = 0;
    gsl_set_error_handler(handler);
    return 0;
}

void chorale_krige_release(struct chorale_krige *k)
{
    free(k->at);
    free(k->inverse);
    free(k->weight);
    free(k->near);
}

double chorale_krige_expect(const struct chorale_krige *k,
                            const struct chorale_krige_at *at, double *sd_p)
{
    double mean = k->mean, known = 0;

    for (size_t i = 0; i < k->n; i++)
        k->near[i] = chorale_krige_correlation(at, &k->at[i], k->length);
    for (size_t i = 0; i < k->n; i++) {
        double sum = 0;

        mean += k->near[i] * k->weight[i];
        if (sd_p == NULL)
            continue;
        for (size_t j = 0; j < k->n; j++)
            sum += k->inverse[i * k->n + j] * k->near[j];
        known += k->near[i] * sum;
    }
    if (sd_p != NULL)
        *sd_p = k->sd * sqrt(fmax(0, 1 - known));
    return mean;
}

double chorale_krige_variance(double v, double n)
{
    return v / pow(1 - 2 / (9 * (n - 1)), 3);
}
