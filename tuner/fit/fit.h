/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - the stage `fit`: fits the model of each system of a database, stores
 * it in table model and prints it. */
#ifndef CHORALE_TUNER_FIT_FIT_H
#define CHORALE_TUNER_FIT_FIT_H

#include "tuner/base/for_each_system.h"

/* Options; zero is the default of each. */
struct chorale_fit_opts {
    struct chorale_each_opts each; /* quiet: do not print the model */
    int crossval;            /* print the prediction error of each variant at
                              * each number of ranks */
    int no_bar, verbose;     /* no progress bar; a line for each step instead */
    int dry_run;             /* store nothing */
    long max_procs;          /* fit to at most this many ranks and store
                              * nothing; 0: fit to all */
};

/* Fit the selected systems of the database at path. CHORALE_DATA: a system has
 * too few measurements, or with each.json a name is not UTF-8. CHORALE_STOPPED:
 * a signal requested it. */
enum chorale_err chorale_models_fit(const char *path,
                                    const struct chorale_fit_opts *opts,
                                    struct chorale_errmsg *msg);

#endif
