/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.h - compact a table into rectangles of sizes and process counts,
 * by the smallest sum of losses and a price for each rectangle. */
#ifndef CHORALE_TUNER_DECIDE_MERGE_RANGES_H
#define CHORALE_TUNER_DECIDE_MERGE_RANGES_H

#include <stddef.h>

/* Largest factor between the least sizes of the layers of a rectangle, and
 * between their greatest sizes. */
#define CHORALE_COMPACT_FACTOR 2.0

/* Choices of ncand candidates for nstop stops (sizes) on nlayer layers (process
 * counts). */
struct chorale_compact {
    const double *loss;      /* [nlayer][nstop][ncand] cost of a choice;
                              * INFINITY: not allowed */
    size_t nlayer, nstop, ncand; /* below 2^16 */
    const double *at;        /* [nstop] sizes, ascending */
    const double *lo, *hi;   /* [nlayer] least and largest size that a layer
                              * needs; lo > hi: it needs no size */
};

/* One choice for stops [i, j) of layers [begin, end). */
struct chorale_block {
    size_t begin, end, i, j, cand;
    size_t parts;            /* rectangles, as of chorale_compact_parts() */
    double loss;
};

/* The number of rectangles that stops [i, j) of layers [begin, end) take with
 * candidate cand. Successive layers share a rectangle while neither their least
 * nor their greatest sizes differ by more than CHORALE_COMPACT_FACTOR. A range
 * ends half-way to the next stop, in logarithms, and at lo and hi of each
 * layer. A layer without a size in the range takes no rectangle. Candidate 0
 * takes at most one for all layers, since its rows may exceed lo and hi. */
size_t chorale_compact_parts(const struct chorale_compact *grid, size_t begin,
                             size_t end, size_t i, size_t j, size_t cand);

/* Search state for one grid. */
struct chorale_cuts;

/* Prepare chorale_cuts_find(). The grid's arrays are referred to. Takes
 * nlayer^2 nstop^2 ncand / 4 steps, and 10 nlayer^2 nstop^2 bytes. NULL: out of
 * memory, no layer or stop, or a stop without an allowed candidate. */
struct chorale_cuts *chorale_cuts_new(const struct chorale_compact *grid);
void chorale_cuts_free(struct chorale_cuts *cuts);

/* Minimise price * rectangles + losses over all ways to cut the grid into
 * blocks with one choice each. A cut goes through the whole grid, or through
 * the whole part that it divides, between two layers or between two stops.
 * Among equal results prefer fewer cuts, then earlier candidates. Exact, by
 * dynamic programming over all blocks.
 *
 * price   of a rectangle, not negative and finite
 * block   out: at most nlayer * nstop blocks, in order of cuts
 *
 * Returns the number of blocks. */
size_t chorale_cuts_find(struct chorale_cuts *cuts, double price,
                         struct chorale_block *block);

#endif
