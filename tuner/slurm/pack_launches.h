/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_launches.h - packs launches into the elements of job arrays.
 *
 * Launches of one cell, which differ in their ordinal, go to different
 * elements. They thus get different allocations, and the interval includes the
 * variation between allocations. Launches of one ordinal share an element while
 * they fit its time limit together. A launch that exceeds the limit alone has
 * its own element, which is requeued.
 *
 * Launches of one ordinal on fewer nodes may ride along with the one on most
 * nodes: its start measures them in groups of its nodes
 * (runners/launch/groups.h). They do so if this costs fewer node-hours than
 * separate starts. The cost includes nodes that wait for the longest group. */
#ifndef CHORALE_TUNER_SLURM_PACK_LAUNCHES_H
#define CHORALE_TUNER_SLURM_PACK_LAUNCHES_H

#include <stddef.h>

#include "tuner/run/launches.h"

struct chorale_pack_launch {
    struct chorale_pending p;
    double seconds;          /* upper bound of its duration */
    double stated;           /* duration by --cell-time, with its start */
    double expected;         /* expected seconds of its cells */
    /* Set by chorale_pack_launches(): */
    int own_nodes, own_ppn;  /* of its own communicators */
    int nodes, ppn;          /* of its element; of a launch that rides along,
                              * those of its host */
    int wave;                /* launches of one wave run at once in the host; 0:
                              * does not ride along */
    int host_size;           /* comm_size of the host */
    long element;            /* 1 ... */
    /* Set by submit_nodes.c: elements of a set exclude the same nodes. set_from
     * is the ordinal that seeds the first set of a pair. */
    int set, set_from;
};

struct chorale_pack_opts {
    double limit;            /* most seconds of an element */
    double start_up;         /* seconds of starting a launch */
    int one_per_p;           /* no launch rides along */
    double beyond;           /* part of start_up not included in the bounds; a
                              * launch that rides along has no start */
};

/* Set the fields above and sort launch[n] by element. Elements are numbered by
 * (nodes, ppn), so those of one group are consecutive. Returns the number of
 * elements, or -1 if out of memory. */
long chorale_pack_launches(struct chorale_pack_launch *launch, size_t n,
                           const struct chorale_pack_opts *opts);

/* Expected node-seconds of the packed launches. *each_p is set to those with a
 * separate start for each launch. */
double chorale_pack_expected(const struct chorale_pack_launch *launch,
                             size_t n, double start_up, double *each_p);

#endif
