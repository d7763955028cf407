/* SPDX-License-Identifier: BSD-3-Clause */
/* native_algs.h - provider native: the algorithms inside the MPI library that can
 * be forced, as chorale-runner finds them, or inside SimGrid. */
#ifndef CHORALE_TUNER_PLAN_NATIVE_ALGS_H
#define CHORALE_TUNER_PLAN_NATIVE_ALGS_H

#include "algorithms/coll.h"
#include "db/err.h"

struct chorale_native_name {
    enum chorale_coll coll;
    char name[64];
};

struct chorale_natives {
    struct chorale_native_name *row; /* in the order of the collectives */
    int count;
};

/* Ask the runner; free. None is no error. CHORALE_ENV: it does not answer. */
enum chorale_err chorale_natives_load(struct chorale_natives *natives,
                                      struct chorale_errmsg *msg);
/* Those of SimGrid, of the collectives of a list (NULL: of all); selectors and
 * what tries others out are none. Takes a simulated start a collective. */
enum chorale_err chorale_natives_simulated(struct chorale_natives *natives,
                                           const char *collectives,
                                           struct chorale_errmsg *msg);
void chorale_natives_free(struct chorale_natives *natives);

/* 1 if the word is the name, or collective:name. */
int chorale_native_is(const struct chorale_native_name *native,
                      const char *word);

#endif
