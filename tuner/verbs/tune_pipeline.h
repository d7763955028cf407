/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_pipeline.h - the stages of the verb `tune`: measure in rounds, fit,
 * decide, generate, validate and measure again, draw and report. */
#ifndef CHORALE_TUNER_VERBS_TUNE_PIPELINE_H
#define CHORALE_TUNER_VERBS_TUNE_PIPELINE_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

/* Share of the budget for rounds: on a real system the rest is for points that
 * are undecided then; in simulation, where the planner counts modelled time,
 * the share by the clock after which none starts. */
#define CHORALE_TUNE_ROUNDS 0.7

struct chorale_tune {
    struct chorale_plan plan;
    struct chorale_run_opts run;
    double seconds;          /* budget of this command, s, which plan.budget and
                              * plan.clock agree with; 0: no budget */
    int no_validate;         /* 1: do not validate the table */
    double confirm_seconds;  /* further launches of undecided points, s; 0: what
                              * the rounds leave of the budget */
    const char *output;      /* prefix of the products' names; NULL: the name
                              * of the database without .db */
};

/* Tune the database at path. command: the command line, stored with the
 * launches. Writes the products and prints the results; with plan.dry_run only
 * prints the plan. CHORALE_NO: the table is slower somewhere on a real system.
 * CHORALE_STOPPED: stopped by a signal; all measurements are stored, and
 * another call continues. CHORALE_ENV: products cannot be written, or cells
 * cannot be measured. Other errors are those of the stages. */
enum chorale_err chorale_tune(const struct chorale_tune *opts, const char *path,
                              const char *command, struct chorale_errmsg *msg);

#endif
