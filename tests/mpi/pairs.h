/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h - covering arrays of strength two (all-pairs tests).
 *
 * For a product of factors, each with some levels, make a small set of rows
 * such that any two factors meet in some row with each pair of their levels.
 * Most defects need one or two particular values (a root and a count, a type
 * and MPI_IN_PLACE); the cover finds those with a hundredth of the calls.
 * Deterministic: all ranks make the same rows.
 *
 * If some rows of the product are impossible, the cover contains the pairs of
 * possible rows, as far as the search finds them. The search for a row with a
 * pair takes the other factors from known rows and varies any one of them. */
#ifndef CHORALE_TESTS_MPI_PAIRS_H
#define CHORALE_TESTS_MPI_PAIRS_H

enum { PAIRS_FACTORS = 16, PAIRS_LEVELS = 32 };

/* 1 if a row (one level per factor) is possible. */
typedef int (*pairs_can)(const void *arg, const int *row);

struct pairs {
    int nfactor, nrow; /* nrow 0: no row is possible */
    int base[PAIRS_FACTORS]; /* the possible row nearest to all levels 0 */
    int levels[PAIRS_FACTORS];              /* per factor, at least 1 */
    unsigned char (*row)[PAIRS_FACTORS];    /* [nrow]: a level per factor */
};

/* Make the cover. levels: [nfactor], each in 1 ... PAIRS_LEVELS; nfactor is
 * at most PAIRS_FACTORS. can: which rows are possible; NULL: all. Level 0 of a
 * factor should fit most levels of the others. Returns 0, or -1 without
 * memory. The caller releases p. */
int pairs_init(struct pairs *p, const int *levels, int nfactor, pairs_can can,
               const void *arg);
void pairs_release(struct pairs *p);

/* 1 if pairs_init() would find a possible row; makes no cover. */
int pairs_any(const int *levels, int nfactor, pairs_can can, const void *arg);

/* Number of pairs of levels that no row has; 0 for a cover if all rows are
 * possible. */
long pairs_missing(const struct pairs *p);

#endif
