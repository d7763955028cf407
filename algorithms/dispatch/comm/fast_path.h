/* SPDX-License-Identifier: BSD-3-Clause */
/* fast_path.h - per-thread cache of the last communicator: an interposed
 * function passes a call like an earlier one to the library or its variant
 * after one look-up. Does not include mpi.h: handles are machine words here,
 * see shim.c. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_FAST_PATH_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_FAST_PATH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/coll.h"

typedef intptr_t chorale_word;

/* For the thread-local variables that every call reads: no call of the
 * loader's __tls_get_addr. */
#define CHORALE_TLS __attribute__((tls_model("initial-exec")))
#define CHORALE_HIDDEN __attribute__((visibility("hidden")))

/* Most communicators of the library that one call may take: */
enum {
    CHORALE_NEEDS_ONE = 1,
    CHORALE_NEEDS_SOME = 4   /* a window, a file and similar; largest value */
};

/* Bytes of a cache line. */
#define CHORALE_LINE 64

struct chorale_plan;
struct chorale_state;

/* The choice for a call. */
struct chorale_chosen {
    const struct chorale_plan *plan; /* NULL: not chosen yet */
    size_t msg_size;         /* without a plan: number of such calls so far */
    unsigned char commutative;
    unsigned char passes;    /* plan is the library; the rest only in
                              * chorale_entry: */
    unsigned short pattern;  /* chorale_pattern() of the call, */
    unsigned short care;     /* mask of its bits that must match */
    unsigned short extent;   /* of the type, of a call with arrays or one block
                              * per rank; 0: irrelevant */
};

/* How to serve a call: */
enum chorale_path {
    CHORALE_ASK,             /* not cached: chorale_shim_call() */
    CHORALE_LOOK,            /* chorale_shim_look() */
    CHORALE_ARRAYS,          /* chorale_arrays_NAME() */
    CHORALE_PASS,            /* the library */
    CHORALE_AGAIN            /* chorale_again_NAME() */
};

/* Cached arguments of a call. A call with these arguments is not checked
 * again. */
struct chorale_entry {
    struct chorale_chosen chosen;
    int64_t sendcount, recvcount;
    chorale_word sendtype, recvtype, op;
};

_Static_assert(sizeof(struct chorale_entry) <= CHORALE_LINE,
               "one line is fetched");

/* The cache has 2^CHORALE_PAIR_BITS pairs of entries. Collective, counts, type
 * and operation select the pair. */
enum { CHORALE_PAIR_BITS = 6, CHORALE_NKNOWN = 2 << CHORALE_PAIR_BITS };

/* Call cache of a communicator. */
struct chorale_cache {
    _Alignas(2 * CHORALE_LINE) struct chorale_entry known[CHORALE_NKNOWN];
    const struct chorale_chosen *ran[CHORALE_NCOLL]; /* choice of the last call
                                                      * of each collective;
                                                      * NULL: no call yet */
    unsigned turn;           /* its lowest bit selects the entry of a pair to
                              * evict */
    unsigned patience;       /* times that entries of freed types were dropped:
                              * call_cache.c */
    int nwatched;            /* entries stored with CHORALE_WATCHED since the
                              * last clean-up */
    unsigned long long types_ended; /* chorale_types_ended at that clean-up */
};

/* A thread's current communicator. */
struct chorale_last_comm {
    _Alignas(CHORALE_LINE)
    uint64_t epoch;          /* valid if equal to chorale_epoch; 0: invalid */
    chorale_word comm, mask; /* its handle; mask of a handle's bits */
    const void *in_place;    /* MPI_IN_PLACE */
    struct chorale_state *state;   /* NULL: left to the library */
    struct chorale_cache *recall; /* of that state */
    unsigned pass;           /* bit per collective: left to the library for all
                              * arguments; all bits without a state */
    int rank, size;
};

_Static_assert(sizeof(struct chorale_last_comm) <= CHORALE_LINE,
               "one line is fetched");

extern _Thread_local struct chorale_last_comm chorale_last_comm CHORALE_TLS
    CHORALE_HIDDEN;

/* Grows by two whenever per-thread caches may have become invalid: a
 * communicator with a state, or a watched type, was freed. Odd: calls are
 * traced, so every call takes the slow path. */
extern atomic_ullong chorale_epoch CHORALE_HIDDEN;

enum { CHORALE_EPOCH_TRACED = 1, CHORALE_EPOCH_STEP = 2 };

