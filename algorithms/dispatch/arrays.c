/* SPDX-License-Identifier: BSD-3-Clause */
/* arrays.c - see arrays.h. */
#include "config.h"

#include <limits.h>

#include "algorithms/dispatch/arrays.h"

_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8,
               "counts and displacements have 64 bits");

/* Which arrays a rank's call has. */
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

/* What of a call's counts is compared. Where arrays are significant they are
 * negative, which no call's own counts are. */
struct key {
    int64_t sendcount, recvcount; /* or CHORALE_MANY and less */
    int64_t own, from;       /* this rank's block in the other side's buffer:
                              * elements, and where it begins */
};

/* 0 if the arrays are not as they should be. */
static inline int key_of(const struct chorale_state *st,
                         enum chorale_coll coll, struct significant s,
                         const struct chorale_call *call,
                         const struct chorale_ints *ints, struct key *key)
{
    *key = (struct key){ call->sendcount, call->recvcount, 0, 0 };
    if (s.sends) {
        if (ints->sendcounts == NULL || ints->sdispls == NULL
            || chorale_sum_of(ints->sendcounts, st->size) < 0)
            return 0;
        key->sendcount = CHORALE_MANY;
        key->own = ints->sendcounts[st->rank];
        key->from = ints->sdispls[st->rank];
    }
    if (s.receives) {
        int64_t sum;

        if (ints->recvcounts == NULL || (s.places && ints->rdispls == NULL)
            || (sum = chorale_sum_of(ints->recvcounts, st->size)) < 0)
            return 0;
        key->recvcount = chorale_goes_by_sum(coll)
                           ? chorale_many_of(sum) : CHORALE_MANY;
        key->own = ints->recvcounts[st->rank];
        key->from = s.places ? ints->rdispls[st->rank] : 0;
    }
    return 1;
}

static inline unsigned pattern_of(const struct chorale_call *call)
{
    return chorale_pattern(call->sendbuf, call->recvbuf, MPI_IN_PLACE);
}

void chorale_arrays_remember(struct chorale_state *st, enum chorale_coll coll,
                             const struct chorale_call *call,
                             const struct chorale_ints *ints, int builtin)
{
    const struct significant s = significant_in(st, coll, call);
    struct chorale_known *known;
    struct key key;
    MPI_Aint extent;

    if (st->tuning->set.check || !builtin
        || chorale_goes_by_sum(coll) == chorale_coll_info(coll)->blind
        || (call->sendtype != 0 && !chorale_args_plain(call->sendtype))
        || (call->recvtype != 0 && !chorale_args_plain(call->recvtype))
        || !key_of(st, coll, s, call, ints, &key))
        return;
    extent = chorale_type_extent(s.sends ? call->sendtype : call->recvtype);
    if (extent <= 0 || extent > SHRT_MAX)
        return;
    known = chorale_known_place(&st->recall[coll], key.sendcount,
                                key.recvcount, st->rank == call->root);
    *known = (struct chorale_known){
        .chosen = st->memo[coll].last,
        .sendcount = key.sendcount, .recvcount = key.recvcount,
        .sendtype = (chorale_word)call->sendtype,
        .recvtype = (chorale_word)call->recvtype,
        .op = (chorale_word)call->op
    };
    known->chosen.pattern = (unsigned char)pattern_of(call);
    known->chosen.care = UCHAR_MAX;
    known->chosen.extent = (unsigned short)extent;
}

/* 1 if a rank's own block, or all of them, may be at one address on both sides,
 * which MPI forbids, and the library tells of. */
static inline int aliased(enum chorale_coll coll, struct significant s,
                          const struct chorale_call *call,
                          const struct key *key, int extent)
{
    const char *in = call->sendbuf, *out = call->recvbuf;

    if (!CHORALE_ARGS_APART)
        return 0;
    if (coll == CHORALE_ALLTOALLV)
        return in == out;
    if (key->own == 0)
        return 0;
    if (s.sends)
        in += key->from * extent;
    else if (s.receives)
        out += key->from * extent;
    return in == out;
}

static inline __attribute__((always_inline)) int
known_of(struct chorale_state *st, enum chorale_coll coll,
         struct chorale_call *call, const struct chorale_ints *ints)
{
    const struct significant s = significant_in(st, coll, call);
    const struct chorale_known *known;
    struct key key;

    if ((unsigned)call->root >= (unsigned)st->size
        || !key_of(st, coll, s, call, ints, &key))
        return 0;
    known = chorale_known_place(&st->recall[coll], key.sendcount,
                                key.recvcount, st->rank == call->root);
    if (known->chosen.plan == NULL
        || !chorale_known_fits(known, -1, key.sendcount, key.recvcount,
                               (chorale_word)call->sendtype,
                               (chorale_word)call->recvtype,
                               (chorale_word)call->op, pattern_of(call))
        || aliased(coll, s, call, &key, known->chosen.extent))
        return 0;
    st->recall[coll].ran = &known->chosen;
    if (!known->chosen.passes)
        take(st, s, call, ints);
    return 1;
}

/* A copy for each collective, in which what the others do is left out. */
int chorale_arrays_known(struct chorale_state *st, enum chorale_coll coll,
                         struct chorale_call *call,
                         const struct chorale_ints *ints)
{
    switch (coll) {
    case CHORALE_GATHERV:
        return known_of(st, CHORALE_GATHERV, call, ints);
    case CHORALE_SCATTERV:
        return known_of(st, CHORALE_SCATTERV, call, ints);
    case CHORALE_ALLTOALLV:
        return known_of(st, CHORALE_ALLTOALLV, call, ints);
    default:
        return 0; /* by their sum */
    }
}

int chorale_arrays_by_sum(struct chorale_state *st, enum chorale_coll coll,
                          struct chorale_call *call,
                          const struct chorale_ints *ints)
{
    const struct significant s = { 0, 1, coll != CHORALE_REDUCE_SCATTER };
    struct key key = { 0, 0, ints->recvcounts[st->rank], 0 };

    if (s.places) {
        if (ints->rdispls == NULL)
            return 0;
        key.from = ints->rdispls[st->rank];
    }
    if (aliased(coll, s, call, &key, st->recall[coll].ran->extent))
        return 0;
    take(st, s, call, ints);
    return 1;
}
