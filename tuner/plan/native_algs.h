/* SPDX-License-Identifier: BSD-3-Clause */
/* native_algs.h - provider native: algorithms inside the MPI library (found by
 * chorale-runner) or inside SimGrid that can be forced. */
#ifndef CHORALE_TUNER_PLAN_NATIVE_ALGS_H
#define CHORALE_TUNER_PLAN_NATIVE_ALGS_H

#include "algorithms/coll.h"
#include "db/err.h"

struct chorale_native_name {
    enum chorale_coll coll;
    char name[64];
    char params[32];         /* as in cell.params; "": the library's defaults */
    char part[96];           /* as in cell.part; "": shares launches */
};

struct chorale_natives {
    struct chorale_native_name *row; /* in the order of the collectives */
    int count;
};

/* Ask the runner for the native algorithms; an empty list is no error. Free the
 * list. CHORALE_ENV: the runner fails. */
enum chorale_err chorale_natives_load(struct chorale_natives *natives,
                                      struct chorale_errmsg *msg);
/* The algorithms of SimGrid for a list of collectives (NULL: all), without
 * selectors and automatic ones. Starts one simulation per collective. */
enum chorale_err chorale_natives_simulated(struct chorale_natives *natives,
                                           const char *collectives,
                                           struct chorale_errmsg *msg);
void chorale_natives_free(struct chorale_natives *natives);

/* 1 if word is the name, or collective:name. */
int chorale_native_is(const struct chorale_native_name *native,
                      const char *word);

#endif
