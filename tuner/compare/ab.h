/* SPDX-License-Identifier: BSD-3-Clause */
/* ab.h - the two databases of `chorale ab`: the same campaign, planned by each
 * side's own chorale. */
#ifndef CHORALE_TUNER_COMPARE_AB_H
#define CHORALE_TUNER_COMPARE_AB_H

#include <limits.h>

#include "tuner/plan/plan.h"
#include "tuner/compare/ab_side.h"

#define CHORALE_AB_BATCH 8   /* calls a repetition, where nothing is said */

struct chorale_ab {
    struct chorale_how how[2]; /* base, head */
    char path[2][PATH_MAX];
    struct chorale_plan plan;  /* of both */
};

/* Options of a plan that make no sense here are refused, and what ab chooses is
 * filled in: --batch, which both must have alike, and --providers library where
 * a table is a side. CHORALE_USAGE. */
enum chorale_err chorale_ab_check(struct chorale_ab *ab,
                                  struct chorale_errmsg *msg);

/* Plan both, unless that is done: after a stop the same plan is found there.
 * CHORALE_USAGE: a database has another plan or another side; CHORALE_DATA: the
 * two sides keep databases of two schemas; else as the side's `chorale plan`,
 * in one line. */
enum chorale_err chorale_ab_plan(struct chorale_ab *ab,
                                 struct chorale_errmsg *msg);

/* 1 if something of base is measured again already, 0 if not. */
enum chorale_err chorale_ab_again(const struct chorale_ab *ab, int *again_p,
                                  struct chorale_errmsg *msg);

#endif
