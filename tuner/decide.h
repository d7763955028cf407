/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h - from paired measurements to the decision table of a system. */
#ifndef CHORALE_TUNER_DECIDE_H
#define CHORALE_TUNER_DECIDE_H

#include "tuner/points.h"

struct chorale_decide_opts {
    int simulated;           /* deterministic: one launch decides */
    double threshold;        /* keep the library below this gain: 0.03 */
    double fdr;              /* false discoveries allowed on real systems */
};

/* For n in [n_lo, n_hi]: a row of the table decision. Texts point into the
 * points or are static. NAN: unknown. */
struct chorale_decision {
    enum chorale_coll coll;
    int comm_size, ppn;
    const char *shape, *dtype, *op;
    size_t n_lo, n_hi;
    const char *provider, *variant, *params, *basis;
    double seconds, library_seconds; /* geometric mean of measured sizes */
    double speedup, speedup_lo, speedup_hi; /* confirming launches only */
    double regret;           /* seconds / best seconds - 1, >= 0 */
    size_t nspot;            /* measured sizes in the row */
    char reason[256];
};

/* Decide every measured point of a system. The rule:
 *
 * - At a measured size the candidates are Chorale's variants that ran
 *   correctly in every launch, compared by the logarithm of library time over
 *   their time, paired within a launch.
 * - Real systems: launches of even ordinal choose, of odd ordinal confirm.
 *   The best replaces the library if its mean gain in the confirming launches
 *   is above the threshold and significant: two-sided t test, corrected for
 *   the number of points by Benjamini and Hochberg at fdr. Fewer than two
 *   confirming launches: the library stays.
 * - Simulated systems: all launches do both, and 1e-9 counts.
 * - Ties (real: within 1 % and not separable) go to the variant earlier in
 *   the catalogue, then to the choice at the next smaller size.
 * - Between two sizes an equal choice extends; two variants switch where
 *   their interpolated times cross; next to the library each keeps to the
 *   sizes it was measured at. Outside the measured sizes and process counts
 *   there is no row, which means the library.
 *
 * *rows_p is allocated, sorted by collective, comm_size, ppn, shape, dtype,
 * op, n_lo; the caller frees. Same points, same rows.
 * Source  Benjamini and Hochberg, J. Royal Statistical Society B 57(1), 1995.
 */
enum chorale_err chorale_decide(const struct chorale_points *points,
                                const struct chorale_decide_opts *opts,
                                struct chorale_decision **rows_p,
                                size_t *count_p, struct chorale_errmsg *msg);

/* What follows is between decide.c, decide_pair.c and decide_rows.c. */

/* Why a measured size has its choice. */
enum chorale_why {
    CHORALE_WHY_GAIN,        /* the variant wins */
    CHORALE_WHY_ALONE,       /* one rank: nothing to communicate */
    CHORALE_WHY_UNUSABLE,    /* no run of the library that may decide */
    CHORALE_WHY_NONE,        /* nothing to choose from */
    CHORALE_WHY_SLOWER,      /* no variant is faster */
    CHORALE_WHY_LAUNCHES,    /* too few launches to confirm */
    CHORALE_WHY_THRESHOLD,   /* gain below the threshold */
    CHORALE_WHY_CHANCE,      /* gain not significant */
    CHORALE_NWHY
};

/* One variant at one measured size; candidate 0 is the library. */
struct chorale_cand {
    const char *provider, *variant, *params;
    int place;               /* simplicity; -1: must not be chosen */
    double *ratio;           /* [nlaunch] log(library / this), NAN: none */
};

/* One measured size of a point group, its launches and candidates. */
struct chorale_spot {
    const struct chorale_run_point *point; /* any run of it */
    size_t nlaunch, ncand;
    const char **launch;     /* UUIDs of the launches that ran the library */
    unsigned char *chooses, *confirms; /* [nlaunch] */
    double *library;         /* [nlaunch] mean log seconds */
    struct chorale_cand *cand;
    size_t pick;             /* the challenger, then the choice */
    enum chorale_why why;
    double p;                /* of the challenger */
};

/* 1 if some of row[0, n) is a run of the library, usable or not. */
int chorale_spot_has_library(const struct chorale_run_point *row, size_t n);

/* One measured size from its runs row[0, n). -1: out of memory; release it
 * in either case. */
int chorale_spot_init(struct chorale_spot *spot,
                      const struct chorale_run_point *row, size_t n,
                      int simulated);
void chorale_spot_release(struct chorale_spot *spot);

/* Mean over the launches of that mask (NULL: all) where the candidate has a
 * ratio; *n_p of them, NAN if none. */
double chorale_spot_mean(const struct chorale_spot *spot, size_t cand,
                         const unsigned char *mask, size_t *n_p);

/* Ranges of n for one group of spots in ascending n. Appends to *rows_p. */
enum chorale_err chorale_decide_rows(const struct chorale_spot *spot,
                                     size_t nspot,
                                     const struct chorale_decide_opts *opts,
                                     struct chorale_decision **rows_p,
                                     size_t *count_p,
                                     struct chorale_errmsg *msg);

#endif
