/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_all.h - direct exchanges of alltoall and alltoallv.
 *
 * A function that takes a call can serve as a variant's run(), for both
 * collectives: blocks are equal if call->recvcounts is NULL, else given. Empty
 * given blocks are not sent, since both ends know their size. Each returns an
 * MPI error code and completes its requests even after an error. Costs are for
 * a one-port network; m is the bytes of one block.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_EXCHANGE_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_EXCHANGE_ALL_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

/* The two sides of one call. */
struct chorale_exchange {
    struct chorale_ctx *ctx;
    struct chorale_blocks out; /* block i goes to rank i; in place: same as
                                * in */
    struct chorale_blocks in;  /* block i comes from rank i */
    int in_place;
    int empties; /* 1: empty given blocks are sent too. Otherwise a rank with an
                  * empty block would be a round ahead and compete for the ports
                  * of others */
};

struct chorale_exchange chorale_exchange_of(const struct chorale_call *call);

/* 1 if a given block is empty: both ends know its size, so it is not sent. */
static inline int chorale_exchange_void(const struct chorale_blocks *b,
                                        MPI_Count count)
{
    return b->counts != NULL &&
           (count == 0 || chorale_type_size(b->type) == 0);
}

/* 1 if a block of count elements is sent or received. */
static inline int chorale_exchange_sent(const struct chorale_exchange *ex,
                                        const struct chorale_blocks *b,
                                        MPI_Count count)
{
    return ex->empties || !chorale_exchange_void(b, count);
}

/* Copy this rank's block for itself; no effect in place. */
int chorale_exchange_own(const struct chorale_exchange *ex);

/* Send the block for dest while the block from source is received. Do not use
 * in place, unless the block in source's place need not be sent any more. */
int chorale_exchange_round(const struct chorale_exchange *ex, int dest,
                           int source);

/* Rounds i = 1 ... P - 1. Shift: send to the rank i above, receive from the
 * rank i below. Xor: exchange with rank xor i (P a power of two). Separate
 * buffers. Cost (P - 1) (alpha + m beta). */
int chorale_exchange_shift(const struct chorale_call *call);
int chorale_exchange_xor(const struct chorale_call *call);

/* The same; empties: empty blocks are sent too. */
int chorale_exchange_shift_with(const struct chorale_call *call, int empties);
int chorale_exchange_xor_with(const struct chorale_call *call, int empties);

/* Partner of rank in round i (0 <= i < P - 1 + P % 2) of a round-robin
 * tournament; -1: no partner in this round. Every pair meets once, and no rank
 * meets itself. */
int chorale_tournament(int rank, int size, int i);

/* Exchange blocks in pairs by a tournament. Works in place, with one block of
 * scratch. P - 1 rounds for even P, P for odd P. */
int chorale_exchange_replace(const struct chorale_call *call);

/* Shifts by -1, 1, -2, 2, ...; a block is saved while the opposite one is sent.
 * Works in place, with one block of scratch. Cost (P - 1) (alpha + m beta). */
int chorale_exchange_shift_in_place(const struct chorale_call *call);

/* Scratch of these two: the largest block if in place, else 0. The first is for
 * equal blocks, the second for those of the ramp. */
size_t chorale_scratch_in_place(const struct chorale_point *pt);
size_t chorale_scratch_in_place_v(const struct chorale_point *pt);

/* Post all receives, then the sends; wait for all sends after every max_reqs-th
 * and at the end; 0: no limit. Receives complete in any order. Separate
 * buffers. */
int chorale_exchange_linear(const struct chorale_call *call, long max_reqs);

/* Post max_reqs receives and sends, wait for all, and repeat. */
int chorale_exchange_batches(const struct chorale_call *call, long max_reqs);

/* Keep max_reqs receives and max_reqs sends in flight: as soon as one
 * completes, the next of its kind is posted. */
int chorale_exchange_window(const struct chorale_call *call, long max_reqs);

/* Largest number of requests in flight per side. */
int chorale_exchange_width(long max_reqs, int size);

/* Ways to synchronise the rounds of chorale_exchange_shift or _xor. light:
 * before each round but the first, the receiver of a block sends the sender an
 * empty message. full: a barrier before each round. once: one barrier before
 * the first round. */
enum chorale_exchange_barrier {
    CHORALE_EXCHANGE_LIGHT,
    CHORALE_EXCHANGE_FULL,
    CHORALE_EXCHANGE_ONCE
};


/* run, refuses and cost for the parameters kind, order (of the pairs) and, for
 * given blocks, empty. The cost is that of the synchronising messages only, as
 * the first terms. */
int chorale_exchange_barriers(const struct chorale_call *call);
const char *chorale_refuses_barriers(const struct chorale_point *pt);
int chorale_cost_barriers(const struct chorale_point *pt,
                          struct chorale_term *term);

extern const long chorale_empty_modes[];
extern const char *const chorale_empty_mode_word[];

#define CHORALE_EXCHANGE_EMPTY_PARAM                                         \
    {                                                                        \
        .name = "empty", .unit = "blocks without bytes", .def = 0,           \
        .min = 0, .max = 1, .candidate = chorale_empty_modes,                \
        .ncandidate = 2,                                                     \
        .word = chorale_empty_mode_word                                      \
    }

extern const long chorale_barrier_kinds[], chorale_barrier_orders[];
extern const char *const chorale_barrier_kind_word[];
extern const char *const chorale_barrier_order_word[];

#define CHORALE_BARRIER_KIND_PARAM                                           \
    {                                                                        \
        .name = "kind", .unit = "synchronisation",                           \
        .def = CHORALE_EXCHANGE_LIGHT, .min = 0, .max = 2,                   \
        .candidate = chorale_barrier_kinds, .ncandidate = 3,                 \
        .word = chorale_barrier_kind_word                                    \
    }
#define CHORALE_BARRIER_ORDER_PARAM                                          \
    {                                                                        \
        .name = "order", .unit = "of the pairs", .def = 1, .min = 0,         \
        .max = 1, .candidate = chorale_barrier_orders, .ncandidate = 2,      \
        .word = chorale_barrier_order_word                                   \
    }

/* Bytes of the requests of chorale_exchange_linear and
 * chorale_exchange_window. */
size_t chorale_scratch_linear(const struct chorale_point *pt);
size_t chorale_scratch_window(const struct chorale_point *pt);

/* Cost of alltoallv on the ramp: no round takes longer than its largest block,
 * an upper bound for every order of rounds. _with: empties: empty blocks are
 * sent. */
int chorale_cost_exchange_v(const struct chorale_point *pt,
                            struct chorale_term *term);
int chorale_cost_exchange_v_with(const struct chorale_point *pt, int empties,
                                 struct chorale_term *term);

/* The same with several messages in flight. A port serves messages in any
 * order, so it may wait for small ones: the bound adds a third of the messages
 * and an eighth of the bytes. */
int chorale_cost_in_flight_v(const struct chorale_point *pt,
                             struct chorale_term *term);

/* max_reqs, the first parameter of the variants that have it. */
#define CHORALE_EXCHANGE_MAX_REQS(value, list)                               \
    {                                                                        \
        .name = "max_reqs", .unit = "messages in flight, 0: no limit",       \
        .def = value, .min = 0, .max = INT_MAX, .candidate = list,           \
        .ncandidate = sizeof(list) / sizeof(*list),                          \
    }

#endif
