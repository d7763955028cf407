/* SPDX-License-Identifier: BSD-3-Clause */
/* node_sets.h - spreads launches of a cell over different nodes, so that its
 * confidence interval includes node-to-node variation. A batch system that
 * gives each launch the same nodes would hide it.
 *
 * Elements of a submission are divided into sets by the ordinals of their
 * launches. Each set excludes other nodes, chosen by a seed. An element can
 * still use at least half of the nodes and twice as many as it needs, so that
 * its waiting time stays short. Two consecutive sets exclude disjoint nodes if
 * possible. */
#ifndef CHORALE_TUNER_SLURM_NODE_SETS_H
#define CHORALE_TUNER_SLURM_NODE_SETS_H

#include <stddef.h>
#include <stdint.h>

#define CHORALE_NODE_SETS_MAX 8 /* most sets; each needs its own job arrays */

/* How many of n nodes an element that needs `needed` nodes may exclude. */
size_t chorale_nodeset_excludable(size_t n, size_t needed);

/* Mark `spared` of n nodes with out[i] = 1, the others with 0, by the seed. odd
 * = 1 marks nodes that the call with odd = 0 leaves unmarked. Returns 0, or -1
 * if out of memory. */
int chorale_nodeset_mark(char *out, size_t n, size_t spared, uint64_t seed,
                         int odd);

/* The marked ones of n names in Slurm's notation, "a7,n[001-003,017]". Names
 * are in natural order (strverscmp). The caller frees it; NULL: out of
 * memory. */
char *chorale_nodeset_names(char *const *name, size_t n, const char *mark);

#endif
