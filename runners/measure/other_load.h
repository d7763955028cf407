/* SPDX-License-Identifier: BSD-3-Clause */
/* other_load.h - processor time that other programs take during a launch. */
#ifndef CHORALE_RUNNERS_MEASURE_OTHER_LOAD_H
#define CHORALE_RUNNERS_MEASURE_OTHER_LOAD_H

#include <sched.h>

#include "runners/measure/runner.h"

/* Processor time since an arbitrary start, s: of all programs on the rank's
 * processors, and of the rank itself. */
struct chorale_load_use {
    double busy, own;
};

/* A rank in an interval. */
struct chorale_load_rank {
    int node;                /* the first rank of its node */
    int counts;              /* 1: the first rank of its node with these
                              * processors, whose time is counted */
    int spare;               /* of the first rank of a node: processors beyond
                              * one for each rank, which others may use */
    double busy, own;        /* s */
};

/* Rank 0's record of a launch. */
struct chorale_load {
    struct chorale_load_rank *rank; /* [world_size] */
    struct chorale_load_use *before, *now; /* [world_size] each: at the begin of
                              * the interval, and at the last look */
    double since;            /* MPI_Wtime() at the begin of the interval; 0: no
                              * interval began */
    double most;             /* the largest chorale_load_most() so far */
};

/* The number of processors that other programs took from the ranks of a node,
 * as the average over an interval of this many seconds; the largest of all
 * nodes. */
double chorale_load_most(const struct chorale_load_rank *rank, int n,
                         double seconds);

/* Make the record of n ranks. node[n]: the first rank of each rank's node.
 * may[n]: the processors that each rank may use. NULL if out of memory. */
struct chorale_load *chorale_load_new(const int *node, int n,
                                      const cpu_set_t *may);
void chorale_load_free(struct chorale_load *load);

#endif
