/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h - compute the decision table of a system from paired
 * measurements. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_H
#define CHORALE_TUNER_DECIDE_DECIDE_H

#include <jansson.h>

#include "algorithms/alg.h"
#include "tuner/model/observations.h"
#include "tuner/decide/pooled_variance.h"

struct chorale_predictor;

enum chorale_smoothing {
    CHORALE_SMOOTH_NONE,
    CHORALE_SMOOTH_BETWEEN,  /* between measured process counts */
    CHORALE_SMOOTH_ALL,      /* also at measured points */
};

struct chorale_decide_opts {
    struct chorale_predictor *model; /* NULL: fitted to the points */
    int simulated;           /* deterministic times: one launch decides */
    enum chorale_arrival_policy arrivals; /* patterns in which the times were
                              * measured, combined by decide_arrival.h */
    enum chorale_smoothing smooth; /* where smoothed times (smooth.h) decide:
                              * imported timings of a real system */
    double noise;            /* as in chorale_smooth_new() */
    int rules;               /* choose native algorithms, not Chorale's */
    double threshold;        /* keep the library below this gain (share) */
    double fdr;              /* false discovery rate on real systems */
    double compact;          /* mean loss (share) allowed for fewer ranges */
    int deterministic;       /* only variants that combine in rank order */
    int allow_patented;
    long max_scratch;        /* bytes per rank, -1: default, see
                              * chorale_decide_excluded() */
};

/* A row of the table decision, for n in [n_lo, n_hi] at comm_size ...
 * comm_size_hi ranks. Texts point into the points or are static. NAN:
 * unknown. */
struct chorale_decision {
    enum chorale_coll coll;
    int comm_size, comm_size_hi, ppn;
    const char *shape, *dtype, *op, *op_class;
    size_t n_lo, n_hi;
    const struct chorale_run_point *run; /* of the choice, as in struct
                              * chorale_cand */
    const char *basis;
    double seconds, library_seconds; /* geometric means over the row's points,
                              * measured or predicted */
    double speedup, speedup_lo, speedup_hi; /* cross-fitted, see below */
    double regret;           /* seconds / seconds of the best - 1, >= 0. On a
                              * real system the gain of the best is
                              * cross-fitted */
    size_t nspot;            /* measured points in the row */
    char arrival[64];        /* patterns that decided at these points, separated
                              * by commas, "..." if there are more; "" without
                              * measured points */
    char reason[256];
};

