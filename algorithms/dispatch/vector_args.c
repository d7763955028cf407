/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_args.c - converts, checks and caches calls with arrays. */
#include "config.h"

#include <limits.h>

#include "algorithms/dispatch/vector_args.h"
#include "algorithms/dispatch/comm/call_cache.h"

_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8,
               "counts and displacements have 64 bits");

/* Which arrays are significant in a rank's call. */
struct significant {
    int sends, receives, places;
};

static inline struct significant
significant_in(const struct chorale_state *st, enum chorale_coll coll,
               const struct chorale_call *call)
{
    const int root = st->rank == call->root;
    struct significant s = {
        coll == CHORALE_ALLTOALLV ? call->sendbuf != MPI_IN_PLACE
                                  : coll == CHORALE_SCATTERV && root,
        coll == CHORALE_GATHERV ? root : coll != CHORALE_SCATTERV, 0
    };

    s.places = s.receives && coll != CHORALE_REDUCE_SCATTER;
    return s;
}

static inline int64_t *widen(int64_t *to, const int *from, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = from != NULL ? from[i] : 0;
    return to;
}

static inline void take(struct chorale_state *st, struct significant s,
                        struct chorale_call *call,
                        const struct chorale_ints *ints)
{
    const int size = st->size;

    if (s.sends) {
        call->sendcounts = (MPI_Count *)widen(st->room, ints->sendcounts,
                                              size);
        call->sdispls = (MPI_Aint *)widen(st->room + size, ints->sdispls,
                                          size);
    }
    if (s.receives)
        call->recvcounts = (MPI_Count *)widen(st->room + 2 * size,
                                              ints->recvcounts, size);
    if (s.places)
        call->rdispls = (MPI_Aint *)widen(st->room + 3 * size, ints->rdispls,
                                          size);
}

void chorale_arrays_take(struct chorale_state *st, enum chorale_coll coll,
                         struct chorale_call *call,
                         const struct chorale_ints *ints)
{
    take(st, significant_in(st, coll, call), call, ints);
}

/* Cached substitutes of a call's counts. Where arrays are significant they are
 * negative, which real counts never are. */
struct key {
    int64_t sendcount, recvcount; /* or CHORALE_MANY and below */
    int64_t own, from;       /* this rank's block in the other side's buffer:
                              * elements, and its displacement */
};

/* Sum of an array of int, or of wide counts; negative if the array is
 * invalid. */
static inline int64_t sum_of(const int *ints, const MPI_Count *many, int size,
                             int wide)
{
    if (wide)
        return many != NULL
                   ? chorale_wide_sum_of((const int64_t *)many, size) : -1;
    return ints != NULL ? chorale_sum_of(ints, size) : -1;
}

/* Compute the key. Returns 0 if the arrays are invalid. wide: they are in call
 * and ints is not read; otherwise those of call are not read. */
static inline __attribute__((always_inline)) int
key_of(const struct chorale_state *st, enum chorale_coll coll,
       struct significant s, const struct chorale_call *call,
       const struct chorale_ints *ints, int wide, struct key *key)
{
    const int me = st->rank;

    *key = (struct key){ call->sendcount, call->recvcount, 0, 0 };
    if (s.sends) {
        if ((wide ? call->sdispls == NULL : ints->sdispls == NULL)
            || sum_of(wide ? NULL : ints->sendcounts, call->sendcounts,
                      st->size, wide) < 0)
            return 0;
        key->sendcount = CHORALE_MANY;
        key->own = wide ? call->sendcounts[me] : ints->sendcounts[me];
        key->from = wide ? call->sdispls[me] : ints->sdispls[me];
    }
    if (s.receives) {
        int64_t sum;

        if ((s.places
             && (wide ? call->rdispls == NULL : ints->rdispls == NULL))
            || (sum = sum_of(wide ? NULL : ints->recvcounts,
                             call->recvcounts, st->size, wide)) < 0)
            return 0;
        key->recvcount = chorale_choice_uses_sum(coll)
                           ? chorale_many_of(sum) : CHORALE_MANY;
        key->own = wide ? call->recvcounts[me] : ints->recvcounts[me];
        key->from = !s.places ? 0 : wide ? call->rdispls[me]
                                         : ints->rdispls[me];
    }
    return 1;
}

