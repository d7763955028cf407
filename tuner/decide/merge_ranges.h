/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.h - compact a table into the fewest ranges and rectangles. */
#ifndef CHORALE_TUNER_DECIDE_MERGE_RANGES_H
#define CHORALE_TUNER_DECIDE_MERGE_RANGES_H

#include <stddef.h>

/* Choose one of ncand candidates for each of nstop stops (sizes).
 *
 * loss    [nstop][ncand] cost of a choice at a stop; INFINITY: not allowed.
 *         Each stop must have a finite entry.
 * pick_p  out: [nstop] the choices
 *
 * Minimises the number of ranges, then the sum of losses, then prefers earlier
 * candidates. Exact, by dynamic programming in nstop * ncand steps. Returns the
 * number of ranges; 0: out of memory, no stop, or a stop without a finite
 * entry. */
size_t chorale_compact_line(const double *loss, size_t nstop, size_t ncand,
                            size_t *pick_p);

/* The same for nlayer layers (process counts), which may share ranges.
 * Minimises the number of rectangles over all ways to cut the layers into runs
 * and each run into ranges, then the loss.
 *
 * loss    [nlayer][nstop][ncand]
 * last_p  out: [nlayer] the last layer of the run that contains each layer
 * pick_p  out: [nlayer][nstop]
 *
 * nlayer^2 * nstop * ncand steps. Returns the number of rectangles, 0 as
 * above. */
size_t chorale_compact_layers(const double *loss, size_t nlayer, size_t nstop,
                              size_t ncand, size_t *last_p, size_t *pick_p);

#endif
