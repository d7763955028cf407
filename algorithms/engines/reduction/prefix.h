/* SPDX-License-Identifier: BSD-3-Clause */
/* prefix.h - algorithms shared by scan and exscan.
 *
 * All preserve rank order, so they are valid for any operation, and accept
 * MPI_IN_PLACE. inclusive: 1 for scan; 0 for exscan, which does not write
 * recvbuf on rank 0. Each run function returns an MPI error code.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_PREFIX_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_PREFIX_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* This rank's operand: sendbuf, or recvbuf if in place. */
const void *chorale_prefix_own(const struct chorale_call *call);

/* Copy the operand to recvbuf, unless in place: the first step of every
 * scan. */
int chorale_prefix_start(const struct chorale_call *call);

/* Chain: every rank combines the value from the rank below with its operand and
 * sends the result upwards, in segments of segsize bytes (0: whole) that
 * overlap. */
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

/* Exchange with the rank at distance 1, 2, 4, ... (rank xor 2^j). Each rank
 * keeps its result so far and the value of its whole group. Any number of
 * ranks. */
int chorale_prefix_recursive_doubling(const struct chorale_call *call,
                                      int inclusive);

/* Inclusive prefix of the values in acc over ranks first ... size - 1, which
 * must include this rank; in place. Round j sends from rank - 2^j to rank, and
 * from rank to rank + 2^j. tmp has room for one value if rank > first. */
int chorale_prefix_shifts(const struct chorale_call *call, void *acc,
                          void *tmp, int first);

/* Critical paths of the functions above. The chain is exact; recursive doubling
 * is exact at powers of two, else an upper bound. Each fills term as
 * chorale_alg.cost does. */
int chorale_prefix_chain_cost(const struct chorale_point *pt, long segsize,
                              int inclusive, struct chorale_term *term);
int chorale_prefix_recursive_doubling_cost(const struct chorale_point *pt,
                                           int inclusive,
                                           struct chorale_term *term);

/* Their bytes of scratch. */
size_t chorale_prefix_chain_scratch(const struct chorale_point *pt,
                                    long segsize, int inclusive);
size_t chorale_prefix_recursive_doubling_scratch(
    const struct chorale_point *pt);

#endif
