/* SPDX-License-Identifier: BSD-3-Clause */
/* interference.h - do groups of ranks share a resource that slows down the
 * collectives of one group while others communicate? */
#ifndef CHORALE_RUNNERS_LAUNCH_INTERFERENCE_H
#define CHORALE_RUNNERS_LAUNCH_INTERFERENCE_H

#include <mpi.h>

/* Measure how much longer exchanges take when all groups make them at once than
 * when this rank's group is alone. There are three kinds of exchanges:
 * - long messages between the halves of a group, which load shared links;
 * - allreduces of 8 bytes and of 256 KiB, which also slow down when ranks share
 *   processors or adapters.
 * *ratio: the largest slowdown of the three kinds, each the median of three
 * turns, at least 1.
 *
 * comm: this rank's group; mine: its number of ngroups, or -1 for a rank
 * outside all groups. meet(arg, failed): synchronises the ranks of all groups
 * and returns on each whether any failed. Collective over these ranks; takes
 * some tenths of a second per group. Returns an MPI error code. */
int chorale_apart(MPI_Comm comm, int mine, int ngroups,
                  int (*meet)(void *arg, int failed), void *arg,
                  double *ratio);

#endif
