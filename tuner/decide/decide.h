/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h - from paired measurements to the decision table of a system. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_H
#define CHORALE_TUNER_DECIDE_DECIDE_H

#include <jansson.h>

#include "algorithms/alg.h"
#include "tuner/model/observations.h"
#include "tuner/decide/pooled_variance.h"

struct chorale_predictor;

struct chorale_decide_opts {
    struct chorale_predictor *model; /* NULL: fitted to the points */
    int simulated;           /* deterministic: one launch decides */
    int rules;               /* choose the library's own algorithms, not ours */
    double threshold;        /* keep the library below this gain: 0.03 */
    double fdr;              /* false discoveries allowed on real systems */
    double compact;          /* what fewer ranges may cost: 0.01 */
    int deterministic;       /* operands combined in rank order only */
    int allow_patented;
    long max_scratch;        /* bytes a rank, -1: chorale_decide_bars' own */
};

/* For n in [n_lo, n_hi] at comm_size ... comm_size_hi ranks: a row of the table
 * decision. Texts point into the points or are static. NAN: unknown. */
struct chorale_decision {
    enum chorale_coll coll;
    int comm_size, comm_size_hi, ppn;
    const char *shape, *dtype, *op, *op_class;
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
 *   is above the threshold and significant: two-sided t test with what all
 *   points tell of how much launches differ (pooled_variance.h), corrected for the
 *   number of points by Benjamini and Hochberg at fdr. Fewer than two
 *   confirming launches: the library stays.
 * - Simulated systems: all launches do both, and 1e-9 counts.
 * - Ties (real: within 1 % and not separable) go to the smaller worst case over
 *   arrival patterns, where those were measured and differ by as much, then to
 *   the variant earlier in the catalogue, then to the choice at the next
 *   smaller size.
 * - Between two sizes times are the model's, calibrated on the variant's own
 *   measurements (family.h); on a real system between a choice and the library
 *   only what is confirmed at one of the two is asked.
 * - Between two process counts likewise, for variants of which the same guess,
 *   made at the neighbouring measured process counts from theirs, was wrong by
 *   CHORALE_DECIDE_ERROR at most, and which are the fastest even if this one
 *   is half as wrong and that of the library a quarter; else the library stays.
 *   On a real system some variant must be confirmed at one of the measured
 *   sizes around n on one of the two sides.
 *   A library that takes as long as a variant on both sides is foretold as that
 *   variant is.
 * - Choices are changed for others that cost at most compact more, where that
 *   saves ranges: as few as can be (merge_ranges.h). On a real system those are
 *   confirmed as well.
 * - Outside the measured sizes, between process counts as they shift from one
 *   to the other, and outside the process counts there is no row, which means
 *   the library; nor in gaps of more than CHORALE_DECIDE_GAP process counts.
 * - Where some rank does not know n (gatherv, scatterv, alltoallv) a process
 *   count has one choice for all sizes: slower at none and faster on the whole
 *   (chorale_decide_blind).
 *
 * *rows_p is allocated, sorted by collective, ppn, shape, dtype, op, comm_size,
 * n_lo; the caller frees. Same points, same rows.
 * Source  Benjamini and Hochberg, J. Royal Statistical Society B 57(1), 1995.
 */
enum chorale_err chorale_decide(const struct chorale_points *points,
                                const struct chorale_decide_opts *opts,
                                struct chorale_decision **rows_p,
                                size_t *count_p, struct chorale_errmsg *msg);

/* Of times that are guessed between process counts: the largest error with
 * which they may decide. Half the error is added to a time, too, and a quarter
 * taken from the library's. */
#define CHORALE_DECIDE_ERROR 0.30

/* Process counts between two measured ones for which a table has rows: of a
 * wider gap too little is known, and each is looked at by itself. */
#define CHORALE_DECIDE_GAP 512

/* Print what there is to choose from for one collective at n = m or m P bytes
 * and comm_size ranks, in every family measured: candidates, times, intervals,
 * measured or modelled, and why the choice is what it is. list: a JSON array
 * to append to instead. CHORALE_DATA: nothing of that collective. */
struct chorale_decide_query {
    enum chorale_coll coll;
    size_t msg_size;
    int comm_size;
    int left_out;            /* measured there, but in vain: excluded_points.h */
};
enum chorale_err chorale_decide_explain(
    const struct chorale_points *points,
    const struct chorale_decide_opts *opts,
    const struct chorale_decide_query *query, json_t *list,
    struct chorale_errmsg *msg);

/* The problem of a family's runs at another size and process count. */
struct chorale_point chorale_decide_point(const struct chorale_run_point *run,
                                          const long *value, size_t n,
                                          int comm_size);

/* NULL if a table may choose that variant at pt, else why not (static): it
 * refuses the point, may never be chosen, is patented or not deterministic
 * where that matters, or takes too much scratch: more than max_scratch, which
 * is 8 n by default, but at least 64 KiB and at most 64 MiB. */
const char *chorale_decide_bars(const struct chorale_alg *alg,
                                const struct chorale_point *pt,
                                const struct chorale_decide_opts *opts);

/* What follows is between decide.c, decide_ratios.c and decide_ranges.c. */

/* Why a measured size has its choice. */
enum chorale_why {
    CHORALE_WHY_GAIN,        /* the variant wins */
    CHORALE_WHY_ALONE,       /* one rank: nothing to communicate */
    CHORALE_WHY_UNUSABLE,    /* no run of the library that may decide */
    CHORALE_WHY_NONE,        /* nothing to choose from */
    CHORALE_WHY_BARRED,      /* what ran correctly must not be chosen */
    CHORALE_WHY_SLOWER,      /* no variant is faster */
    CHORALE_WHY_LAUNCHES,    /* too few launches to confirm */
    CHORALE_WHY_THRESHOLD,   /* gain below the threshold */
    CHORALE_WHY_CHANCE,      /* gain not significant */
    CHORALE_WHY_BLIND,       /* nothing wins at all sizes of the line */
    CHORALE_NWHY
};

/* One variant at one measured size; candidate 0 is the library. */
struct chorale_cand {
    const char *provider, *variant, *params;
    int place;               /* simplicity; -1: must not be chosen */
    const char *barred;      /* why it must not be, NULL: its runs, or it may */
    double late;             /* longest time if ranks come late, 0: unknown */
    int patterns;            /* of so many arrival patterns */
    double loss;             /* log units more than the choice, INFINITY: no
                              * stand-in for it */
    double p;                /* of being as fast as the library */
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
    struct chorale_spread spread; /* of log ratios between launches, what all
                              * spots have in common */
};

/* 1 if some of row[0, n) is a run of the library, usable or not. */
int chorale_spot_has_library(const struct chorale_run_point *row, size_t n);

/* One measured size from its runs row[0, n). -1: out of memory; release it
 * in either case. */
int chorale_spot_init(struct chorale_spot *spot,
                      const struct chorale_run_point *row, size_t n,
                      const struct chorale_decide_opts *opts);
void chorale_spot_release(struct chorale_spot *spot);

/* Mean over the launches of that mask (NULL: all) where the candidate has a
 * ratio; *n_p of them, NAN if none. */
double chorale_spot_mean(const struct chorale_spot *spot, size_t cand,
                         const unsigned char *mask, size_t *n_p);

/* decide_significance.c: learn the spread from the challengers of all spots. -1: out
 * of memory. */
int chorale_spots_learn(struct chorale_spot *spot, size_t nspot);

/* Standard error of a mean over n >= 2 confirming launches, whose squares about
 * it have that sum; the degrees of freedom that go with it. */
double chorale_spot_error(const struct chorale_spot *spot, double squares,
                          double n, double *dof_p);

/* Two-sided p of "as fast as the library" for such a mean log ratio, and for
 * that of a candidate: what passes at 5 % has a 95 % interval that leaves out
 * no gain. 1 with less than two launches. */
double chorale_spot_chance(const struct chorale_spot *spot, double mean,
                           double squares, double n);
double chorale_spot_p(const struct chorale_spot *spot, size_t cand);

/* All measured sizes of a system, judged. *spot_p has *nspot_p of them;
 * release each, then free it, in either case. */
enum chorale_err chorale_decide_spots(const struct chorale_points *points,
                                      const struct chorale_decide_opts *opts,
                                      struct chorale_spot **spot_p,
                                      size_t *nspot_p,
                                      struct chorale_errmsg *msg);

/* 1 for collectives of which some rank does not know n, so that a process count
 * has one choice for all of it: gatherv, scatterv, alltoallv. */
int chorale_decide_is_blind(enum chorale_coll coll);

/* The one choice for the measured sizes spot[0, n) of one process count of such
 * a collective: the best on the whole, by the launches that choose, of those
 * that are slower than the library at none of them. Its mean gain over the
 * sizes is confirmed as that of a size is, and that it is slower at none.
 * Picks, whys and losses of the spots become it. */
void chorale_decide_blind(struct chorale_spot *spot, size_t n, double critical,
                         const struct chorale_decide_opts *opts);

/* Rows of a family's line, and of what lies between its lines k and k + 1.
 * Append to *rows_p. -1: out of memory. */
struct chorale_family;
int chorale_decide_rows(const struct chorale_family *fam, size_t line,
                        struct chorale_decision **rows_p, size_t *count_p);
int chorale_decide_between(const struct chorale_family *fam, size_t k,
                           struct chorale_decision **rows_p, size_t *count_p);

/* A new row of the family, the library's until filled in; NULL: no memory. */
struct chorale_decision *
chorale_decision_add(const struct chorale_family *fam, int comm_size,
                     struct chorale_decision **rows_p, size_t *count_p);

/* Losses of the members at a guessed point, whose log times are seconds[]:
 * loss[] against the best, INFINITY where one must not be chosen. may[c] 0
 * leaves c out; the library may always. Returns the best. */
size_t chorale_guess_losses(const struct chorale_family *fam,
                            const double *seconds, const unsigned char *may,
                            double *loss);

#endif
