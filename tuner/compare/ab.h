/* SPDX-License-Identifier: BSD-3-Clause */
/* ab.h - the options and databases of `chorale ab`. Both sides plan the same
 * campaign, each with its own chorale program. */
#ifndef CHORALE_TUNER_COMPARE_AB_H
#define CHORALE_TUNER_COMPARE_AB_H

#include <limits.h>
#include <sqlite3.h>

#include "tuner/plan/plan.h"
#include "tuner/compare/ab_side.h"

#define CHORALE_AB_BATCH 8   /* default calls per repetition */

struct chorale_ab {
    struct chorale_ab_side how[2]; /* base, head */
    char path[2][PATH_MAX];
    struct chorale_plan plan;  /* same for both sides */
};

/* Check the options of the plan and fill in defaults. Both sides get the same
 * --batch; if a side is a table, --providers becomes library. CHORALE_USAGE: an
 * option makes no sense for ab. */
enum chorale_err chorale_ab_check(struct chorale_ab *ab,
                                  struct chorale_errmsg *msg);

/* The default prefix of the databases: "ab-" and a digest of both sides and of
 * the checked options of the plan, in 8 hexadecimal digits. So other sides or
 * options are measured into other files. */
enum { CHORALE_AB_PREFIX = 16 };
void chorale_ab_prefix(struct chorale_ab *ab, char prefix[CHORALE_AB_PREFIX]);

/* Plan both databases, unless they already hold this plan, as after a stop.
 * CHORALE_USAGE: a database has another plan or another side. CHORALE_DATA: a
 * side's chorale uses another schema version than this one. Other errors are
 * those of the side's `chorale plan`, in one line. */
enum chorale_err chorale_ab_plan(struct chorale_ab *ab,
                                 struct chorale_errmsg *msg);

/* Set *left_p to the number of pending runs of both sides. */
enum chorale_err chorale_ab_pending(const struct chorale_ab *ab,
                                    sqlite3_int64 *left_p,
                                    struct chorale_errmsg *msg);

/* Set *again_p to 1 if base already has a second measurement, else to 0. */
enum chorale_err chorale_ab_again(const struct chorale_ab *ab, int *again_p,
                                  struct chorale_errmsg *msg);

#endif
