/* SPDX-License-Identifier: BSD-3-Clause */
/* fast.h - what an interposed name knows of its thread's last communicator:
 * a call like an earlier one is passed on, or to its variant, after one look.
 * No mpi.h: handles are machine words here, see shim.c. */
#ifndef CHORALE_ALGORITHMS_FAST_H
#define CHORALE_ALGORITHMS_FAST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/coll.h"

typedef intptr_t chorale_word;

/* For the few variables of a thread that each call looks at: without a call
 * of the loader's. */
#define CHORALE_TLS __attribute__((tls_model("initial-exec")))
#define CHORALE_HIDDEN __attribute__((visibility("hidden")))

/* Of the library's communicators a call may take at once: */
enum {
    CHORALE_NEEDS_ONE = 1,
    CHORALE_NEEDS_SOME = 4   /* a window, a file and the like; no fewer */
};

/* What a processor fetches at once. */
#define CHORALE_LINE 64

struct chorale_plan;
struct chorale_state;

/* What a call ran, or is to run. */
struct chorale_chosen {
    const struct chorale_plan *plan; /* NULL: nothing yet */
    size_t msg_size;
    unsigned char commutative;
    unsigned char passes;    /* plan is the library's; and, of what is known: */
    unsigned char pattern;   /* of the addresses, chorale_pattern() */
    unsigned char care;      /* its bits that have to be the same */
    unsigned short extent;   /* of the type, of a call with arrays or with a
                              * block of each rank; 0: it does not matter */
};

/* What is to be done with a call, by what is known: */
enum chorale_way {
    CHORALE_ASK,             /* not enough: chorale_shim_call() */
    CHORALE_LOOK,            /* chorale_shim_look() */
    CHORALE_ARRAYS,          /* chorale_arrays_NAME() */
    CHORALE_PASS,            /* the library's */
    CHORALE_AGAIN            /* chorale_again_NAME() */
};

/* The arguments of a call that need not be looked at again. */
struct chorale_known {
    struct chorale_chosen chosen;
    int64_t sendcount, recvcount;
    chorale_word sendtype, recvtype, op;
};

_Static_assert(sizeof(struct chorale_known) <= CHORALE_LINE,
               "one line is fetched");

enum { CHORALE_NKNOWN = 8 };

/* Of a communicator and a collective. */
struct chorale_recall {
    _Alignas(CHORALE_LINE) struct chorale_known known[CHORALE_NKNOWN];
    const struct chorale_chosen *ran; /* by the last call; NULL: none yet */
};

/* Of a thread: the communicator of its last call. */
struct chorale_fast {
    _Alignas(CHORALE_LINE)
    uint64_t epoch;          /* as long as this is chorale_epoch; 0: nothing */
    chorale_word comm, mask; /* its handle; the bits of a handle that count */
    const void *in_place;    /* MPI_IN_PLACE */
    struct chorale_state *state;   /* NULL: it is the library's */
    struct chorale_recall *recall; /* [CHORALE_NCOLL] of it */
    unsigned pass;           /* bit per collective: the library's, whatever
                              * the arguments; all without a state */
    int rank, size;
};

_Static_assert(sizeof(struct chorale_fast) <= CHORALE_LINE,
               "one line is fetched");

extern _Thread_local struct chorale_fast chorale_fast CHORALE_TLS
    CHORALE_HIDDEN;

/* Goes on by two whenever what threads keep may have become wrong: a
 * communicator with a value of ours was freed. Odd: calls are traced, each
 * has to be looked at. */
extern atomic_ullong chorale_epoch CHORALE_HIDDEN;

enum { CHORALE_EPOCH_TRACED = 1, CHORALE_EPOCH_STEP = 2 };

enum { CHORALE_SEND_IN_PLACE = 4, CHORALE_RECV_IN_PLACE = 8 };

/* Which of a call's addresses are null, in place, or the same. */
static inline unsigned chorale_pattern(const void *in, const void *out,
                                       const void *in_place)
{
    return (unsigned)(in == NULL) | (unsigned)(out == NULL) << 1
         | (unsigned)(in == in_place) << 2
         | (unsigned)(out == in_place) << 3 | (unsigned)(in == out) << 4;
}

/* Where a call's arguments are remembered: a root that rotates and a few sizes
 * in turn do not push each other out. */
static inline struct chorale_known *
chorale_known_place(struct chorale_recall *recall, int64_t sendcount,
                    int64_t recvcount, int is_root)
{
    uint64_t mixed = ((uint64_t)sendcount + (uint64_t)recvcount)
                   * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */

    return &recall->known[mixed >> 62 | (unsigned)is_root << 2];
}

/* 1 if those arguments are the call's. */
static inline int
chorale_known_fits(const struct chorale_known *known, chorale_word mask,
                   int64_t sendcount, int64_t recvcount,
                   chorale_word sendtype, chorale_word recvtype,
                   chorale_word op, unsigned pattern)
{
    const chorale_word handles = (known->sendtype ^ sendtype)
                               | (known->recvtype ^ recvtype)
                               | (known->op ^ op);
    const int64_t counts = (known->sendcount ^ sendcount)
                         | (known->recvcount ^ recvcount);
    const unsigned kind = (known->chosen.pattern ^ pattern)
                        & known->chosen.care;

    return ((handles & mask) | counts | kind) == 0;
}

/* What stands for the count of a call with significant arrays, negative, which
 * no call's own count is: whatever they are, or, less, what they sum to. */
enum { CHORALE_MANY = -1 };

static inline int64_t chorale_many_of(int64_t sum)
{
    return CHORALE_MANY - 1 - sum;
}

/* Of these all ranks know the sum, and it matters: those that are not blind
 * (coll.h). Asking there takes 10 ns of a call. */
static inline int chorale_goes_by_sum(enum chorale_coll coll)
{
    return coll == CHORALE_ALLGATHERV || coll == CHORALE_REDUCE_SCATTER;
}

/* The sum of counts; negative if one of them is. */
static inline int64_t chorale_sum_of(const int *counts, int size)
{
    int64_t sum = 0;
    int sign = 0;

    for (int i = 0; i < size; i++) {
        sum += counts[i];
        sign |= counts[i];
    }
    return sign < 0 ? -1 : sum;
}

/* 1 if this rank's own block may be at one address on both sides, of a call
 * that has all blocks on one, each of count elements of that extent: what is
 * remembered of addresses has their first blocks. 0 if the extent is. */
static inline int chorale_own_block_shared(const void *one, const void *all,
                                           int64_t count, int rank,
                                           int extent)
{
    return extent != 0
        && (uintptr_t)one
               == (uintptr_t)all
                      + (uintptr_t)count * (uintptr_t)(rank * extent);
}

#endif
