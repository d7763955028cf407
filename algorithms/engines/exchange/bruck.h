/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.h - alltoall in about lg P rounds by Bruck's algorithm with any radix.
 *
 * A block with i ranks to go (upwards, modulo P) takes one hop for each
 * non-zero digit of i: digit d at position j is a hop of d k^j. All blocks with
 * the same digit there travel in one message, and all messages of one position
 * are in flight together. A block leaves the caller's buffer at its first hop
 * and enters it at its last, so no rotation is needed.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_BRUCK_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_BRUCK_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/exchange_all.h"

/* Run the alltoall. Every block travels as slot bytes, the size of the largest
 * block; with equal blocks, their size. k >= 2 is the radix. Works in place.
 * Returns an MPI error code. */
int chorale_bruck(const struct chorale_exchange *ex, size_t slot, int k);

/* Number of blocks in one message: numbers below size that have digit at the
 * position of the given weight, a power of k. */
int chorale_bruck_blocks(int size, int k, long weight, int digit);

/* Critical path, exact for k = 2: all ranks send alike. Returns the number of
 * terms. */
int chorale_cost_bruck(int size, int k, double slot,
                       struct chorale_term *term);

/* Bytes of scratch with equal blocks; with given blocks it is at least two
 * slots. */
size_t chorale_scratch_bruck(int size, int k, size_t slot, int in_place);

#endif
