/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h - few rows that cover all pairs of a product.
 *
 * Of a product of factors, each with some levels, a set of rows is made such
 * that for any two factors each pair of their levels occurs in some row. Most
 * defects show with one or two values that meet (a root with a count, a type
 * with MPI_IN_PLACE); the cover finds those in a hundredth of the calls.
 * Deterministic: all ranks make the same rows.
 *
 * Where not all rows of the product can be, the cover has all pairs that some
 * possible row has, as far as they are found: each pair is looked for with the
 * other factors as in the rows that are known, and with any one of them at
 * any level. */
#ifndef CHORALE_TESTS_MPI_PAIRS_H
#define CHORALE_TESTS_MPI_PAIRS_H

enum { PAIRS_FACTORS = 16, PAIRS_LEVELS = 32 };

/* 1 if a row (a level each factor) can be. */
typedef int (*pairs_can)(const void *arg, const int *row);

struct pairs {
    int nfactor, nrow; /* no rows: none can be */
    int base[PAIRS_FACTORS]; /* the possible row nearest to all levels 0 */
    int levels[PAIRS_FACTORS];              /* of each factor, at least 1 */
    unsigned char (*row)[PAIRS_FACTORS];    /* [nrow]: a level each factor */
};

/* Make the cover. levels: [nfactor], each in 1 ... PAIRS_LEVELS; nfactor is
 * at most PAIRS_FACTORS. can: which rows there may be; NULL: any. Levels 0
 * should be those that go with most others. Returns 0, or -1 without memory. */
int pairs_init(struct pairs *p, const int *levels, int nfactor, pairs_can can,
               const void *arg);
void pairs_release(struct pairs *p);

/* 1 if there may be any row, as pairs_init would find: without a cover. */
int pairs_any(const int *levels, int nfactor, pairs_can can, const void *arg);

/* How many pairs of levels no row has: 0 of a cover, if any row can be. */
long pairs_missing(const struct pairs *p);

#endif
