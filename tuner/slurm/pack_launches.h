/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_launches.h - launches are packed into elements of job arrays.
 *
 * Launches of one cell, which differ in their ordinal, go to different
 * elements: so they see different allocations, and what an allocation does to
 * times enters the intervals. Launches of one ordinal share an element while
 * they fit its time limit together. One that is too long for the limit alone
 * has an element of its own, which is requeued.
 *
 * Launches of one ordinal on fewer nodes may ride along with the one on most:
 * its start measures them in groups of its nodes (runners/launch/groups.h). They do
 * where that costs fewer node-hours than starts on nodes of their own:
 * nodes whose groups are done wait for the longest one. */
#ifndef CHORALE_TUNER_SLURM_PACK_LAUNCHES_H
#define CHORALE_TUNER_SLURM_PACK_LAUNCHES_H

#include <stddef.h>

#include "tuner/run/launches.h"

struct chorale_pack_launch {
    struct chorale_pending p;
    double seconds;          /* an upper bound of what it takes */
    double stated;           /* what it takes by --cell-time, and its start */
    double expected;         /* seconds of its cells, to compare by */
    /* Filled in: */
    int own_nodes, own_ppn;  /* of all its communicators */
    int nodes, ppn;          /* of its element: where it rides along, those of
                              * the launch that it rides with */
    int wave;                /* there: those of one wave are measured at once;
                              * 0: it does not ride along */
    int host_size;           /* comm_size of that launch */
    long element;            /* 1 ... */
    /* By submit_nodes.c: elements of a set leave out the same nodes, of a
     * seed with this ordinal, the first of two sets. */
    int set, set_from;
};

struct chorale_pack_opts {
    double limit;            /* seconds that an element may take */
    double start_up;         /* seconds that starting a launch takes */
    int one_per_p;           /* none rides along */
    double beyond;           /* of start_up what bounds lack: who rides along has
                              * no start of its own */
};

/* Fill in what is to be filled in, and order launch[n] by element. Elements
 * are numbered by (nodes, ppn), so those of one group follow each other.
 * Returns how many there are, or -1: out of memory. */
long chorale_pack_launches(struct chorale_pack_launch *launch, size_t n,
                           const struct chorale_pack_opts *opts);

/* Node-seconds that the packed launches are expected to take; *each_p: if each
 * had a start on nodes of its own. */
double chorale_pack_expected(const struct chorale_pack_launch *launch,
                             size_t n, double start_up, double *each_p);

#endif
