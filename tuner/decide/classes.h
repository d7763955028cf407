/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h - candidates with equal schedules at a point.
 *
 * Candidates of a point form a class if their schedules are equal: the same
 * messages between the same ranks in the same order, with the same reductions
 * and copies (algorithms/schedule/digest.h). The same policies must also allow
 * a table to choose them. One member is measured, and its times are used for
 * all. A candidate without a digest is a class of its own. */
#ifndef CHORALE_TUNER_DECIDE_CLASSES_H
#define CHORALE_TUNER_DECIDE_CLASSES_H

#include <stddef.h>

#include "tuner/base/alg_config.h"

struct chorale_class_point {
    struct chorale_point pt; /* param is not used */
    const char *shape;       /* placement, as in the database */
    const char *policy;      /* of the root, possibly followed by a space and
                              * the buffer policy */
};

/* Set first[i] to the index of the first candidate in the class of config[i],
 * for all i < n. Returns 0; -1: out of memory. */
int chorale_classes_find(const struct chorale_class_point *at,
                         const struct chorale_alg_config *config, size_t n,
                         size_t *first);

/* 1 if a and b are in one class. */
int chorale_classes_equal(const struct chorale_class_point *at,
                          const struct chorale_alg_config *a,
                          const struct chorale_alg_config *b);

#endif
