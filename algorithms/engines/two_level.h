/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.h - blocks on the two levels of topology.h, as packed bytes: those
 * of a node travel together, node after node. */
#ifndef CHORALE_ALGORITHMS_TWO_LEVEL_H
#define CHORALE_ALGORITHMS_TWO_LEVEL_H

#include "algorithms/engines/topology.h"

/* How the blocks of nodes travel between a root's node and the others. */
enum { CHORALE_OUTER_BINOMIAL, CHORALE_OUTER_LINEAR, CHORALE_OUTERS };
extern const char *const chorale_outer_word[];

/* Among the leaders, blocks of m bytes a rank: from mine of each to all of
 * the leader of node root, where its own ones are in place already; or the
 * other way. Takes scratch. Each returns an MPI error code. */
int chorale_outer_gather(struct chorale_topology *t, int root, long outer,
                         size_t m, void *all, void *mine);
int chorale_outer_scatter(struct chorale_topology *t, int root, long outer,
                          size_t m, void *all, void *mine);

/* Critical path and scratch at the outer point of chorale_topology_points();
 * ppn: of the point it was made from. */
int chorale_outer_cost(const struct chorale_point *out, long outer, int ppn,
                       struct chorale_term *term);
size_t chorale_outer_scratch(const struct chorale_point *out, long outer,
                             int ppn);

/* Blocks as they lie in buf, of count elements of type a rank, from or to
 * bytes, where they lie node after node. except: the rank whose block is left
 * alone, or -1. */
int chorale_nodes_pack(struct chorale_ctx *ctx,
                       const struct chorale_topology *t, const void *buf,
                       MPI_Count count, MPI_Datatype type, char *bytes);
int chorale_nodes_unpack(struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const char *bytes,
                         void *buf, MPI_Count count, MPI_Datatype type,
                         int except);

#endif
