/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h - several launches in one start of the program, each on a group of
 * whole nodes, one after the other or several at once. Starting many nodes
 * takes long, so small process counts share the start of a large one.
 *
 * The groups are named "UUID:WAVE:NODE,UUID:WAVE:NODE,...". The first group has
 * all ranks, which fill its nodes in blocks of its ppn. Each other group starts
 * at its NODE and takes ppn ranks of that node and of the following ones.
 * Launches of one wave use different nodes. They run at once if simultaneous
 * exchanges take no longer than separate ones; otherwise they share a part of
 * the network and run in turn. */
#ifndef CHORALE_RUNNERS_LAUNCH_GROUPS_H
#define CHORALE_RUNNERS_LAUNCH_GROUPS_H

#include "runners/measure/runner.h"

/* Largest slowdown of simultaneous exchanges for running a wave at once. */
#define CHORALE_GROUPS_APART 1.1

struct chorale_group {
    char uuid[CHORALE_UUID_SIZE];
    int wave, node;
    int64_t launch_id;       /* these three: read on rank 0, then broadcast */
    int comm_size, ppn;
};

/* Parse that list into (*group_p)[*count_p], which the caller frees. *count_p
 * is 0 for a single UUID. Returns 0, or -1 if it is malformed, or out of
 * memory. */
int chorale_groups_parse(const char *word, struct chorale_group **group_p,
                         int *count_p);

/* Measure all groups; collective over as->ranks, which are all ranks. as:
 * options (announce, served, bound). Stores in the environment of each
 * launch "grouped", the other groups and whether they ran at once, and
 * "grouped_slowdown", the slowdown of simultaneous exchanges. */
enum chorale_err chorale_groups_measure(struct chorale_group *group, int count,
                                        const struct chorale_bench *as,
                                        const char *path, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg);

#endif
