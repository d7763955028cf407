/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.h - computes the regret of a decision table at all points of an
 * oracle, a database with exhaustive measurements. */
#ifndef CHORALE_TUNER_ASSESS_EVALUATE_H
#define CHORALE_TUNER_ASSESS_EVALUATE_H

#include "tuner/emit/table.h"
#include "tuner/model/observations.h"

/* The verdict on one point of the oracle. Seconds are geometric means over its
 * launches. */
struct chorale_verdict {
    const struct chorale_run_point *point; /* any run of it */
    char choice[256], best[256]; /* "binomial segsize=8", "library" */
    double seconds;          /* of the table's choice; NAN if the oracle did
                              * not measure it */
    double best_seconds, library_seconds;
    int tuned;               /* the choice is not the library's default */
    int confirmed;           /* the table's database measured the choice here;
                              * set by chorale_evaluate_confirmed() */
};

/* The block size that the dispatcher sees for a call at a point. For allgatherv
 * and reduce_scatter it is the mean block (chorale_coll_mean), because only the
 * sum is known. It is 0 for collectives whose ranks do not know n. */
size_t chorale_evaluate_block(const struct chorale_run_point *p);

/* The choice that the dispatcher takes from the table at a point. NULL means
 * the library's default, also if the variant refuses the point. */
const struct chorale_emit_choice *
chorale_evaluate_choice(const struct chorale_emit_table *table,
                        const struct chorale_run_point *p);

/* 1 if the run is of the choice, which is not the library's default; its
 * parameters may be written differently. */
int chorale_evaluate_is_choice(const struct chorale_run_point *run,
                               const struct chorale_emit_choice *choice);

/* A candidate that serves all sizes of a place, the runs row[0, n), as the best
 * choice where some rank does not know n (chorale_coll_info.blind). It is
 * nowhere slower than the library by more than CHORALE_EVALUATE_WORSE, and the
 * fastest on average. competes(arg, run): 1 if it may be chosen. NULL: the
 * library. */
const struct chorale_run_point *
chorale_evaluate_one(const struct chorale_run_point *row, size_t n,
                     int (*competes)(const void *arg,
                                     const struct chorale_run_point *run),
                     const void *arg);
#define CHORALE_EVALUATE_WORSE 0.03

/* Compare the table's choice with the best measured one at each point of the
 * oracle. The dispatcher's rules apply: if a variant refuses a point, the
 * library's default runs. The best is the fastest among the library's default
 * and the variants that a table may choose; chorale_evaluate_one() if some rank
 * does not know n. A candidate with an unusable run
 * counts as not measured. Points of one rank, and points where the library is
 * not measured, are left out. *verdict_p is sorted as the points; the caller
 * frees it. CHORALE_ENV: out of memory. */
enum chorale_err chorale_evaluate(const struct chorale_emit_table *table,
                                  const struct chorale_points *oracle,
                                  int allow_patented,
                                  struct chorale_verdict **verdict_p,
                                  size_t *count_p, struct chorale_errmsg *msg);

/* The same for the decisions of target rules, which choose among the library's
 * own algorithms: those compete, and confirmed is set if the database decided
 * at the point. CHORALE_DATA: the system has no such decisions. */
enum chorale_err chorale_evaluate_rules(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const struct chorale_points *oracle,
                                        struct chorale_verdict **verdict_p,
                                        size_t *count_p,
                                        struct chorale_errmsg *msg);

/* Set `confirmed` of the verdicts whose choice the table's database measured at
 * the same point, in a decision of basis 'measured'. */
enum chorale_err chorale_evaluate_confirmed(struct chorale_store *store,
                                            sqlite3_int64 system_id,
                                            struct chorale_verdict *verdict,
                                            size_t count,
                                            struct chorale_errmsg *msg);

/* Means over the verdicts whose choice the oracle measured. */
struct chorale_score {
    size_t npoint, nunknown; /* nunknown: choice not measured; such points are
                              * not in the numbers below */
    size_t nslower;          /* confirmed choices that are slower than the
                              * library by more than 0.1 % */
    size_t nguessed;         /* the same for tuned choices not confirmed */
    size_t nworse;           /* choices slower than the library by more than
                              * CHORALE_EVALUATE_WORSE */
    double regret, p99, worst; /* seconds / best seconds - 1: from the geometric
                              * mean, 99th percentile, maximum */
    const struct chorale_verdict *worst_at;
    double speedup;          /* library / choice, geometric mean */
    double captured;         /* log(library / choice) / log(library / best) of
                              * the sums; NAN if no gain is possible */
};

/* Compute the score of a collective's verdicts; CHORALE_NCOLL means all.
 * Returns -1 if out of memory. */
int chorale_evaluate_score(const struct chorale_verdict *verdict, size_t count,
                           enum chorale_coll coll,
                           struct chorale_score *score);

#endif