/* Decide every measured point of a system.
 *
 * Measured sizes:
 * - Candidates are Chorale's variants that ran correctly in every launch. They
 *   are compared by log(library time / time), paired within a launch.
 * - Real systems: outliers among a candidate's log ratios are moved to three
 *   robust standard deviations from their median (chorale_measured_clip()).
 * - Real systems, cross-fitting: each launch is set aside in turn. The other
 *   launches choose the best candidate, and the launch set aside measures its
 *   gain. All launches together choose the challenger. It replaces the library
 *   if the mean of those gains is above the threshold and significant
 *   (chorale_measured_test()). With fewer than CHORALE_DECIDE_LAUNCHES launches
 *   the library stays.
 * - The tests are corrected for the number of points by Benjamini and Hochberg
 *   at rate fdr.
 * - Simulated systems: all launches choose and confirm; differences above 1e-9
 *   count.
 * - Ties (real: within 1 % and not significantly different) go to the smaller
 *   worst case over arrival patterns, if measured and different by that much.
 *   Next criteria: the simpler candidate (chorale_alg_config_place), the choice
 *   at the next smaller size. Callers let equal candidates have equal times
 *   (inherit_runs.h), so the simplest of them is named.
 *
 * Between measured points:
 * - Between two sizes, times are the model's, calibrated on the variant's own
 *   measurements (family.h). On a real system only the choices confirmed at one
 *   of the two sizes compete with the library.
 * - Between two process counts likewise. A variant's prediction must have a
 *   known error (chorale_family_between()) of at most CHORALE_DECIDE_ERROR. It
 *   must also be the fastest after adding half its error and subtracting a
 *   quarter of the library's; else the library stays. On a real system some
 *   variant must be confirmed at a measured size next to n on one of the two
 *   sides. Above CHORALE_DECIDE_EACH ranks one prediction serves several counts.
 * - If the library takes as long as a variant on both sides, it is predicted
 *   like that variant.
 *
 * Ranges:
 * - A row is a rectangle of sizes and process counts, measured and predicted
 *   ones alike. Choices are replaced by others to obtain fewer rows
 *   (merge_ranges.h). The mean loss by that is at most compact. A single loss
 *   is at most compact at a measured size, and at most CHORALE_DECIDE_ALLOWANCE
 *   times compact at a predicted one. A replacement is never slower than the
 *   library, and on a real system it must be confirmed too.
 * - If a row contains measured points, its times, gain and reason come from
 *   these points. Its interval combines the intervals of the process counts.
 *   Such a row of a variant has basis measured; other rows of a variant have
 *   basis modelled. Rows of the library have basis library.
 * - The library is used, without a row, outside the measured process counts and
 *   sizes, and in gaps of more than CHORALE_DECIDE_GAP process counts. Bounds
 *   of sizes are interpolated in gaps.
 * - Where these bounds depend on the process count, as n = m P does, a row
 *   extends to the least and the largest size of its process counts. Within a
 *   row of a variant these bounds differ by at most CHORALE_COMPACT_FACTOR. So
 *   a variant is chosen at most by that factor beyond the bounds of a process
 *   count. Rows of the library may extend further, since the library is used
 *   there without a row as well.
 * - Rows for rule files of the library have one process count, unless times are
 *   smoothed.
 * - For collectives in which some rank does not know n (gatherv, scatterv,
 *   alltoallv), each process count has one choice (chorale_decide_blind()).
 *
 * Smoothed times (opts->smooth): the algorithm with the smallest smoothed time
 * is chosen if its expected gain is above the threshold, else the library.
 * Choices between two process counts are made for at most CHORALE_SMOOTH_LAYERS
 * ranges of them. CHORALE_SMOOTH_ALL: also at measured points; no choice is
 * called significant, and the reason of each row begins with "exploratory".
 * CHORALE_SMOOTH_BETWEEN: only between process counts, next to a choice that is
 * confirmed at one of them.
 *
 * *rows_p is freed by the caller. Rows are sorted by collective and grouped by
 * ppn, shape, dtype and op; those of a group are sorted by comm_size and n_lo,
 * and do not overlap.
 * The same points give the same rows. CHORALE_ENV: out of memory.
 * Sources  Benjamini and Hochberg, J. Royal Statistical Society B 57(1), 1995.
 *          Stone, J. Royal Statistical Society B 36(2), 1974: a choice is
 *          judged by data that did not make it, each item set aside once.
 */
enum chorale_err chorale_decide(const struct chorale_points *points,
                                const struct chorale_decide_opts *opts,
                                struct chorale_decision **rows_p,
                                size_t *count_p, struct chorale_errmsg *msg);

/* Largest error of times predicted between process counts that may decide. Half
 * the error is added to a variant's time, a quarter subtracted from the
 * library's. */
#define CHORALE_DECIDE_ERROR 0.30

/* Fewest launches of a real system that can confirm a choice. */
#define CHORALE_DECIDE_LAUNCHES 3
/* With fewer launches a point a table is marked exploratory. */
#define CHORALE_DECIDE_SURE 4
/* The largest loss at a predicted point, as a multiple of the mean loss allowed
 * (opts.compact). */
#define CHORALE_DECIDE_ALLOWANCE 10

/* Most process counts between two measured ones for which rows are written:
 * wider gaps are too uncertain. */
#define CHORALE_DECIDE_GAP 512
#define CHORALE_SMOOTH_GAP 1024 /* the same for smoothed times */
/* The largest process count that is predicted by itself. Above it one in the
 * middle stands for those that differ by up to a sixteenth, except powers of
 * two and full nodes of eight ranks or more; a variant must run at all of
 * them. */
