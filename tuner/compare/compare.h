/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - judges whether collectives became slower. The judge works on
 * arrays only; compare_load.c reads them from databases. */
#ifndef CHORALE_TUNER_COMPARE_COMPARE_H
#define CHORALE_TUNER_COMPARE_COMPARE_H

#include <stddef.h>

#include "tuner/compare/rank_tests.h"

/* Natural logarithms of the launch medians of one cell on one side, one value a
 * launch. */
struct chorale_series {
    const double *x;
    size_t n;
};

/* Launches of both sides. `again` are the launches of the second measurement,
 * made for cells that looked slower. paired: again_base.x[i] and
 * again_head.x[i] were measured next to each other in time; both have equal
 * length. */
struct chorale_sides {
    struct chorale_series base, head, again_base, again_head;
    int paired;
};

enum chorale_verdict_kind {
    CHORALE_SLOWER,
    CHORALE_SUSPECT,         /* undecided: looks slower, and was not measured
                              * again in turn */
    CHORALE_MACHINE,         /* undecided: the machine changed in the same
                              * direction */
    CHORALE_UNDECIDED,
    CHORALE_TOO_FEW,         /* too few launches */
    CHORALE_FASTER,
    CHORALE_SAME,
    CHORALE_NEW,
    CHORALE_GONE,
    CHORALE_NVERDICT
};

/* One cell and its verdict. NAN: unknown. */
struct chorale_compared {
    struct chorale_sides sides;
    unsigned long long canaries; /* bit k: canary k applies to this cell */

    enum chorale_verdict_kind verdict;
    int again;               /* the verdict is of the second measurement */
    int looks_slower;        /* in the first measurement */
    struct chorale_shift shift; /* log(head / base) behind the verdict */
    double p, adjusted;      /* p of its test, one-sided for slower; adjusted
                              * for the number of tests */
    double machine;          /* log change that canaries explain, or 0 */
};

/* A canary: unchanged work measured on both sides, as messages, or the default
 * of a library that both sides share. */
struct chorale_canary {
    const char *name;
    struct chorale_sides sides;

    struct chorale_shift first, again; /* NAN where not measured */
    int moved, moved_again;  /* 1: slower, -1: faster, 0: unchanged */
};

struct chorale_compare_opts {
    double threshold;        /* relative change that counts: 0.02 is 2 % */
    double screen;           /* one-sided p at which a cell looks slower */
    double alpha;            /* P(any false "slower" in the comparison) */
    double fdr;              /* false discovery rate among faster cells */
    size_t min_launches;     /* on each side */
    int exact;               /* simulated: one value is enough */
    int unpaired;            /* accept "slower" also from launches that were
                              * not in turn, or from the first measurement */
};
#define CHORALE_COMPARE_DEFAULTS                                             \
    {                                                                        \
        .threshold = 0.02, .screen = 0.15, .alpha = 0.005, .fdr = 0.05,      \
        .min_launches = 5                                                    \
    }

/* Default launches on each side in a second measurement. */
#define CHORALE_COMPARE_AGAIN 30

/* Judge all cells of a comparison by these rules:
 *
 * - The sample is the launch. A change is the median of log(head / base) over
 *   all pairs of launches, one of each side. Its interval is that of Mann and
 *   Whitney's test. It therefore includes the variation between launches, and
 *   one outlier launch does not shift it.
 * - A cell looks slower if its one-sided p is at most screen and its change is
 *   above half the threshold. This test accepts many false positives, because
 *   such cells are measured again.
 * - slower: the cell was measured again in new launches, in pairs of neighbours
 *   in time, and the change is above the threshold. Its p, from these launches
 *   only by the signed rank test, is at most alpha after Holm's correction over
 *   all cells measured again in pairs. Drift or a slow phase of the machine
 *   affects both of a pair.
 * - Cells can be measured again in pairs, on both sides not in turn, or in head
 *   only. Each way that occurs gets an equal share of alpha.
 * - unpaired: slower also by weaker evidence. Imported runs are judged this
 *   way, because they cannot be measured again. A second measurement of both
 *   sides that was not in turn is corrected over those cells. A second
 *   measurement of head only, against base's first launches, is corrected over
 *   all tested cells, because both tests share base's values. Without a second
 *   measurement the first one is used, corrected likewise. All this assumes an
 *   unchanged machine; tests/bench/calibrate.c shows the error rates.
 * - A canary that is slower (p at most 0.01, above half the threshold) takes
 *   its own change off the cells that it applies to. A cell that is slower only
 *   without this correction is undecided ("machine").
 * - faster: faster by more than the threshold, with p at most fdr after
 *   Benjamini and Hochberg's correction. A second measurement is not needed,
 *   because such a cell never fails a comparison.
 * - same: the interval is within the threshold on both sides.
 * - exact: the last values are compared; a difference above 1e-9 and above the
 *   threshold counts.
 *
 * Returns -1 if out of memory. */
int chorale_compare_judge(struct chorale_compared *cell, size_t count,
                          struct chorale_canary *canary, size_t ncanary,
                          const struct chorale_compare_opts *opts);

/* The number of pairs of launches with which "slower" is possible if ncell
 * cells are measured again; and the launches on each side if a first
 * measurement of ncell cells shall be enough. */
size_t chorale_compare_pairs(size_t ncell, double alpha);
size_t chorale_compare_launches(size_t ncell, double alpha);

#endif
