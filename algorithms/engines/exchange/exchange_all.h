/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_all.h - every rank has a block for every rank: the direct
 * exchanges behind alltoall and alltoallv.
 *
 * A function that takes a call is a variant's run and serves both
 * collectives: blocks are equal if call->recvcounts is NULL, else given. With
 * given blocks both ends know which are empty: those are not sent. Each
 * returns an MPI error code; requests under way are completed even after an
 * error. Costs are on a one-port network, m is the bytes of one block.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_EXCHANGE_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_EXCHANGE_ALL_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

/* The two sides of one call. */
struct chorale_exchange {
    struct chorale_ctx *ctx;
    struct chorale_blocks out; /* block i goes to rank i; in place: as in */
    struct chorale_blocks in;  /* block i comes from rank i */
    int in_place;
    int empties; /* given blocks without bytes are sent too: who has one would
                  * else be a round ahead of the others, and in their way */
};

struct chorale_exchange chorale_exchange_of(const struct chorale_call *call);

/* A given block without bytes: both ends know, nothing is sent. */
static inline int chorale_exchange_void(const struct chorale_blocks *b,
                                        MPI_Count count)
{
    return b->counts != NULL &&
           (count == 0 || chorale_type_size(b->type) == 0);
}

/* Is a block of that many elements sent, or received? */
static inline int chorale_exchange_sent(const struct chorale_exchange *ex,
                                        const struct chorale_blocks *b,
                                        MPI_Count count)
{
    return ex->empties || !chorale_exchange_void(b, count);
}

/* Copy this rank's block for itself. Nothing in place. */
int chorale_exchange_own(const struct chorale_exchange *ex);

/* Send the block for dest while the block from source comes in. Not in
 * place, unless the block from source is not to be sent any more. */
int chorale_exchange_round(const struct chorale_exchange *ex, int dest,
                           int source);

/* Round i, 1 <= i < P: to the rank i above, from the rank i below; to the rank
 * that differs by xor i (P a power of two). Separate buffers.
 * (P - 1) (alpha + m beta). */
int chorale_exchange_shift(const struct chorale_call *call);
int chorale_exchange_xor(const struct chorale_call *call);

/* The same with empties, or without. */
int chorale_exchange_shift_with(const struct chorale_call *call, int empties);
int chorale_exchange_xor_with(const struct chorale_call *call, int empties);

/* Who exchanges with rank in round i (0 <= i < P - 1 + P % 2) of a
 * tournament, in which every pair meets once: never rank itself; -1: nobody,
 * it pauses. */
int chorale_tournament(int rank, int size, int i);

/* The pairs of a tournament exchange blocks. Works in place, with one block of
 * scratch. P - 1 rounds for even P, P for odd P. */
int chorale_exchange_replace(const struct chorale_call *call);

/* Shifts by -1, 1, -2, 2, ...: a block is saved while the opposite one is
 * sent. Works in place, with one block of scratch.
 * (P - 1) (alpha + m beta). */
int chorale_exchange_shift_in_place(const struct chorale_call *call);

/* Their scratch: the largest block in place, else nothing. Equal blocks; those
 * of the ramp. */
size_t chorale_scratch_in_place(const struct chorale_point *pt);
size_t chorale_scratch_in_place_v(const struct chorale_point *pt);

/* All receives are posted, then the sends: wait for all of them after every
 * max_reqs-th and at the end; 0: no limit. Receives are taken as they come.
 * Separate buffers. */
int chorale_exchange_linear(const struct chorale_call *call, long max_reqs);

/* max_reqs receives and sends are posted and waited for at a time. */
int chorale_exchange_batches(const struct chorale_call *call, long max_reqs);

/* max_reqs receives and as many sends are under way: the next one is posted
 * as soon as one of its kind has ended. */
int chorale_exchange_window(const struct chorale_call *call, long max_reqs);

/* Requests of a side under way at most. */
int chorale_exchange_width(long max_reqs, int size);

/* Rounds of chorale_exchange_shift or _xor that start alike. light: before a
 * block is sent, whoever gets it tells the sender so by an empty message, but
 * for the first; full: a barrier before each round; once: one barrier, before
 * the first. */
enum chorale_exchange_barrier {
    CHORALE_EXCHANGE_LIGHT,
    CHORALE_EXCHANGE_FULL,
    CHORALE_EXCHANGE_ONCE
};


/* By the parameters kind, order (of the pairs) and, of given blocks, empty:
 * run, refuses, and what those empty messages take, as terms before others. */
int chorale_exchange_barriers(const struct chorale_call *call);
const char *chorale_refuses_barriers(const struct chorale_point *pt);
int chorale_cost_barriers(const struct chorale_point *pt,
                          struct chorale_term *term);

extern const long chorale_empties[];
extern const char *const chorale_empties_word[];

#define CHORALE_EXCHANGE_EMPTY_PARAM                                         \
    {                                                                        \
        .name = "empty", .unit = "blocks without bytes", .def = 0,           \
        .min = 0, .max = 1, .candidate = chorale_empties, .ncandidate = 2,   \
        .word = chorale_empties_word                                         \
    }

extern const long chorale_barrier_kinds[], chorale_barrier_orders[];
extern const char *const chorale_barrier_kind_word[];
extern const char *const chorale_barrier_order_word[];

#define CHORALE_BARRIER_KIND_PARAM                                           \
    {                                                                        \
        .name = "kind", .unit = "what rounds wait for",                      \
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

/* Bytes of the requests of each. */
size_t chorale_scratch_linear(const struct chorale_point *pt);
size_t chorale_scratch_window(const struct chorale_point *pt);

/* alltoallv on the ramp where no round takes longer than its largest block:
 * a bound for every order of rounds. _with: empties, where none has bytes. */
int chorale_cost_exchange_v(const struct chorale_point *pt,
                            struct chorale_term *term);
int chorale_cost_exchange_v_with(const struct chorale_point *pt, int empties,
                                 struct chorale_term *term);

/* The same with several messages in flight: a port may also wait for small
 * ones, as it takes them in any order, a third more of them; and stand idle for
 * an eighth of the bytes. */
int chorale_cost_in_flight_v(const struct chorale_point *pt,
                             struct chorale_term *term);

/* max_reqs, the first parameter of those that have it. */
#define CHORALE_EXCHANGE_MAX_REQS(value, list)                               \
    {                                                                        \
        .name = "max_reqs", .unit = "messages in flight, 0: no limit",       \
        .def = value, .min = 0, .max = INT_MAX, .candidate = list,           \
        .ncandidate = sizeof(list) / sizeof(*list),                          \
    }

#endif
