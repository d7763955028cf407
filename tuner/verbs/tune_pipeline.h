/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_pipeline.h - the stages of the verb `tune`: measure in rounds, fit,
 * decide, generate, validate and measure again, draw and report. */
#ifndef CHORALE_TUNER_VERBS_TUNE_PIPELINE_H
#define CHORALE_TUNER_VERBS_TUNE_PIPELINE_H

#include "tuner/plan/plan.h"
#include "tuner/run/run.h"

enum { CHORALE_TUNE_KEPT = 256 }; /* rounds of a command; more do not count */

/* Share of the budget for rounds: on a real system the rest is for points that
 * are undecided then; in simulation, where the planner counts modelled time, the
 * share by the clock after which none starts. */
#define CHORALE_TUNE_ROUNDS 0.7

struct chorale_tune {
    struct chorale_plan plan;
    struct chorale_run_opts run;
    int full;                /* 1: measure every point of the grid */
    double seconds;          /* budget of this command; 0: no budget */
    int by_clock;            /* rounds ended by the clock */
    double regret[CHORALE_TUNE_KEPT]; /* expected before each round of this
                                       * command */
    int nregret;
    int no_validate;
    double confirm_seconds;  /* for undecided points; 0: none */
    const char *output;
};

/* Tune a database. command: the command line, stored with the launches. Fields
 * of *opts that tell what was measured are updated. Prints the results.
 * CHORALE_NO: the table is slower somewhere on a real system. */
enum chorale_err chorale_tune(struct chorale_tune *opts, const char *path,
                              const char *command, struct chorale_errmsg *msg);

#endif
