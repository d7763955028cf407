/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.h - the fewest ranges, and rectangles, that serve a table. */
#ifndef CHORALE_TUNER_DECIDE_MERGE_RANGES_H
#define CHORALE_TUNER_DECIDE_MERGE_RANGES_H

#include <stddef.h>

/* One choice for each of nstop stops in a row, out of ncand.
 *
 * loss    [nstop][ncand] what a choice costs at a stop; INFINITY: must not be
 *         chosen. At least one of each stop must be finite.
 * pick_p  out: [nstop] the choices
 *
 * There are as few changes of choice as can be, and of all ways to have so
 * few the one with the least sum of losses; of equals the candidate that comes
 * first. Exact, by dynamic programming in nstop * ncand steps. Returns the
 * number of ranges, 0: out of memory or nothing to choose from. */
size_t chorale_compact_line(const double *loss, size_t nstop, size_t ncand,
                            size_t *pick_p);

/* The same for nlayer lines, one upon the other: neighbouring layers may share
 * their ranges, and there are as few rectangles as can be among all ways to
 * cut the layers into runs and each run into ranges; then the least loss.
 *
 * loss    [nlayer][nstop][ncand]
 * last_p  out: [nlayer] the last layer of the run that each layer is in
 * pick_p  out: [nlayer][nstop]
 *
 * nlayer^2 * nstop * ncand steps. Returns the number of rectangles, 0 as
 * above. */
size_t chorale_compact_layers(const double *loss, size_t nlayer, size_t nstop,
                              size_t ncand, size_t *last_p, size_t *pick_p);

#endif
