/* SPDX-License-Identifier: BSD-3-Clause */
/* fast_path.h - what an interposed name knows of its thread's last communicator:
 * a call like an earlier one is passed on, or to its variant, after one look.
 * No mpi.h: handles are machine words here, see shim.c. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_FAST_PATH_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_FAST_PATH_H

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
    size_t msg_size;         /* without a plan: how often it was asked for */
    unsigned char commutative;
    unsigned char passes;    /* plan is the library's; and, of what is known: */
    unsigned short pattern;  /* chorale_pattern() of the call, */
    unsigned short care;     /* its bits that have to be the same */
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

/* Pairs of places, in which what is remembered of a communicator lies by its
 * collective, counts, type and operation. */
enum { CHORALE_PAIR_BITS = 6, CHORALE_NKNOWN = 2 << CHORALE_PAIR_BITS };

/* Of a communicator. */
struct chorale_recall {
    _Alignas(2 * CHORALE_LINE) struct chorale_known known[CHORALE_NKNOWN];
    const struct chorale_chosen *ran[CHORALE_NCOLL]; /* by the last call of
                              * each collective; NULL: none yet */
    unsigned turn;           /* which one of a pair is given up next */
    unsigned patience;       /* how often such ended, see call_cache.c */
    int nmortal;             /* how many have CHORALE_MORTAL, or had it */
    unsigned long long types_ended; /* when those were looked through */
};

/* Of a thread: the communicator of its last call. */
struct chorale_fast {
    _Alignas(CHORALE_LINE)
    uint64_t epoch;          /* as long as this is chorale_epoch; 0: nothing */
    chorale_word comm, mask; /* its handle; the bits of a handle that count */
    const void *in_place;    /* MPI_IN_PLACE */
    struct chorale_state *state;   /* NULL: it is the library's */
    struct chorale_recall *recall; /* of it */
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

/* Of this thread: nothing is kept, each call is looked at. */
void chorale_fast_forget(void) CHORALE_HIDDEN;

/* Look for comm among those that this thread called collectives on before its
 * last one, all of them at epoch: 1, it is in chorale_fast now. */
int chorale_fast_switch(chorale_word comm, unsigned long long epoch)
    CHORALE_HIDDEN;

/* Of the bits of a pattern: */
enum {
    CHORALE_SEND_IN_PLACE = 4,
    CHORALE_RECV_IN_PLACE = 8,
    CHORALE_IS_ROOT = 32,
    CHORALE_MORTAL = 128,    /* no call's; of care: it goes when a type ends */
    CHORALE_COLL_SHIFT = 8
};

/* Which of a call's addresses are null, in place, or the same; on the root or
 * not, of which collective. */
static inline unsigned chorale_pattern(enum chorale_coll coll, const void *in,
                                       const void *out, const void *in_place,
                                       int is_root)
{
    return (unsigned)(in == NULL) | (unsigned)(out == NULL) << 1
         | (unsigned)(in == in_place) << 2
         | (unsigned)(out == in_place) << 3 | (unsigned)(in == out) << 4
         | (unsigned)is_root << 5 | (unsigned)coll << CHORALE_COLL_SHIFT;
}

/* The pair of places of a call's arguments: a root that rotates, and some
 * collectives, sizes, types and operations in turn, do not push each other
 * out. The factor is a de Bruijn sequence: each power of two has a pair of its
 * own. */
static inline struct chorale_known *
chorale_known_place(struct chorale_recall *recall, chorale_word mask,
                    int64_t sendcount, int64_t recvcount, chorale_word type,
                    chorale_word op, unsigned pattern)
{
    const uint64_t mixed = ((uint64_t)sendcount + (uint64_t)recvcount
                            + (uint64_t)((type ^ op) & mask))
                         * UINT64_C(0x0218a392cd3d5dbf);
    const unsigned apart = (pattern & CHORALE_IS_ROOT)
                         + (pattern >> CHORALE_COLL_SHIFT) * 5;

    return &recall->known[2 * ((mixed >> (64 - CHORALE_PAIR_BITS) ^ apart)
                               % (CHORALE_NKNOWN / 2))];
}

/* The other one of a pair. */
static inline struct chorale_known *
chorale_known_other(struct chorale_known *known)
{
    return (struct chorale_known *)((uintptr_t)known ^ sizeof(*known));
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

/* What is known of a call with those arguments; NULL: nothing. */
static inline __attribute__((always_inline)) struct chorale_known *
chorale_known_find(struct chorale_recall *recall, chorale_word mask,
                   int64_t sendcount, int64_t recvcount,
                   chorale_word sendtype, chorale_word recvtype,
                   chorale_word op, unsigned pattern)
{
    struct chorale_known *known = chorale_known_place(
        recall, mask, sendcount, recvcount, recvtype, op, pattern);

    if (__builtin_expect(!chorale_known_fits(known, mask, sendcount,
                                             recvcount, sendtype, recvtype,
                                             op, pattern), 0)) {
        known = chorale_known_other(known);
        if (!chorale_known_fits(known, mask, sendcount, recvcount, sendtype,
                                recvtype, op, pattern))
            return NULL;
    }
    return known;
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

/* The same of large counts; negative, too, of a sum that is too large. */
static inline int64_t chorale_wide_sum_of(const int64_t *counts, int size)
{
    uint64_t sum = 0, sign = 0;

    for (int i = 0; i < size; i++) {
        sum += (uint64_t)counts[i];
        sign |= (uint64_t)counts[i] | sum;
    }
    return sign > INT64_MAX / 2 ? -1 : (int64_t)sum;
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
