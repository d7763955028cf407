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
    size_t nlayer, nstop, ncand;
    size_t most;             /* layers that may share rectangles, at least 1 */
    double price;            /* the loss that one rectangle less is worth;
                              * INFINITY: any loss */
    const double *at;        /* [nstop] sizes, ascending */
    const double *lo, *hi;   /* [nlayer] least and largest size that a layer
                              * needs; lo > hi: it needs no size */
};

/* The number of rectangles that stops [i, j) of layers [begin, end) take with
 * candidate cand. Successive layers share a rectangle while neither their least
 * nor their greatest sizes differ by more than CHORALE_COMPACT_FACTOR. A range
 * ends half-way to the next stop, in logarithms, and at lo and hi of each
 * layer. A layer without a size in the range takes no rectangle. Candidate 0
 * takes one for all layers, since its rows may exceed lo and hi. */
size_t chorale_compact_parts(const struct chorale_compact *grid, size_t begin,
                             size_t end, size_t i, size_t j, size_t cand);

/* Minimise price * rectangles + losses over all ways to cut the layers into
 * runs of at most `most` layers and the stops of each run into ranges with one
 * choice each. With an infinite price minimise the number of rectangles, then
 * the losses. Among equal results prefer earlier candidates. Each stop of each
 * layer needs a finite entry.
 *
 * last_p   out: [nlayer] the last layer of the run that contains each layer
 * pick_p   out: [nlayer][nstop] the choices, the same for the layers of a run
 * count_p  out: the number of rectangles
 *
 * Exact, by dynamic programming in at most nlayer * most * nstop^2 * ncand
 * steps. Returns 0; -1: out of memory, no layer or stop, or a stop without a
 * finite entry. */
int chorale_compact_layers(const struct chorale_compact *grid, size_t *last_p,
                           size_t *pick_p, size_t *count_p);

#endif
