/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h - few rows that cover all pairs of a product.
 *
 * Of a product of factors, each with some levels, a set of rows is made such
 * that for any two factors each pair of their levels occurs in some row. Most
 * defects show with one or two values that meet (a root with a count, a type
 * with MPI_IN_PLACE); the cover finds those in a hundredth of the calls.
 * Deterministic: all ranks make the same rows. */
#ifndef CHORALE_TESTS_PAIRS_H
#define CHORALE_TESTS_PAIRS_H

enum { PAIRS_FACTORS = 16, PAIRS_LEVELS = 32 };

struct pairs {
    int nfactor, nrow;
    int levels[PAIRS_FACTORS];              /* of each factor, at least 1 */
    unsigned char (*row)[PAIRS_FACTORS];    /* [nrow]: a level each factor */
};

/* Make the cover. levels: [nfactor], each in 1 ... PAIRS_LEVELS; nfactor is
 * at most PAIRS_FACTORS. Returns 0, or -1 without memory. */
int pairs_init(struct pairs *p, const int *levels, int nfactor);
void pairs_release(struct pairs *p);

/* How many pairs of levels no row has: 0 of a cover. */
long pairs_missing(const struct pairs *p);

#endif
