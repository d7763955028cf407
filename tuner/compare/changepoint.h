/* SPDX-License-Identifier: BSD-3-Clause */
/* changepoint.h - where a series changed. */
#ifndef CHORALE_TUNER_COMPARE_CHANGEPOINT_H
#define CHORALE_TUNER_COMPARE_CHANGEPOINT_H

#include <stddef.h>
#include <stdint.h>

/* Values from first on, up to the next change, are otherwise than before. */
struct chorale_change {
    size_t first;
    double p;                /* of the permutation test that found it */
    double before, after;    /* medians of the stretches on both sides */
};

/* Changes of the distribution of x[n], in order: hierarchical energy statistics
 * (E-divisive with exponent 1). Each step splits the stretches that there are
 * at the one place where the two sides differ the most, and goes on if so large
 * a difference comes with a chance of at most level when the values of each
 * stretch are shuffled; up to rounds times, fewer where it is clear early.
 * Where exactly is then where two medians leave the least absolute deviations.
 * Stretches have two values at least. change[] has room for n. seed: the same
 * gives the same p. Returns their number, -1: out of memory.
 * Source  Matteson, James, J. American Statistical Association 109(505), 2014;
 *         stopping early: Besag, Clifford, Biometrika 78(2), 1991. */
long chorale_changes(const double *x, size_t n, double level, long rounds,
                     uint64_t seed, struct chorale_change *change);

/* Simulated series are exact: every value that is not the one before it, by
 * more than 1e-9, is a change. change[] has room for n. */
long chorale_changes_exact(const double *x, size_t n,
                           struct chorale_change *change);

/* The smallest p that so many values can give, at best: by chance the halves
 * come out as they were, or the other way round. */
double chorale_changes_least(size_t n);

#endif
