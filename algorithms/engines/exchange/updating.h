/* SPDX-License-Identifier: BSD-3-Clause */
/* updating.h - alltoall between neighbours only: updating of Chen and Lee.
 *
 * Ranks form a line or a ring; several may run at a time in the rows and
 * columns of a mesh. Every place has a block of m bytes for every other place.
 * In a slot a rank sends at most one message to each neighbour and receives one
 * from each, which needs two ports. With one port a slot takes twice as long.
 * Costs with two ports:
 *
 * LINE      floor(n^2/4) (alpha + m beta). Step s serves the two ends of the
 *           places s ... n - 1 - s, in n - 1 - 2 s slots. All places' blocks
 *           for the far end go first, then the near end's blocks for all
 *           places, farthest first; after that both ends are done. A block is
 *           passed on in the slot after its arrival.
 * TOGETHER  sum for k = 1 ... n - 1 of alpha + k m beta. In slot t, one message
 *           has all blocks of the place t behind that go further.
 * RING      as TOGETHER, in the shorter direction: floor(n/2) slots,
 *           floor(n^2/4) m/2 bytes. If n is even, half of the block for the
 *           opposite place goes in each direction.
 *
 * Source  Chen, Lee, propositions 3.1 and 3.3; Chen's thesis, Cornell, 1993
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_UPDATING_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_UPDATING_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

enum chorale_updating_kind {
    CHORALE_UPDATING_LINE,
    CHORALE_UPDATING_TOGETHER,
    CHORALE_UPDATING_RING
};

/* State of one rank. Place i is rank base + i stride; this rank has place. */
struct chorale_updating {
    struct chorale_ctx *ctx;
    enum chorale_updating_kind kind;
    int n, place, base, stride;
    const struct chorale_blocks *out, *in; /* n equal blocks each; the own block
                                            * is not touched */
    size_t m;
    /* internal */
    int slot;            /* slots completed */
    int step, at;        /* LINE: current step, and slots completed in it */
    char *hold[2][2];    /* messages to pass on: [direction][slot odd or
                          * even] */
    char *whole;         /* RING: the opposite place's block */
};

/* Start: allocates scratch. The caller sets the fields above "internal". */
int chorale_updating_init(struct chorale_updating *u);

/* 1 while slots remain. */
int chorale_updating_more(const struct chorale_updating *u);

/* Post the messages of the next slot: sets req[0 ... 3], some to
 * MPI_REQUEST_NULL. */
int chorale_updating_post(struct chorale_updating *u, MPI_Request *req);

/* Store the data received, after all requests have completed. */
int chorale_updating_done(struct chorale_updating *u);

/* The alltoall of one call among all ranks, with separate buffers. */
int chorale_updating_run(const struct chorale_call *call,
                         enum chorale_updating_kind kind);

/* Its cost with one port, an upper bound: the two links take turns, and a step
 * may wait for one message of the step before. Appends to nterm terms and
 * returns the new number. */
int chorale_cost_updating(enum chorale_updating_kind kind, int n, size_t m,
                          struct chorale_term *term, int nterm);

/* Upper bound on one rank's bytes of scratch. */
size_t chorale_scratch_updating(enum chorale_updating_kind kind, int n,
                                size_t m);

#endif
