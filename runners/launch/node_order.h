/* SPDX-License-Identifier: BSD-3-Clause */
/* node_order.h - order the nodes of each launch differently. Slurm sorts the
 * nodes of a job, so a rank would have the same neighbours in all launches.
 * (srun --distribution=arbitrary fails: its PMI2 reports one node per rank.)
 *
 * The first node stays, because rank 0 and the process that started the launch
 * share a database there. The others are rotated, and reversed or not by the
 * seed, so that all but two neighbouring pairs stay neighbours. */
#ifndef CHORALE_RUNNERS_LAUNCH_NODE_ORDER_H
#define CHORALE_RUNNERS_LAUNCH_NODE_ORDER_H

#include <stdint.h>

#include <mpi.h>

/* The index of the node at position i of n in a launch of that ordinal. */
int chorale_node_order_place(int i, int n, uint64_t seed, int ordinal);

/* Parse "SEED:ORDINAL". Returns 0, or -1 if it is malformed. */
int chorale_node_order_parse(const char *word, uint64_t *seed_p,
                             int *ordinal_p);

/* Reorder the ranks of from by node; the order of the ranks within a node
 * stays, and a last node with fewer ranks stays last. *to is from itself if
 * ranks are not placed in blocks, or there are fewer than three nodes.
 * Collective. Returns an MPI error code. */
int chorale_node_order_comm(MPI_Comm from, uint64_t seed, int ordinal,
                            MPI_Comm *to);

#endif
