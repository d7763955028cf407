/* SPDX-License-Identifier: BSD-3-Clause */
/* cover_share.h - divide the calls of a test among launches at several numbers
 * of ranks.
 *
 * A variant may refuse some numbers of ranks, so each variant is divided
 * separately. Its first `whole` launches that run anything make a whole cover
 * each. The others together make one more cover, a part each. If a level runs
 * in some launches only (a radix of 16 needs ranks), parts of its pairs may be
 * missing: the first launch that has such a pair makes it too. */
#ifndef CHORALE_TESTS_MPI_COVER_SHARE_H
#define CHORALE_TESTS_MPI_COVER_SHARE_H

#include "tests/mpi/factor_levels.h"

enum { MAX_LAUNCHES = 32 };

struct share {
    int whole;               /* number of launches with a whole cover */
    int n;                   /* launches; 0: this one does not share */
    int ranks[MAX_LAUNCHES]; /* of each launch */
};

/* Part index, from 0, of that many parts; 0 of 1 is the whole. */
struct part {
    int index, of;
};

/* Parse "WHOLE:RANKS,RANKS,...", which must contain this launch's number of
 * ranks (0: need not). Returns 0, or -1 for another text. */
int share_parse(struct share *s, const char *text, int ranks);

/* The part of alg's cover that is made at that number of ranks, which must be
 * in s. If alg refuses all calls there: the whole, which is empty. */
struct part share_part(const struct share *s, const struct chorale_alg *alg,
                       const struct fixture *fix, int ranks, int full);

/* 1 if ranks is the first number in s at which alg runs anything, or if the
 * launch does not share. */
int share_is_first(const struct share *s, const struct chorale_alg *alg,
                   const struct fixture *fix, int ranks);

/* covers.c: set mine[nrow] to 1 for the rows of the cover, with the part as a
 * factor, that are made at that number of ranks. Returns 0, or -1 without
 * memory or if the cover does not have nrow rows. */
int share_rows(const struct share *sh, const struct chorale_alg *alg,
               const struct fixture *fix, int ncomm, int ranks,
               unsigned char *mine, int nrow);

/* covers.c: number of pairs of levels with which alg runs in any launch.
 * *missing: pairs that no launch makes. *rows grows by the rows that are made.
 * Returns -1 without memory. */
long share_pairs(const struct share *sh, const struct chorale_alg *alg,
                 const struct fixture *fix, int ncomm, long *missing,
                 long *rows);

/* far_apart.c: 1 if this launch calls alg with units far apart: alg refuses
 * such calls at all earlier numbers of ranks in the list. */
int wide_is_due(const struct share *s, const struct chorale_alg *alg,
                const struct fixture *fix, int ranks);

/* Make these calls; returns how many ran. why[size]: what, or the refusal. */
long check_wide(struct stage *st, const struct chorale_alg *alg, char *why,
                size_t size);

#endif
