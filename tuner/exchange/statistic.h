/* SPDX-License-Identifier: BSD-3-Clause */
/* statistic.h - what an imported time is. */
#ifndef CHORALE_TUNER_EXCHANGE_STATISTIC_H
#define CHORALE_TUNER_EXCHANGE_STATISTIC_H

#include "algorithms/coll.h"

/* Of the times of the ranks in a call. */
enum chorale_statistic {
    CHORALE_STATISTIC_MEAN, CHORALE_STATISTIC_MAX, CHORALE_STATISTIC_ROOT,
    CHORALE_NSTATISTIC
};

/* Parse mean, max or root; -1: unknown. */
int chorale_statistic_find(const char *name);

/* The wording of the environment's key import:seconds, such as "mean over the
 * ranks". */
const char *chorale_statistic_text(enum chorale_statistic statistic);

/* run.validity of an imported time. The mean over the ranks of a rooted
 * collective is not a duration: ranks that leave early hide those that wait. */
const char *chorale_imported_validity(enum chorale_coll coll,
                                      enum chorale_statistic statistic);

#endif
