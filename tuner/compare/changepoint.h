/* SPDX-License-Identifier: BSD-3-Clause */
/* changepoint.h - detects changes of level in a time series. */
#ifndef CHORALE_TUNER_COMPARE_CHANGEPOINT_H
#define CHORALE_TUNER_COMPARE_CHANGEPOINT_H

#include <stddef.h>
#include <stdint.h>

/* A change: values from index first on differ from those before it. */
struct chorale_change {
    size_t first;
    double p;                /* of the permutation test */
    double before, after;    /* medians of the segments on both sides */
};

/* Find the changes of the distribution of x[n] by hierarchical energy
 * statistics (E-divisive with exponent 1). Each step splits the segments at the
 * place where both sides differ most. It continues while the p value of that
 * difference is at most level, under shuffling within each segment. A test
 * takes up to rounds shuffles, fewer if the result is clear early. Each change
 * is then moved to where two medians leave the least absolute deviations. A
 * segment has at least two values.
 *
 * change[] needs room for n; it is filled in order. Equal seeds give equal p.
 * Returns the number of changes, or -1 if out of memory.
 *
 * Sources: Matteson, James, J. American Statistical Association 109(505), 2014;
 * for stopping early: Besag, Clifford, Biometrika 78(2), 1991. */
long chorale_changes_find(const double *x, size_t n, double level, long rounds,
                          uint64_t seed, struct chorale_change *change);

/* The same for simulated series, which are exact: every value that differs from
 * its predecessor by more than 1e-9 is a change. change[] needs room for n. */
long chorale_changes_find_exact(const double *x, size_t n,
                                struct chorale_change *change);

/* The smallest p that n values can give: the two halves can come out unchanged
 * or swapped by chance. */
double chorale_changes_min_p(size_t n);

#endif
