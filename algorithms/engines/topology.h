/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - two levels of a communicator: ranks of a node, and node leaders.
 *
 * Ranks may be placed on nodes in any way. The levels are views (context.h), on
 * which variants run as on communicators. All arrays are scratch: the caller
 * must bracket their use by mark and release.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_TOPOLOGY_H
#define CHORALE_ALGORITHMS_ENGINES_TOPOLOGY_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

struct chorale_topology {
    int nodes;               /* number of nodes */
    int node;                /* this rank's node; nodes are numbered from 0 in
                              * order of their lowest ranks */
    int *index;              /* [size] node of each rank */
    int *order;              /* [size] ranks grouped by node, ascending */
    int *start;              /* [nodes + 1] start of each node in order */
    int in_order;            /* 1: order is 0, 1, 2, ... */
    int leads;               /* 1: this rank is its node's leader */
    int lead;                /* rank of this node's leader in inner */
    struct chorale_ctx inner; /* this node's ranks, ascending */
    struct chorale_ctx outer; /* leaders in order of nodes; valid on leaders
                               * only */
};

/* The leader of each node is its lowest rank, except that root leads its own
 * node; root -1: no root. Returns an MPI error code. */
int chorale_topology_init(struct chorale_topology *t,
                          struct chorale_ctx *ctx, int root);

/* The same, but each node is split into runs of consecutive ranks led by their
 * last rank, which preserves rank order. Ranks placed in blocks have one run
 * per node. */
int chorale_topology_init_runs(struct chorale_topology *t,
                               struct chorale_ctx *ctx);

/* Groups of group consecutive ranks instead of nodes, regardless of placement;
 * the last group may be smaller. */
int chorale_topology_init_groups(struct chorale_topology *t,
                                 struct chorale_ctx *ctx, int group);

/* members: number of ranks of a node. regular: 1 if it is equal for all
 * nodes. */
int chorale_topology_members(const struct chorale_topology *t, int node);
int chorale_topology_regular(const struct chorale_topology *t);

/* Bytes and displacements of each node's blocks, stored node after node, with m
 * bytes per rank. Takes scratch of ctx. Returns an MPI error code. */
int chorale_topology_counts(const struct chorale_topology *t,
                            struct chorale_ctx *ctx, size_t m,
                            MPI_Count **counts_p, MPI_Aint **displs_p);

/* Bytes of scratch that the functions above need for pt->comm_size ranks. */
size_t chorale_topology_scratch(const struct chorale_point *pt);

/* The two levels at pt, for ranks placed in blocks of pt->ppn >= 1. Sets
 * comm_size and root for a full node and for the leaders; msg_size stays that
 * of pt. */
void chorale_topology_points(const struct chorale_point *pt,
                             struct chorale_point *inner,
                             struct chorale_point *outer);

#endif
