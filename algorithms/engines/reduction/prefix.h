/* SPDX-License-Identifier: BSD-3-Clause */
/* prefix.h - what scan and exscan share. All keep rank order, so they are
 * right for any operation, and take MPI_IN_PLACE.
 *
 * inclusive: 1 for scan, 0 for exscan, whose rank 0 leaves recvbuf alone.
 * Each run function returns an MPI error code.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_PREFIX_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_PREFIX_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* This rank's operand. */
const void *chorale_prefix_own(const struct chorale_call *call);

/* The operand into recvbuf, unless it is there: how every scan begins. */
int chorale_prefix_start(const struct chorale_call *call);

/* A chain: every rank adds its operand to what comes from the rank below and
 * sends that on, in segments of segsize bytes (0: whole), which overlap. */
int chorale_prefix_chain(const struct chorale_call *call, long segsize,
                         int inclusive);

enum { CHORALE_PREFIX_NSEGSIZE = 10 };
extern const long chorale_prefix_segsizes[CHORALE_PREFIX_NSEGSIZE];
#define CHORALE_PREFIX_SEGSIZE_PARAM                                         \
    {                                                                        \
        .name = "segsize", .unit = "bytes, 0: one segment",                  \
        .def = 8L << 10, .min = 0, .max = LONG_MAX,                          \
        .candidate = chorale_prefix_segsizes,                                \
        .ncandidate = CHORALE_PREFIX_NSEGSIZE                                \
    }

/* Exchanges with the rank at distance 1, 2, 4, ... in number (rank xor 2^j):
 * each rank keeps the result so far and that of its whole group; any size. */
int chorale_prefix_recursive_doubling(const struct chorale_call *call,
                                      int inclusive);

/* The inclusive prefix of the values in acc over the ranks first ... size - 1,
 * of which this is one, in place: from rank - 2^j to rank + 2^j in round j.
 * tmp: room for one more value where rank > first. */
int chorale_prefix_shifts(const struct chorale_call *call, void *acc,
                          void *tmp, int first);

/* Critical paths of the above, exact; of recursive doubling exact at powers of
 * two and an upper bound elsewhere. Each fills term as chorale_alg.cost. */
int chorale_prefix_chain_cost(const struct chorale_point *pt, long segsize,
                              int inclusive, struct chorale_term *term);
int chorale_prefix_recursive_doubling_cost(const struct chorale_point *pt,
                                           int inclusive,
                                           struct chorale_term *term);

/* Their scratch. */
size_t chorale_prefix_chain_scratch(const struct chorale_point *pt,
                                    long segsize, int inclusive);
size_t chorale_prefix_recursive_doubling_scratch(
    const struct chorale_point *pt);

#endif
