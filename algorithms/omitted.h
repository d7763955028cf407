/* SPDX-License-Identifier: BSD-3-Clause */
/* omitted.h - published algorithms that the catalogue does not have, and why:
 * so that nobody takes silence for an oversight. */
#ifndef CHORALE_ALGORITHMS_OMITTED_H
#define CHORALE_ALGORITHMS_OMITTED_H

#include "algorithms/coll.h"

struct chorale_missing {
    enum chorale_coll coll;
    const char *name;   /* as its publication or library has it */
    const char *reason;
    const char *source; /* where it is published or found */
};

/* Ordered by collective; the last has name NULL. */
extern const struct chorale_missing chorale_missing[];

#endif
