/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h - several launches in one start of the program: each on a group of
 * the ranks, of whole nodes, one after the other or several at once. A start
 * of many nodes takes long, and small process counts come with a large one
 * for nothing else.
 *
 * The word that names them is "UUID:WAVE:NODE,UUID:WAVE:NODE,...". The first
 * is of all ranks, which fill its nodes in blocks of its ppn; the others begin
 * at that node, and take of it and the next ones as many ranks as their ppn
 * says. Launches of one wave are on different nodes and are measured at once,
 * if exchanges of all groups at once take no longer than those of each alone:
 * else they share something of the network, and are measured in turn. */
#ifndef CHORALE_RUNNERS_LAUNCH_GROUPS_H
#define CHORALE_RUNNERS_LAUNCH_GROUPS_H

#include "runners/measure/runner.h"

/* Exchanges at once may take this much longer than alone. */
#define CHORALE_GROUPS_APART 1.1

struct chorale_group {
    char uuid[CHORALE_UUID_SIZE];
    int wave, node;
    int64_t launch_id;       /* rank 0's from here on, then all ranks' */
    int comm_size, ppn;
};

/* The word names several: rows of *group_p[*count_p], to be freed; *count_p
 * is 0 for a single UUID. 0, or -1: it is none of that, or out of memory. */
int chorale_groups_parse(const char *word, struct chorale_group **group_p,
                         int *count_p);

/* Measure them all; collective over MPI_COMM_WORLD. as: announce and served of
 * each. Facts of each launch, in environment: "grouped", with whom and how,
 * and "grouped_slowdown", of exchanges at once. */
enum chorale_err chorale_groups_measure(struct chorale_group *group, int count,
                                        const struct chorale_bench *as,
                                        const char *path, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg);

#endif