#define CHORALE_DECIDE_EACH 64
/* Events of the longest schedule that is replayed for a prediction; pairs of
 * ranks count too, so that it has at most 387 ranks. Times of longer ones are
 * interpolated. */
#define CHORALE_DECIDE_EVENTS 1.5e5

/* End of reasons that name `decide --explain`. */
#define CHORALE_DECIDE_SEE " (`chorale decide --explain` lists why)"

/* Explain the choice for one collective at one size and process count, for
 * every measured family: candidates, times, intervals, whether measured or
 * modelled, and the reason. Candidates of the other table are left out
 * (chorale_decide_other()). Prints text, or appends to the JSON array list if
 * it is not NULL. CHORALE_DATA: the collective was not measured. */
struct chorale_decide_query {
    enum chorale_coll coll;
    size_t msg_size;
    int comm_size;
    int left_out;            /* measured there, but excluded in every launch
                              * (excluded_points.h) */
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

/* NULL if a table may choose that variant at pt, else the reason (static): the
 * variant does not run there, must never be chosen, is patented or not
 * deterministic where that matters, or needs more scratch than max_scratch. The
 * default limit is 8 n bytes, at least 64 KiB and at most 64 MiB. */
const char *chorale_decide_excluded(const struct chorale_alg *alg,
                                    const struct chorale_point *pt,
                                    const struct chorale_decide_opts *opts);

/* A point of a real system with a gain above the threshold that is not
 * significant yet. */
struct chorale_undecided {
    const struct chorale_run_point *point; /* any run of it */
    double gain;             /* mean log(library time / time), cross-fitted */
    double probability;      /* that the gain is real: 1 - the false discovery
                              * rate of a table that accepted this point */
    double value;            /* gain * probability, all points alike; multiply
                              * by the point's share of the calls if known */
    size_t launches;         /* further launches that would decide it, if gain
                              * and noise stay the same */
};

/* NULL if a table of these options may hold choices of that run's provider,
 * else the reason (static). Dispatch tables hold Chorale's variants; tables for
 * rule files hold the library's own algorithms. */
const char *chorale_decide_other(const struct chorale_run_point *run,
                                 const struct chorale_decide_opts *opts);

/* The undecided points of a system that at most CHORALE_UNDECIDED_LAUNCHES
 * further launches would decide, most valuable first. Empty in simulation.
 * *list_p is freed by the caller, and refers to points. CHORALE_ENV: out of
 * memory. */
#define CHORALE_UNDECIDED_LAUNCHES 60
enum chorale_err chorale_decide_undecided(
    const struct chorale_points *points,
    const struct chorale_decide_opts *opts,
    struct chorale_undecided **list_p, size_t *count_p,
    struct chorale_errmsg *msg);

/* The rest is shared by the files decide*.c, and read by stages that need the
 * candidates of a point. */

/* The reason of the choice at a measured size. */
enum chorale_why {
    CHORALE_WHY_GAIN,        /* the variant wins */
    CHORALE_WHY_ONE_RANK,    /* one rank: nothing to communicate */
    CHORALE_WHY_UNUSABLE,    /* no usable run of the library */
    CHORALE_WHY_NONE,        /* no candidates */
    CHORALE_WHY_OTHER,       /* only candidates of the other table */
    CHORALE_WHY_EXCLUDED,    /* the correct candidates must not be chosen */
    CHORALE_WHY_SLOWER,      /* no variant is faster */
    CHORALE_WHY_LAUNCHES,    /* too few launches to confirm */
    CHORALE_WHY_THRESHOLD,   /* gain below the threshold */
    CHORALE_WHY_INSIGNIFICANT, /* gain not significant */
    CHORALE_WHY_BLIND,       /* no variant wins at all sizes of this P */
    CHORALE_NWHY
};

/* One variant at one measured size; candidate 0 is the library. */
struct chorale_cand {
    const struct chorale_run_point *run; /* any run of it, or
                              * chorale_library_run */
    int place;               /* simplicity, small is simple; -1: must not be
                              * chosen */
    const char *barred;      /* why it must not be chosen; NULL: its runs
                              * failed, or it may be chosen */
    double late;             /* longest time under skewed arrival, s; 0:
                              * unknown */
    int patterns;            /* number of arrival patterns measured */
    double loss;             /* log time above that of the choice; INFINITY:
                              * must not replace it */
    double p;                /* p-value of "as fast as the library" */
    double *ratio;           /* [nlaunch] log(library / this), NAN: not run;
                              * outliers are clipped on real systems */
};

/* A run of the library's default that stands for all. */
extern const struct chorale_run_point chorale_library_run;

/* A spot: one measured size and its candidates. */
struct chorale_measured {
    const struct chorale_run_point *point; /* any run of it */
    size_t nlaunch, ncand;
    const char **launch;     /* launches that ran the library, as named in
                              * struct chorale_run_point */
    size_t *fold;            /* [nlaunch] candidate chosen without that
                              * launch */
    double *library;         /* [nlaunch] mean log seconds */
    struct chorale_cand *cand;
    size_t challenger;       /* candidate chosen by all launches; 0: none */
    size_t pick;             /* first the challenger, then the choice */
    enum chorale_why why;
    double p;                /* of the challenger */
    struct chorale_spread spread; /* of cross-fitted gains between launches,
                              * pooled over all spots */
};

/* 1 if row[0, n) contains a run of the library, usable or not. */
int chorale_measured_has_library(const struct chorale_run_point *row, size_t n);

/* Build a spot from its runs row[0, n). -1: out of memory; call
 * chorale_measured_release() in either case. */
int chorale_measured_init(struct chorale_measured *spot,
                          const struct chorale_run_point *row, size_t n,
                          const struct chorale_decide_opts *opts);
void chorale_measured_release(struct chorale_measured *spot);

/* Index of the candidate with run's provider, variant and parameters, or
 * ncand. */
size_t chorale_spot_find(const struct chorale_measured *spot,
                         const struct chorale_run_point *run);

/* 1 if two runs are of one collective, process count, placement, type and
 * operation, so that their points are sizes of one line. */
int chorale_decide_same_line(const struct chorale_run_point *a,
                             const struct chorale_run_point *b);

/* Mean log ratio of a candidate over all launches but one (NULL: over all);
 * *n_p (may be NULL): their number. NAN if it is 0. */
double chorale_cand_mean(const struct chorale_measured *spot, size_t cand,
                         const char *without, size_t *n_p);

/* Log seconds of a candidate, by which points are decided: the library's mean
 * over the launches, minus the candidate's mean log ratio. NAN: not
 * measured. */
double chorale_cand_log_seconds(const struct chorale_measured *spot,
                                size_t cand);

/* decide_outliers.c: clip the log ratios of all candidates of a real system.
 * The scale of a candidate is the median absolute deviation between its
 * launches, or the median of all candidates' scales if that is larger: five
 * launches that agree by chance do not make the sixth an outlier. Clipping
 * bounds the influence of an outlier on means and variances, and does not
 * ignore the launch. -1: out of memory.
 * Source  Huber, Annals of Mathematical Statistics 35(1), 1964. */
int chorale_measured_clip(struct chorale_measured *spot, size_t nspot);

/* decide_choose.c: set challenger and fold. Ties are broken as stated for
 * chorale_decide(); neighbour (may be NULL) is the challenger of the next
 * smaller size. In simulation all launches choose, and fold is the
 * challenger. */
void chorale_spot_choose(struct chorale_measured *spot,
                         const struct chorale_cand *neighbour, int simulated);

/* The log ratio of a candidate in one launch, by their names. NAN: not run. */
double chorale_spot_ratio(const struct chorale_measured *spot,
                          const struct chorale_run_point *run,
                          const char *launch);

/* The log gain of the choice in one launch, by name. A launch counts for the
 * choice made without it; for a pick that is not the challenger, the pick's own
 * ratio. NAN: not run. */
double chorale_spot_gain(const struct chorale_measured *spot,
                         const char *launch);

/* Log gains in several launches: number, mean, sum of squared deviations. A
 * NAN is not added. */
struct chorale_sample {
    double n, mean, squares;
};
void chorale_gains_add(struct chorale_sample *gains, double x);

/* The cross-fitted gains of the challenger, whatever the choice. */
struct chorale_sample chorale_spot_sample(const struct chorale_measured *spot);

/* decide_significance.c: compute spread and p of all spots of a real system.
 * spot must be sorted by line and size.
 *
 * - A spot's own test is a t test of its cross-fitted gains, with pooled
 *   variance (chorale_mean_pvalue()).
 * - Neighbouring sizes share evidence: the same choices are also tested with
 *   the mean, in each launch that ran them all, of their gains at this size and
 *   the next ones on both sides. The unit is the launch, so what a launch does
 *   to all sizes alike is not counted three times. This counts only if the size
 *   itself is significant at 5 % without correction, so a size without a gain
 *   beside sizes with gains is refused.
 * - Where both tests count, p is twice the smaller of their p-values
 *   (Bonferroni), else that of the own test.
 *
 * -1: out of memory. */
int chorale_measured_test(struct chorale_measured *spot, size_t nspot);

/* Standard error of a sample's mean, for n >= 2; *dof_p: its degrees of
 * freedom. The choices of the folds were made by overlapping launches, so the
 * gains of a sample correlate. The variance of the mean is therefore multiplied
 * by CHORALE_FOLD_OVERLAP; tests/bench/results/decide.md has the error rates
 * with and without this factor. */
#define CHORALE_FOLD_OVERLAP 1.36
double chorale_mean_error(const struct chorale_spread *spread,
                          const struct chorale_sample *sample, double *dof_p);

/* Two-sided p-value of "as fast as the library" for a sample, or for the ratios
 * of a candidate. p < 0.05 if and only if the 95 % interval of the mean
 * excludes 0. It is 1 with fewer than two launches. */
double chorale_mean_pvalue(const struct chorale_spread *spread,
                           const struct chorale_sample *sample);
double chorale_cand_pvalue(const struct chorale_measured *spot, size_t cand);

/* Decide all measured sizes of a system. *spot_p: array of *nspot_p; release
 * each and free the array, also on error. */
enum chorale_err chorale_decide_sizes(const struct chorale_points *points,
                                      const struct chorale_decide_opts *opts,
                                      struct chorale_measured **spot_p,
                                      size_t *nspot_p,
                                      struct chorale_errmsg *msg);

/* 1 for collectives in which some rank does not know n, so that each process
 * count needs one choice for all sizes: gatherv, scatterv, alltoallv. */
int chorale_decide_is_blind(enum chorale_coll coll);

/* Make one choice for the measured sizes spot[0, n) of one process count of
 * such a collective. Candidates are the variants that are slower than the
 * library at no size; the one with the best mean gain is chosen. Its mean gain
 * is cross-fitted and must be significant, as for a single size. critical: the
 * largest significant p-value; -1: no p-value is significant. Sets challenger,
 * fold, pick, why, p and loss of the spots. */
void chorale_decide_blind(struct chorale_measured *spot, size_t n,
                          double critical,
                          const struct chorale_decide_opts *opts);

/* decide_grid.c: append a family's rows to *rows_p, sorted by comm_size and
 * n_lo. -1: out of memory. */
struct chorale_family;
int chorale_decide_rows(const struct chorale_family *fam,
                        struct chorale_decision **rows_p, size_t *count_p);

/* Compute loss[ncand] at a predicted point from log times seconds[ncand];
 * candidate 0 is the library. A loss is a log ratio to the best. It is INFINITY
 * if the candidate must not be chosen: may[c] is 0 (the library is always
 * allowed), it loses more than opts->compact times CHORALE_DECIDE_ALLOWANCE, or
 * it is slower than the library. Returns the best, which is the library unless
 * a candidate's gain is above the threshold. */
size_t chorale_family_losses(const struct chorale_family *fam, size_t ncand,
                             const double *seconds, const unsigned char *may,
                             double *loss);

#endif
