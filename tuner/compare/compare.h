/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - is a collective slower than it was? The judge works on arrays
 * alone: what is in a database comes to it by compare_load.c. */
#ifndef CHORALE_TUNER_COMPARE_COMPARE_H
#define CHORALE_TUNER_COMPARE_COMPARE_H

#include <stddef.h>

#include "tuner/compare/rank_tests.h"

/* Natural logarithms of the launches' medians of one cell on one side; a launch
 * is one value. */
struct chorale_series {
    const double *x;
    size_t n;
};

/* Launches of both sides: the first ones, and those in which cells that had
 * looked slower were measured again. paired: again_base.x[i] and
 * again_head.x[i] are neighbours in time, as many of each. */
struct chorale_sides {
    struct chorale_series base, head, again_base, again_head;
    int paired;
};

enum chorale_verdict_kind {
    CHORALE_SLOWER,
    CHORALE_SUSPECT,         /* undecided: looks slower, to be measured again */
    CHORALE_MACHINE,         /* undecided: slower, and so is the machine */
    CHORALE_UNDECIDED,
    CHORALE_TOO_FEW,         /* not enough data */
    CHORALE_FASTER,
    CHORALE_SAME,
    CHORALE_NEW,
    CHORALE_GONE,
    CHORALE_NVERDICT
};

/* One cell, and what became of it. NAN: unknown. */
struct chorale_compared {
    struct chorale_sides sides;
    unsigned long long canaries; /* bit k: canary k speaks for it */

    enum chorale_verdict_kind verdict;
    int again;               /* the verdict is of the second measurement */
    int looks_slower;        /* in the first one */
    struct chorale_shift shift; /* log(head / base) that the verdict is of */
    double p, adjusted;      /* that it is of: one-sided for slower, corrected
                              * as the verdict asks */
    double machine;          /* log of what canaries took off it, 0: none */
};

/* What nobody changed, measured on both sides: messages, the library where it
 * is the same. */
struct chorale_canary {
    const char *name;
    struct chorale_sides sides;

    struct chorale_shift first, again; /* NAN where it was not measured */
    int moved, moved_again;  /* 1: slower, -1: faster */
};

struct chorale_compare_opts {
    double threshold;        /* a change of 2 % counts: 0.02 */
    double screen;           /* one-sided p at which a cell looks slower */
    double alpha;            /* of any false red in the whole comparison */
    double fdr;              /* of false ones among what is faster */
    size_t min_launches;     /* on each side */
    int exact;               /* simulated: one value says all */
    int unpaired;            /* red also by launches that were not made in
                              * turn, or by the first measurement */
};
#define CHORALE_COMPARE_DEFAULTS                                             \
    {                                                                        \
        .threshold = 0.02, .screen = 0.15, .alpha = 0.005, .fdr = 0.05,      \
        .min_launches = 5                                                    \
    }

/* Launches on each side with which flagged cells are measured again. */
#define CHORALE_COMPARE_AGAIN 30

/* Judge all cells of a comparison. The rule:
 *
 * - The unit is the launch. A change is the median over all pairs of launches,
 *   one of each side, of log(head / base), with the interval that Mann and
 *   Whitney's test gives it: so it has in it what differs between launches, and
 *   one launch gone astray moves neither.
 * - A cell looks slower if its one-sided p is at most screen and its change
 *   above half the threshold. That is cheap to say of too many: they are
 *   measured again.
 * - slower: measured again in launches of their own, a pair of neighbours in
 *   time after the other, the change is above the threshold and its p, of these
 *   launches alone by the test of signed ranks, at most alpha after Holm's
 *   correction over all cells that were measured again. A machine that drifts
 *   or is slow for a while does not disturb that.
 * - unpaired: slower also by a second measurement that was not made in turn,
 *   corrected over those cells; of head alone, against base's first launches
 *   and corrected over all cells that were tested, as base's luck is in both
 *   looks; or, with none, by the first, likewise. All of it believes that the
 *   machine was the same, which tests/bench/calibrate.c shows the price of.
 * - A canary that is slower (p at most 0.01, above half the threshold) takes
 *   its own change off the cells that it speaks for; those that are slower only
 *   without that are the machine's: undecided.
 * - faster: faster by more than the threshold, p after Benjamini and Hochberg's
 *   correction at most fdr. It needs no second look, as nothing is red by it.
 * - same: the interval is within the threshold on both sides.
 * - exact: the last values are held against each other; a difference above 1e-9
 *   that is above the threshold counts.
 *
 * -1: out of memory. */
int chorale_compare_judge(struct chorale_compared *cell, size_t count,
                          struct chorale_canary *canary, size_t ncanary,
                          const struct chorale_compare_opts *opts);

/* How many pairs of launches make red possible, if so many cells are measured
 * again; launches on each side, if a first measurement of so many shall do. */
size_t chorale_compare_pairs(size_t ncell, double alpha);
size_t chorale_compare_launches(size_t ncell, double alpha);

#endif
