/* SPDX-License-Identifier: BSD-3-Clause */
/* wanted.h - select variants by the arguments [COLLECTIVE [VARIANT]]. */
#ifndef CHORALE_TESTS_UNIT_ALGORITHMS_WANTED_H
#define CHORALE_TESTS_UNIT_ALGORITHMS_WANTED_H

#include <string.h>

#include "algorithms/catalogue.h"

/* 1 if the arguments of main() select alg; no arguments select all. */
static inline int wanted(int argc, char **argv, const struct chorale_alg *alg)
{
    if (argc > 1 && strcmp(argv[1], chorale_coll_info(alg->coll)->name) != 0)
        return 0;
    return argc <= 2 || strcmp(argv[2], alg->name) == 0;
}

#endif