void chorale_arrays_cache(struct chorale_state *st, enum chorale_coll coll,
                          const struct chorale_call *call,
                          const struct chorale_ints *ints,
                          const struct chorale_chosen *as, int lasts)
{
    const struct significant s = significant_in(st, coll, call);
    struct chorale_chosen chosen = *as;
    struct key key;

    if (chorale_choice_uses_sum(coll) == chorale_coll_info(coll)->blind
        || !key_of(st, coll, s, call, ints, ints == NULL, &key))
        return;
    if ((call->sendtype == 0 || chorale_type_is_plain(call->sendtype))
        && (call->recvtype == 0 || chorale_type_is_plain(call->recvtype))) {
        const MPI_Aint extent = chorale_type_extent(s.sends ? call->sendtype
                                                            : call->recvtype);

        if (extent <= 0 || extent > SHRT_MAX)
            return;
        chosen.extent = (unsigned short)extent;
    }
    chorale_cache_put(st, coll, call, &chosen, key.sendcount,
                      key.recvcount, lasts);
}

/* 1 if a rank's own block, or all blocks, may have the same address on both
 * sides, which MPI forbids and the library reports. */
static inline int blocks_may_alias(enum chorale_coll coll, struct significant s,
                                   const struct chorale_call *call,
                                   const struct key *key, int extent)
{
    uintptr_t in = (uintptr_t)call->sendbuf, out = (uintptr_t)call->recvbuf;

    if (!CHORALE_ARGS_APART)
        return 0;
    if (coll == CHORALE_ALLTOALLV)
        return in == out;
    if (key->own == 0)
        return 0;
    if (s.sends)
        in += (uintptr_t)key->from * (uintptr_t)extent;
    else if (s.receives)
        out += (uintptr_t)key->from * (uintptr_t)extent;
    return in == out;
}

static inline __attribute__((always_inline)) int
known_of(struct chorale_state *st, enum chorale_coll coll,
         struct chorale_call *call, const struct chorale_ints *ints, int wide)
{
    const struct significant s = significant_in(st, coll, call);
    const struct chorale_entry *known;
    struct key key;

    if ((unsigned)call->root >= (unsigned)st->size
        || !key_of(st, coll, s, call, ints, wide, &key))
        return 0;
    known = chorale_cache_find(st, coll, call, key.sendcount, key.recvcount);
    if (known == NULL
        || blocks_may_alias(coll, s, call, &key, known->chosen.extent))
        return 0;
    st->recall.ran[coll] = &known->chosen;
    if (!known->chosen.passes && !wide)
        take(st, s, call, ints);
    return 1;
}

/* One inlined copy for each collective and kind of arrays, so that the
 * compiler drops the other branches. */
int chorale_arrays_cached(struct chorale_state *st, enum chorale_coll coll,
                          struct chorale_call *call,
                          const struct chorale_ints *ints)
{
    switch (coll) {
    case CHORALE_GATHERV:
        return ints != NULL ? known_of(st, CHORALE_GATHERV, call, ints, 0)
                            : known_of(st, CHORALE_GATHERV, call, NULL, 1);
    case CHORALE_SCATTERV:
        return ints != NULL ? known_of(st, CHORALE_SCATTERV, call, ints, 0)
                            : known_of(st, CHORALE_SCATTERV, call, NULL, 1);
    case CHORALE_ALLTOALLV:
        return ints != NULL ? known_of(st, CHORALE_ALLTOALLV, call, ints, 0)
                            : known_of(st, CHORALE_ALLTOALLV, call, NULL, 1);
    default:
        return 0; /* see chorale_arrays_cached_sum() */
    }
}

int chorale_arrays_cached_sum(struct chorale_state *st, enum chorale_coll coll,
                              struct chorale_call *call,
                              const struct chorale_ints *ints)
{
    const struct significant s = { 0, 1, coll != CHORALE_REDUCE_SCATTER };
    struct key key = { 0, 0, 0, 0 };

    key.own = ints != NULL ? ints->recvcounts[st->rank]
                           : call->recvcounts[st->rank];
    if (s.places) {
        if (ints != NULL ? ints->rdispls == NULL : call->rdispls == NULL)
            return 0;
        key.from = ints != NULL ? ints->rdispls[st->rank]
                                : call->rdispls[st->rank];
    }
    if (blocks_may_alias(coll, s, call, &key, st->recall.ran[coll]->extent))
        return 0;
    if (ints != NULL)
        take(st, s, call, ints);
    return 1;
}
