/* SPDX-License-Identifier: BSD-3-Clause */
/* smooth_common.c - the common curve by generalised least squares. f is the
 * common curve and R its correlations. The measurements of algorithm a are
 * f[site] + own process + noise. f is normal with variance usual^2 R, the rest
 * with variance own^2 R[site, site] + noise^2. So only matrices of the size of
 * one algorithm are inverted. */
#include "tuner/decide/smooth_common.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUGGET 1e-6 /* of the variance: keeps the matrices regular */

/* Deviations of the own processes that are compared, as parts of the usual
 * one. */
static const double parts[] = { 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64,
                                1 };
enum { PARTS = sizeof(parts) / sizeof(parts[0]), MIDDLE = 6 };

struct work {
    const struct chorale_common_curve *curve;
    size_t ncurve, nsite;
    gsl_matrix *corr;        /* R */
    gsl_matrix *root;        /* lower triangle L with L L' = usual^2 R */
    gsl_matrix *own, *sum; /* scratch, [nsite][nsite] */
    gsl_vector *right, *v;   /* scratch, [nsite] */
    double *score;           /* [PARTS] log likelihood; NAN: not computed */
    double usual;
};

static double log_determinant(const gsl_matrix *root)
{
    double sum = 0;

    for (size_t i = 0; i < root->size1; i++)
        sum += 2 * log(gsl_matrix_get(root, i, i));
    return sum;
}

/* Add what algorithm c contributes to the normal equations for f. Returns its
 * part of -2 log likelihood. */
static double add_curve(struct work *w, const struct chorale_common_curve *c,
                        double own)
{
    gsl_matrix_view m = gsl_matrix_submatrix(w->own, 0, 0, c->n, c->n);
    double score = 0;

    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++)
            gsl_matrix_set(&m.matrix, i, j,
                           own * own * gsl_matrix_get(w->corr, c->site[i],
                                                      c->site[j]) +
                               (i == j ? c->at[i].noise * c->at[i].noise +
                                             NUGGET * w->usual * w->usual
                                       : 0));
    if (gsl_linalg_cholesky_decomp1(&m.matrix) != GSL_SUCCESS)
        return NAN;
    score = log_determinant(&m.matrix);
    if (gsl_linalg_cholesky_invert(&m.matrix) != GSL_SUCCESS)
        return NAN;
    for (size_t i = 0; i < c->n; i++) {
        double sum = 0;

        for (size_t j = 0; j < c->n; j++) {
            const double x = gsl_matrix_get(&m.matrix, i, j);

            sum += x * c->z[j];
            *gsl_matrix_ptr(w->sum, c->site[i], c->site[j]) += x;
        }
        *gsl_vector_ptr(w->right, c->site[i]) += sum;
        score += c->z[i] * sum;
    }
    return score;
}

/* Set v to the common curve for a deviation of the own processes. Returns the
 * log likelihood; NAN: numerically singular. */
static double try_own(struct work *w, double own)
{
    double score = 0, product;

    gsl_matrix_set_zero(w->sum);
    gsl_vector_set_zero(w->right);
    for (size_t c = 0; c < w->ncurve; c++)
        score += add_curve(w, &w->curve[c], own);
    /* f = L (I + L' Q L)^-1 L' b, with Q in sum and b in right. */
    gsl_blas_dtrmm(CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, 1,
                   w->root, w->sum);
    gsl_blas_dtrmm(CblasLeft, CblasLower, CblasTrans, CblasNonUnit, 1, w->root,
                   w->sum);
    for (size_t i = 0; i < w->nsite; i++)
        *gsl_matrix_ptr(w->sum, i, i) += 1;
    gsl_blas_dtrmv(CblasLower, CblasTrans, CblasNonUnit, w->root, w->right);
    gsl_vector_memcpy(w->v, w->right);
    if (gsl_linalg_cholesky_decomp1(w->sum) != GSL_SUCCESS ||
        gsl_linalg_cholesky_svx(w->sum, w->v) != GSL_SUCCESS)
        return NAN;
    gsl_blas_ddot(w->right, w->v, &product);
    score += log_determinant(w->sum) - product;
    gsl_blas_dtrmv(CblasLower, CblasNoTrans, CblasNonUnit, w->root, w->v);
    return -score / 2;
}

static double score_at(struct work *w, int part)
{
    if (isnan(w->score[part]))
        w->score[part] = try_own(w, parts[part] * w->usual);
    return isnan(w->score[part]) ? -INFINITY : w->score[part];
}

/* Climb to the most likely part, whose common curve is in v. */
static double most_likely(struct work *w)
{
    int at = MIDDLE;

    for (int i = 0; i < PARTS; i++)
        w->score[i] = NAN;
    while (at + 1 < PARTS && score_at(w, at + 1) > score_at(w, at))
        at++;
    while (at > 0 && score_at(w, at - 1) > score_at(w, at))
        at--;
    try_own(w, parts[at] * w->usual);
    return parts[at] * w->usual;
}

static int allocate(struct work *w)
{
    const size_t n = w->nsite;

    w->corr = gsl_matrix_alloc(n, n);
    w->root = gsl_matrix_alloc(n, n);
    w->own = gsl_matrix_alloc(n, n);
    w->sum = gsl_matrix_alloc(n, n);
    w->right = gsl_vector_alloc(n);
    w->v = gsl_vector_alloc(n);
    return w->corr != NULL && w->root != NULL && w->own != NULL &&
                   w->sum != NULL && w->right != NULL && w->v != NULL
               ? 0 : -1;
}

static void release(struct work *w)
{
    gsl_matrix_free(w->corr);
    gsl_matrix_free(w->root);
    gsl_matrix_free(w->own);
    gsl_matrix_free(w->sum);
    gsl_vector_free(w->right);
    gsl_vector_free(w->v);
}

int chorale_common_fit(const struct chorale_common_curve *curve, size_t ncurve,
                       const struct chorale_krige_at *site, size_t nsite,
                       double usual, const double length[2], double *common,
                       double *own_p)
{
    double score[PARTS];
    struct work w = { .curve = curve, .ncurve = ncurve, .nsite = nsite,
                      .score = score, .usual = usual };
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int rc = allocate(&w);

    for (size_t i = 0; i < nsite && rc == 0; i++)
        for (size_t j = 0; j < nsite; j++) {
            const double r = chorale_krige_correlation(&site[i], &site[j],
                                                       length) +
                             (i == j ? NUGGET : 0);

            gsl_matrix_set(w.corr, i, j, r);
            gsl_matrix_set(w.root, i, j, usual * usual * r);
        }
    *own_p = usual;
    if (rc == 0 && gsl_linalg_cholesky_decomp1(w.root) == GSL_SUCCESS) {
        *own_p = most_likely(&w);
        for (size_t i = 0; i < nsite; i++)
            common[i] = gsl_vector_get(w.v, i);
    } else if (rc == 0) {
        memset(common, 0, nsite * sizeof(*common));
    }
    release(&w);
    gsl_set_error_handler(handler);
    return rc;
}
