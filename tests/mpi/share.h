/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - how launches at several numbers of ranks share the work. A variant
 * may refuse the first numbers of ranks, or most of them, so who makes which
 * part is settled for each by itself: a variant has its whole cover at the
 * first numbers at which it runs anything, and one more, in parts, at all the
 * others at which it does. What it runs with at only some of the others (a
 * radix of 16 wants ranks) would miss the parts that are made elsewhere: rows
 * with such pairs are made at the first of these as well. */
#ifndef CHORALE_TESTS_MPI_SHARE_H
#define CHORALE_TESTS_MPI_SHARE_H

#include "tests/mpi/factor_levels.h"

enum { MAX_LAUNCHES = 32 };

struct share {
    int whole;               /* how many launches have the whole cover */
    int n;                   /* of launches; 0: this one shares with none */
    int ranks[MAX_LAUNCHES]; /* of each launch */
};

/* Part index, from 0, of so many: of 1 the whole. */
struct part {
    int index, of;
};

/* Read "WHOLE:RANKS,RANKS,...", which must name this launch's number of ranks
 * (0: none need be). Returns 0, or -1 if it is no such text. */
int share_parse(struct share *s, const char *text, int ranks);

/* The part of alg's cover that is made at that number of ranks, one of those
 * shared by. Where alg refuses everything it is the whole, of nothing. */
struct part share_part(const struct share *s, const struct chorale_alg *alg,
                       const struct fixture *fix, int ranks, int full);

/* Is it the first number of ranks in the list at which alg runs anything? 1
 * where launches share with none. */
int share_is_first(const struct share *s, const struct chorale_alg *alg,
                   const struct fixture *fix, int ranks);

/* covers.c: which rows of the cover at that number of ranks, with the part as
 * a factor, are made there: mine is [nrow], filled in. Returns 0, or -1 where
 * there is no memory or the cover has other rows. */
int share_rows(const struct share *sh, const struct chorale_alg *alg,
               const struct fixture *fix, int ncomm, int ranks,
               unsigned char *mine, int nrow);

/* covers.c: how many pairs of levels alg has in any launch, and *missing of
 * them in none that is made; *rows grows by the rows that are made. Returns -1
 * without memory. */
long share_pairs(const struct share *sh, const struct chorale_alg *alg,
                 const struct fixture *fix, int ncomm, long *missing,
                 long *rows);

/* far_apart.c: is this one of those launches in which alg is called with units far
 * apart? Where it is refused so at all earlier numbers of ranks in the list. */
int wide_is_due(const struct share *s, const struct chorale_alg *alg,
                const struct fixture *fix, int ranks);

/* The calls: how many ran. why: what was tried, and why it refuses. */
long check_wide(struct stage *st, const struct chorale_alg *alg, char *why,
                size_t size);

#endif