/* Invalidate this thread's cache. */
void chorale_last_comm_clear(void) CHORALE_HIDDEN;

/* Look for comm among the earlier communicators of this thread that were kept
 * at this epoch. Returns 1 if found; it is in chorale_last_comm then. */
int chorale_last_comm_switch(chorale_word comm, unsigned long long epoch)
    CHORALE_HIDDEN;

/* Bits of a pattern: */
enum {
    CHORALE_SEND_IN_PLACE = 4,
    CHORALE_RECV_IN_PLACE = 8,
    CHORALE_IS_ROOT = 32,
    CHORALE_WATCHED = 128,   /* only in care: dropped when a type is freed */
    CHORALE_COLL_SHIFT = 8
};

/* Bits that state which addresses of a call are null, MPI_IN_PLACE or equal,
 * whether this rank is the root, and the collective. */
static inline unsigned chorale_pattern(enum chorale_coll coll, const void *in,
                                       const void *out, const void *in_place,
                                       int is_root)
{
    return (unsigned)(in == NULL) | (unsigned)(out == NULL) << 1
         | (unsigned)(in == in_place) << 2
         | (unsigned)(out == in_place) << 3 | (unsigned)(in == out) << 4
         | (unsigned)is_root << 5 | (unsigned)coll << CHORALE_COLL_SHIFT;
}

/* The pair of entries for a call's arguments. Root and non-root, and different
 * collectives, sizes, types and operations in turn, mostly select different
 * pairs. The factor is a de Bruijn sequence, so that each power of two selects
 * a pair of its own. */
static inline struct chorale_entry *
chorale_entry_pair(struct chorale_cache *recall, chorale_word mask,
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

/* The other entry of a pair. */
static inline struct chorale_entry *
chorale_entry_other(struct chorale_entry *known)
{
    return (struct chorale_entry *)((uintptr_t)known ^ sizeof(*known));
}

/* 1 if the entry has those arguments. */
static inline int
chorale_entry_matches(const struct chorale_entry *known, chorale_word mask,
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

/* The entry with those arguments; NULL if there is no such entry. */
static inline __attribute__((always_inline)) struct chorale_entry *
chorale_entry_find(struct chorale_cache *recall, chorale_word mask,
                   int64_t sendcount, int64_t recvcount,
                   chorale_word sendtype, chorale_word recvtype,
                   chorale_word op, unsigned pattern)
{
    struct chorale_entry *known = chorale_entry_pair(
        recall, mask, sendcount, recvcount, recvtype, op, pattern);

    if (__builtin_expect(!chorale_entry_matches(known, mask, sendcount,
                                                recvcount, sendtype, recvtype,
                                                op, pattern), 0)) {
        known = chorale_entry_other(known);
        if (!chorale_entry_matches(known, mask, sendcount, recvcount, sendtype,
                                   recvtype, op, pattern))
            return NULL;
    }
    return known;
}

/* Cached counts of a call with significant arrays are negative, as a real
 * count never is: CHORALE_MANY if the choice does not depend on the arrays,
 * else chorale_many_of() their sum. */
enum { CHORALE_MANY = -1 };

static inline int64_t chorale_many_of(int64_t sum)
{
    return CHORALE_MANY - 1 - sum;
}

/* 1 for the irregular collectives whose choice depends on the sum of counts,
 * which all ranks know: those that are not blind (coll.h). Written out because
 * chorale_coll_info() would take 10 ns per call. */
static inline int chorale_choice_uses_sum(enum chorale_coll coll)
{
    return coll == CHORALE_ALLGATHERV || coll == CHORALE_REDUCE_SCATTER;
}

/* Sum of counts; -1 if one of them is negative. */
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

/* Sum of large counts; -1 if one of them is negative or the sum is too
 * large. */
static inline int64_t chorale_wide_sum_of(const int64_t *counts, int size)
{
    uint64_t sum = 0, sign = 0;

    for (int i = 0; i < size; i++) {
        sum += (uint64_t)counts[i];
        sign |= (uint64_t)counts[i] | sum;
    }
    return sign > INT64_MAX / 2 ? -1 : (int64_t)sum;
}

/* 1 if this rank's own block may have the same address on both sides. one: the
 * side with a single block; all: the side with the blocks of all ranks.
 * chorale_pattern() compares only the first blocks. 0 if extent is 0.
 *
 * count, extent  elements of a block, bytes of an element */
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
