/* SPDX-License-Identifier: BSD-3-Clause */
/* omitted.h - published algorithms that the catalogue omits, with reasons. */
#ifndef CHORALE_ALGORITHMS_OMITTED_H
#define CHORALE_ALGORITHMS_OMITTED_H

#include "algorithms/coll.h"

struct chorale_omitted {
    enum chorale_coll coll;
    const char *name;   /* the name in its publication or library */
    const char *reason;
    const char *source; /* publication or library */
};

/* Ordered by collective; the last entry has name NULL. */
extern const struct chorale_omitted chorale_omitted[];

#endif
