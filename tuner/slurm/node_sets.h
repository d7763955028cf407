/* SPDX-License-Identifier: BSD-3-Clause */
/* node_sets.h - launches of one cell on other nodes each: what nodes do to
 * times is in the intervals then, which a batch system that gives each launch
 * the same ones would keep out of them.
 *
 * Elements of a submission fall into sets by the ordinals of their launches.
 * Each set leaves out other nodes, by a seed, as far as an element's wait for
 * nodes allows: at least half of them may be had, and twice as many as it
 * needs. Two sets that follow each other share none, if that can be. */
#ifndef CHORALE_TUNER_SLURM_NODE_SETS_H
#define CHORALE_TUNER_SLURM_NODE_SETS_H

#include <stddef.h>
#include <stdint.h>

#define CHORALE_ELSEWHERE_SETS 8 /* at most: each makes job arrays of its own */

/* How many of n nodes an element that needs so many may do without. */
size_t chorale_elsewhere_spared(size_t n, size_t needed);

/* Mark spared of n nodes, out[i] = 1, the others 0: by the seed, and odd: those
 * that the set which is not odd keeps. 0; -1: out of memory. */
int chorale_elsewhere_mark(char *out, size_t n, size_t spared, uint64_t seed,
                           int odd);

/* The marked ones of n names, as Slurm writes them: "a7,n[001-003,017]". Names
 * are in natural order (strverscmp). Free it; NULL: out of memory. */
char *chorale_elsewhere_names(char *const *name, size_t n, const char *mark);

#endif
