/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_solve.h - the stage `replicate`: the best size of groups that share
 * replicated data. */
#ifndef CHORALE_TUNER_REPLICATE_REPLICATE_SOLVE_H
#define CHORALE_TUNER_REPLICATE_REPLICATE_SOLVE_H

#include "db/err.h"

/* Options of `chorale replicate`, as its help explains them; NAN, NULL and 0:
 * not given. */
struct chorale_rep_opts {
    const char *net, *in, *plot;
    long n, datum;
    double accesses, tx, tm, alpha, data, bands;
    int divisors, open, json;
    /* for --measure */
    int measure, both;
    const char *launcher, *command, *platform, *network, *save;
    long ppn, nrep;
    int no_bind;             /* as of struct chorale_run_opts */
    double bandwidth, latency;
};

/* Print the costs of group sizes by the model, by times in the database at path
 * (NULL: no database), or by running the pattern. CHORALE_USAGE: options
 * contradict each other, or a required one is missing. CHORALE_DATA: every
 * group is unknown. CHORALE_ENV: the runner or a file fails. */
enum chorale_err chorale_rep_solve(const char *path,
                                   const struct chorale_rep_opts *opts,
                                   struct chorale_errmsg *msg);

#endif
