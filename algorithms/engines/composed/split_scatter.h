/* SPDX-License-Identifier: BSD-3-Clause */
/* split_scatter.h - broadcasts of long vectors: the root scatters the vector
 * in P parts, then all gather all parts. Parts are cut by packed bytes, since
 * ranks may describe the vector by different types; a type with gaps passes
 * through scratch. Part v belongs to virtual rank v = rank - root mod P. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_SPLIT_SCATTER_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_SPLIT_SCATTER_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/gather_all.h"

/* The second half, with a parameter of its own: one of gather_all.h's. */
typedef int chorale_spread(struct chorale_ctx *ctx,
                           const struct chorale_blocks *b, int root,
                           int radix);

/* The broadcast: a k-nomial scatter of that radix (2: binomial), farthest
 * child first, then spread. Of fewer bytes than ranks the scatter sends no
 * messages to subtrees that get none. Returns an MPI error code. */
int chorale_bcast_scattered(const struct chorale_call *call, long radix,
                            chorale_spread *spread, int spread_radix);

/* The scatter's path. The root is the last to leave it, and owns one of the
 * largest parts. Fills at most one term, returns how many. */
int chorale_cost_split_scatter(const struct chorale_point *pt, long radix,
                               struct chorale_term *term);

#endif
