/* SPDX-License-Identifier: BSD-3-Clause */
/* interference.h - do groups of ranks share something that makes collectives of one
 * slower while others are under way? */
#ifndef CHORALE_RUNNERS_LAUNCH_INTERFERENCE_H
#define CHORALE_RUNNERS_LAUNCH_INTERFERENCE_H

#include <mpi.h>

/* Of three kinds of exchanges, how much longer one takes when all groups make
 * it at once than when this rank's group does alone: the most of the kinds,
 * each in the median of three turns, and at least 1. They are long messages
 * between the halves of a group, which share links, and allreduces of 8 bytes
 * and of 256 KiB, which also wait for each other: where ranks share processors
 * or adapters, that is what becomes slower.
 *
 * comm: this rank's group, which is number mine of ngroups; -1: it is in none.
 * meet: all ranks of all groups meet, and each is told whether any has failed;
 * called with arg. Collective over all these ranks, who take some tenths of a
 * second for each group. Returns an MPI error code. */
int chorale_apart(MPI_Comm comm, int mine, int ngroups,
                  int (*meet)(void *arg, int failed), void *arg,
                  double *ratio);

#endif
