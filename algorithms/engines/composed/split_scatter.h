/* SPDX-License-Identifier: BSD-3-Clause */
/* split_scatter.h - broadcast of long vectors by scatter and allgather.
 *
 * The root scatters the vector in P parts, then all ranks gather all parts.
 * Parts are ranges of packed bytes, because ranks may describe the vector by
 * different types; a type with gaps is packed into scratch. Part v belongs to
 * virtual rank v = (rank - root) mod P. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_SPLIT_SCATTER_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_SPLIT_SCATTER_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/gather_all.h"

/* The allgather phase (one of gather_all.h) with its own radix. */
typedef int chorale_spread(struct chorale_ctx *ctx,
                           const struct chorale_blocks *b, int root,
                           int radix);

/* The broadcast: a k-nomial scatter of the given radix (2: binomial), farthest
 * child first, then spread. With fewer bytes than ranks, the scatter sends no
 * messages to subtrees whose parts are empty. Returns an MPI error code. */
int chorale_bcast_scattered(const struct chorale_call *call, long radix,
                            chorale_spread *spread, int spread_radix);

/* The scatter's critical path. The root finishes last and keeps one of the
 * largest parts. Fills at most one term and returns how many. */
int chorale_cost_split_scatter(const struct chorale_point *pt, long radix,
                               struct chorale_term *term);

#endif
