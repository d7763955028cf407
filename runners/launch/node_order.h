/* SPDX-License-Identifier: BSD-3-Clause */
/* node_order.h - the nodes of a launch in an order of its own, whatever starts the
 * ranks: Slurm sorts the nodes of each job, so that a rank would be beside the
 * same ones in all launches. (What srun takes as it is, --distribution=
 * arbitrary, its PMI2 calls a node for each rank.)
 *
 * The first node stays, for rank 0 and what started the launch share a database
 * there; the others begin with any of them and go either way, so that
 * neighbours stay neighbours but for two. */
#ifndef CHORALE_RUNNERS_LAUNCH_NODE_ORDER_H
#define CHORALE_RUNNERS_LAUNCH_NODE_ORDER_H

#include <stdint.h>

#include <mpi.h>

/* Which of n nodes comes i-th in a launch of that ordinal. */
int chorale_turning_place(int i, int n, uint64_t seed, int ordinal);

/* A word "SEED:ORDINAL". 0, or -1: it is none. */
int chorale_turning_parse(const char *word, uint64_t *seed_p, int *ordinal_p);

/* The ranks of from with their nodes in that order, each with its ranks as they
 * are; a last node that has fewer stays the last. *to is from where ranks are
 * not in blocks on nodes, or there is nothing to turn. Returns an MPI error
 * code. */
int chorale_turning_comm(MPI_Comm from, uint64_t seed, int ordinal,
                         MPI_Comm *to);

#endif
