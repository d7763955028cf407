/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - the two levels of a communicator: the ranks of each node, and
 * one leader of each node. Any placement of ranks on nodes will do.
 *
 * The levels are views (context.h), on which variants run as on communicators.
 * What they are made of is scratch: everything goes between mark and release
 * of the caller.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_TOPOLOGY_H
#define CHORALE_ALGORITHMS_ENGINES_TOPOLOGY_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

struct chorale_topology {
    int nodes;               /* how many */
    int node;                /* this rank's; nodes are numbered from 0, by
                              * their lowest ranks */
    int *index;              /* [size] node of each rank */
    int *order;              /* [size] ranks, node after node, ascending */
    int *start;              /* [nodes + 1] of each node in order */
    int in_order;            /* order is 0, 1, 2, ... */
    int leads;               /* this rank is its node's leader */
    int lead;                /* place of this node's leader in inner */
    struct chorale_ctx inner; /* this node's ranks, ascending */
    struct chorale_ctx outer; /* leaders, node after node; leaders only */
};

/* The lowest rank of each node leads it, but on the node of root, which leads
 * there; root is -1 where there is none. Returns an MPI error code. */
int chorale_topology_init(struct chorale_topology *t,
                          struct chorale_ctx *ctx, int root);

/* The same with nodes cut into runs of consecutive ranks, each led by its last
 * one: what keeps rank order. Ranks placed in blocks have a run a node. */
int chorale_topology_init_runs(struct chorale_topology *t,
                               struct chorale_ctx *ctx);

/* Groups of so many consecutive ranks in the place of nodes, wherever these
 * are; the last one may have fewer. */
int chorale_topology_init_groups(struct chorale_topology *t,
                                 struct chorale_ctx *ctx, int group);

/* Ranks of a node; 1 if that is the same for all nodes. */
int chorale_topology_members(const struct chorale_topology *t, int node);
int chorale_topology_regular(const struct chorale_topology *t);

/* Blocks of m bytes a rank, node after node: bytes of each node, and where
 * they start. Takes scratch of ctx. Returns an MPI error code. */
int chorale_topology_counts(const struct chorale_topology *t,
                            struct chorale_ctx *ctx, size_t m,
                            MPI_Count **counts_p, MPI_Aint **displs_p);

/* Scratch of these at comm_size. */
size_t chorale_topology_scratch(const struct chorale_point *pt);

/* The levels at pt, for ranks placed in blocks of ppn: comm_size and root of
 * a full node, and of the leaders; msg_size is pt's. */
void chorale_topology_points(const struct chorale_point *pt,
                             struct chorale_point *inner,
                             struct chorale_point *outer);

#endif
