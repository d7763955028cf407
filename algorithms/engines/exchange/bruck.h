/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.h - alltoall in about lg P messages a rank: Bruck et al.'s exchange
 * with any radix. The block that has i ranks to go (upwards, modulo P) takes
 * one hop for each digit of i other than 0: digit d at place j is a hop of
 * d k^j. All blocks with that digit there travel in one message; the messages
 * of one place are under way together.
 *
 * A block leaves the caller's buffer at its first hop and enters it at its
 * last, so nothing is rotated.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_BRUCK_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_BRUCK_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/exchange_all.h"

/* Every block travels as slot bytes, which no block may exceed: with equal
 * blocks their size. k >= 2. Works in place. Returns an MPI error code. */
int chorale_bruck(const struct chorale_exchange *ex, size_t slot, int k);

/* Of the numbers below size, how many have digit at the place of weight
 * (a power of k): the blocks in that message. */
int chorale_bruck_blocks(int size, int k, long weight, int digit);

/* The critical path, exact for k = 2: every rank sends alike. Returns the
 * terms. */
int chorale_cost_bruck(int size, int k, double slot,
                       struct chorale_term *term);

/* Scratch of chorale_bruck with equal blocks, bytes; with given blocks it is
 * two slots at least. */
size_t chorale_scratch_bruck(int size, int k, size_t slot, int in_place);

#endif
