/* SPDX-License-Identifier: BSD-3-Clause */
/* radix.h - numbers of processes that are no power of k: who folds onto whom,
 * and the core that stays. Used by recursive doubling, multiplying and
 * exchange in any collective. */
#ifndef CHORALE_ALGORITHMS_ENGINES_RADIX_H
#define CHORALE_ALGORITHMS_ENGINES_RADIX_H

#include <limits.h>

/* The parameter "radix" of Bruck's exchanges. */
enum { CHORALE_NBASE = 7 };
extern const long chorale_bases[CHORALE_NBASE];
#define CHORALE_PARAM_BASE(what)                                             \
    {                                                                        \
        .name = "radix", .unit = what, .def = 4, .min = 2, .max = INT_MAX,   \
        .candidate = chorale_bases, .ncandidate = CHORALE_NBASE,             \
        .by = CHORALE_BY_ROOT                                                \
    }

/* Largest power of k >= 2 that is <= p, and its exponent (where exponent is
 * not NULL). */
int chorale_power_below(int p, int k, int *exponent);

/* How one rank folds. The ranks are cut into as many runs as the core has
 * places, longer runs first, their lengths as equal as can be: at most k, and
 * at most 2 for k = 2. The last of each run survives, so that rank order is
 * kept: what the others hand over stands left of its own. */
struct chorale_fold {
    int core;      /* ranks that stay: the largest power of k <= p */
    int most;      /* ranks that fold onto one, where most do: at place 0 */
    int place;     /* of this rank in the core, or -1: it folds */
    int keeper;    /* the survivor of this rank's run; itself, if it stays */
    int first;     /* first rank of the run: the ranks first ... keeper - 1
                    * fold onto keeper */
};

void chorale_fold_init(struct chorale_fold *fold, int rank, int p, int k);

/* The rank at a place of the core. */
int chorale_fold_rank(int place, int p, int k);

#endif
