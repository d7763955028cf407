/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_tests.h - shifts between two samples by ranks: estimates, intervals and
 * exact p values that ask nothing of the distribution. */
#ifndef CHORALE_TUNER_COMPARE_RANK_TESTS_H
#define CHORALE_TUNER_COMPARE_RANK_TESTS_H

#include <stddef.h>

/* Null distributions as far as they were asked for. NULL: out of memory. */
struct chorale_ranks;
struct chorale_ranks *chorale_ranks_new(void);
void chorale_ranks_free(struct chorale_ranks *ranks);

/* Up to so many values of a sample p values are exact; beyond, of the normal
 * distribution with continuity correction. */
#define CHORALE_RANKS_EXACT 50

/* How much the second sample is above the first, in the unit of the values. */
struct chorale_shift {
    double estimate;         /* Hodges and Lehmann's */
    double lo, hi;           /* 95 % interval, two-sided; -INFINITY, INFINITY:
                              * too few values for one */
    double p_up, p_down;     /* one-sided, of no shift above, below 0; ties
                              * count against either, so neither is too small */
};

/* Two independent samples: the median of all y - x, its interval by the order
 * statistics of these, p by Mann and Whitney's U. Neither may be empty. -1: out
 * of memory.
 * Source  Mann, Whitney, Annals of Mathematical Statistics 18(1), 1947;
 *         Hodges, Lehmann, Annals of Mathematical Statistics 34(2), 1963. */
int chorale_shift_two(struct chorale_ranks *ranks, const double *x, size_t nx,
                      const double *y, size_t ny, struct chorale_shift *shift);

/* Pairs x[i], y[i]: the median of the means of two differences, each with
 * itself too, and p by Wilcoxon's signed ranks. n >= 1. -1: out of memory.
 * Source  Wilcoxon, Biometrics Bulletin 1(6), 1945. */
int chorale_shift_paired(struct chorale_ranks *ranks, const double *x,
                         const double *y, size_t n,
                         struct chorale_shift *shift);

/* The smallest one-sided p that samples of these sizes can give: of two
 * samples 1 / C(nx + ny, nx), of n pairs 2^-n. */
double chorale_shift_two_least(size_t nx, size_t ny);
double chorale_shift_paired_least(size_t n);

/* Adjusted p values, each at most 1, no order changed. Holm: P(any false) is
 * at most what they are compared with, however the tests depend on each other.
 * Benjamini and Hochberg: the share of false ones is. family: count, or more if
 * tests were left out that could not have mattered; work: [count]. p that are
 * NAN are left alone.
 * Source  Holm, Scandinavian J. of Statistics 6(2), 1979; Benjamini, Hochberg,
 *         J. Royal Statistical Society B 57(1), 1995. */
void chorale_adjust_holm(const double *p, size_t count, size_t family,
                         double *adjusted, size_t *work);
void chorale_adjust_bh(const double *p, size_t count, double *adjusted,
                       size_t *work);

#endif
