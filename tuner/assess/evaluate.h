/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.h - what a table costs against an oracle that measured all. */
#ifndef CHORALE_TUNER_ASSESS_EVALUATE_H
#define CHORALE_TUNER_ASSESS_EVALUATE_H

#include "tuner/emit/table.h"
#include "tuner/model/observations.h"

/* One point of the oracle. Seconds are geometric means over its launches. */
struct chorale_verdict {
    const struct chorale_run_point *point; /* any run of it */
    char choice[256], best[256]; /* "binomial segsize=8", "library" */
    double seconds;          /* of the table's choice; NAN: the oracle did not
                              * measure it */
    double best_seconds, library_seconds;
    int tuned;               /* the choice is not the library */
    int confirmed;           /* and was measured there, before it was decided:
                              * chorale_evaluate_confirmed */
};

/* The block size that the dispatcher takes a call at that point to have: of
 * allgatherv and reduce_scatter it sees the sum of the blocks
 * (chorale_coll_mean), of those whose ranks do not know n nothing: 0. */
size_t chorale_evaluate_block(const struct chorale_run_point *p);

/* What the dispatcher takes from the table at a point; NULL: the library, also
 * where the variant refuses the point. */
const struct chorale_emit_choice *
chorale_evaluate_choice(const struct chorale_emit_table *table,
                        const struct chorale_run_point *p);

/* What the table answers at each point of the oracle, as the dispatcher would
 * take it: a variant that refuses the point is the library's. The best is the
 * best of the library and of what a table may choose. Points without a usable
 * run of the library are left out. *verdict_p is allocated, sorted as the
 * points are; the caller frees. CHORALE_ENV: out of memory. */
enum chorale_err chorale_evaluate(const struct chorale_emit_table *table,
                                  const struct chorale_points *oracle,
                                  int allow_patented,
                                  struct chorale_verdict **verdict_p,
                                  size_t *count_p, struct chorale_errmsg *msg);

/* Mark the verdicts whose choice the table's database measured at that very
 * point, in a row that says so. */
enum chorale_err chorale_evaluate_confirmed(struct chorale_store *store,
                                            sqlite3_int64 system_id,
                                            struct chorale_verdict *verdict,
                                            size_t count,
                                            struct chorale_errmsg *msg);

/* Means over verdicts whose choice the oracle measured. */
struct chorale_score {
    size_t npoint, nunknown; /* nunknown: not measured, in nothing below */
    size_t nslower;          /* confirmed, and slower than the library by
                              * 0.1 % */
    size_t nguessed;         /* likewise, tuned but not confirmed */
    double regret, p99, worst; /* seconds / best seconds - 1: of the geometric
                              * mean; the 99th percentile; the largest */
    const struct chorale_verdict *worst_at;
    double speedup;          /* library / choice, geometric mean */
    double captured;         /* log(library / choice) / log(library / best), of
                              * the sums; NAN where nothing is to be gained */
};

/* Of the verdicts of that collective; CHORALE_NCOLL: of all. -1: out of
 * memory. */
int chorale_evaluate_score(const struct chorale_verdict *verdict, size_t count,
                           enum chorale_coll coll,
                           struct chorale_score *score);

#endif
