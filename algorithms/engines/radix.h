/* SPDX-License-Identifier: BSD-3-Clause */
/* radix.h - reduces process counts that are no power of k to a core that is.
 *
 * The ranks outside the core hand their data to a rank of the core ("fold")
 * before the algorithm proper. Used by recursive doubling, multiplying and
 * exchange in all collectives. */
#ifndef CHORALE_ALGORITHMS_ENGINES_RADIX_H
#define CHORALE_ALGORITHMS_ENGINES_RADIX_H

#include <limits.h>

/* The parameter "radix" of Bruck algorithms. */
enum { CHORALE_NBASE = 7 };
extern const long chorale_bruck_radix[CHORALE_NBASE];
#define CHORALE_PARAM_BASE(what)                                             \
    {                                                                        \
        .name = "radix", .unit = what, .def = 4, .min = 2, .max = INT_MAX,   \
        .candidate = chorale_bruck_radix, .ncandidate = CHORALE_NBASE,       \
        .by = CHORALE_BY_ROOT                                                \
    }

/* Largest power of k >= 2 that is <= p; *exponent is set unless exponent is
 * NULL. */
int chorale_power_below(int p, int k, int *exponent);

/* How one rank folds. The ranks are split into runs of consecutive ranks, one
 * per member of the core, as equal in length as possible, longer ones first. A
 * run has at most k ranks. The last rank of each run stays in the core. This
 * preserves rank order: the data of the other ranks of the run precede its
 * own. */
struct chorale_fold {
    int core;      /* ranks in the core: the largest power of k <= p */
    int most;      /* largest number of ranks that fold onto one; reached at
                    * place 0 */
    int place;     /* this rank's place in the core, or -1 if it folds */
    int keeper;    /* the core rank of this rank's run */
    int first;     /* first rank of the run: ranks first ... keeper - 1 fold
                    * onto keeper */
};

void chorale_fold_init(struct chorale_fold *fold, int rank, int p, int k);

/* The rank at the given place of the core. */
int chorale_fold_rank(int place, int p, int k);

#endif
