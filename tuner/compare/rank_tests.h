/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_tests.h - rank tests for a shift between two samples: estimates,
 * intervals and exact p values without assumptions on the distribution. */
#ifndef CHORALE_TUNER_COMPARE_RANK_TESTS_H
#define CHORALE_TUNER_COMPARE_RANK_TESTS_H

#include <stddef.h>

/* Cache of computed null distributions. chorale_ranks_new() returns NULL if out
 * of memory. */
struct chorale_ranks;
struct chorale_ranks *chorale_ranks_new(void);
void chorale_ranks_free(struct chorale_ranks *ranks);

/* Largest sample with exact p values; beyond it the normal distribution with
 * continuity correction is used. */
#define CHORALE_RANKS_EXACT 50

/* The shift of the second sample against the first, in units of the values. */
struct chorale_shift {
    double estimate;         /* Hodges-Lehmann estimate */
    double lo, hi;           /* 95 % interval, two-sided; -INFINITY, INFINITY
                              * with too few values */
    double p_up, p_down;     /* one-sided; null: no shift above / below 0; ties
                              * are counted conservatively for both */
};

/* Two independent, non-empty samples: the median of all y - x, its interval
 * from their order statistics, and p by Mann and Whitney's U. Returns -1 if out
 * of memory.
 *
 * Sources: Mann, Whitney, Annals of Mathematical Statistics 18(1), 1947;
 * Hodges, Lehmann, Annals of Mathematical Statistics 34(2), 1963. */
int chorale_ranks_shift(struct chorale_ranks *ranks, const double *x, size_t nx,
                        const double *y, size_t ny,
                        struct chorale_shift *shift);

/* Pairs x[i], y[i] with n >= 1: the median of the means of any two differences,
 * including a difference with itself, and p by Wilcoxon's signed ranks. Returns
 * -1 if out of memory.
 *
 * Source: Wilcoxon, Biometrics Bulletin 1(6), 1945. */
int chorale_shift_paired(struct chorale_ranks *ranks, const double *x,
                         const double *y, size_t n,
                         struct chorale_shift *shift);

/* The smallest one-sided p for samples of these sizes: 1 / C(nx + ny, nx) for
 * two samples, 2^-n for n pairs. */
double chorale_shift_two_min_p(size_t nx, size_t ny);
double chorale_shift_paired_min_p(size_t n);

/* Adjust p values for multiple tests; each result is at most 1 and the order is
 * kept. Holm controls the probability of any false positive, under any
 * dependence of the tests. Benjamini and Hochberg control the share of false
 * positives among the positives. NAN values are ignored and stay NAN. family is
 * the number of the other values, or larger if tests were left out that could
 * not be significant. work needs room for count.
 *
 * Sources: Holm, Scandinavian J. of Statistics 6(2), 1979; Benjamini, Hochberg,
 * J. Royal Statistical Society B 57(1), 1995. */
void chorale_adjust_holm(const double *p, size_t count, size_t family,
                         double *adjusted, size_t *work);
void chorale_adjust_bh(const double *p, size_t count, double *adjusted,
                       size_t *work);

#endif
