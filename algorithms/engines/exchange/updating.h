/* SPDX-License-Identifier: BSD-3-Clause */
/* updating.h - alltoall between neighbours only: the updating of Chen and
 * Lee, on a line or a ring of ranks, several of which may be under way in
 * different ranks' rows and columns at a time.
 *
 * Every place has a block of m bytes for every other place. In a slot a rank
 * sends at most one message to each neighbour and receives one from each: two
 * ports. With one port a slot costs twice. Costs with two ports:
 *
 * LINE      floor(n^2/4) (alpha + m beta). Step s serves the two ends of the
 *           places s ... n - 1 - s, in n - 1 - 2 s slots: everybody's blocks
 *           for the far end run ahead of the near end's blocks for everybody,
 *           farthest first; after that both ends are done. A block is passed
 *           on in the slot after it came.
 * TOGETHER  sum for k = 1 ... n - 1 of alpha + k m beta: in slot t all blocks
 *           of the place t behind that still go on, in one message.
 * RING      as TOGETHER, the shorter way round: floor(n/2) slots,
 *           floor(n^2/4) m/2 bytes. With even n one half of the block for the
 *           opposite place goes each way.
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

/* One rank's part. Place i is rank base + i stride; this rank's is place. */
struct chorale_updating {
    struct chorale_ctx *ctx;
    enum chorale_updating_kind kind;
    int n, place, base, stride;
    const struct chorale_blocks *out, *in; /* n equal blocks each; the own
                                            * one is left alone */
    size_t m;
    /* inside */
    int slot;            /* slots done */
    int step, at;        /* LINE: the step, the slots of it that are done */
    char *hold[2][2];    /* messages to pass on: direction, even slots */
    char *whole;         /* RING: the opposite place's block */
};

/* Start: allocates scratch. The fields above "inside" are set. */
int chorale_updating_init(struct chorale_updating *u);

/* 1 while there are slots to do. */
int chorale_updating_more(const struct chorale_updating *u);

/* Post the messages of the next slot: req[0 ... 3], null ones among them. */
int chorale_updating_post(struct chorale_updating *u, MPI_Request *req);

/* They have ended: take what came. */
int chorale_updating_done(struct chorale_updating *u);

/* The alltoall of one call on all ranks, separate buffers. */
int chorale_updating_run(const struct chorale_call *call,
                         enum chorale_updating_kind kind);

/* Its cost with one port, a bound: the line's links take turns, and a step
 * may wait for one message of the step before. Adds to nterm terms and returns
 * how many there are then. */
int chorale_cost_updating(enum chorale_updating_kind kind, int n, size_t m,
                          struct chorale_term *term, int nterm);

/* Scratch of one rank, bytes at most. */
size_t chorale_scratch_updating(enum chorale_updating_kind kind, int n,
                                size_t m);

#endif
