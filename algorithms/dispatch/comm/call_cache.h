/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cache.h - per-communicator cache of resolved calls: its slow path, used
 * after chorale_shim_look() (shim.h) or instead of it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CALL_CACHE_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CALL_CACHE_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/comm_state.h"

/* Bits of a word that belong to an MPI handle. The other bits may have any
 * value, as shim.c passes handles as words. */
#define CHORALE_HANDLE                                                       \
    (sizeof(MPI_Comm) < sizeof(chorale_word) ? (chorale_word)UINT32_MAX      \
                                             : (chorale_word)-1)

/* Store the choice for calls like this one. sendcount and recvcount: its
 * counts, or their substitutes (fast_path.h). lasts: the choice holds whatever
 * the handles refer to later. If it is 0 and a datatype may be freed, the
 * choice is stored only after several such calls, and dropped when the type is
 * freed. */
void chorale_cache_put(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call,
                       const struct chorale_chosen *chosen,
                       int64_t sendcount, int64_t recvcount, int lasts);

static inline unsigned chorale_cache_pattern(const struct chorale_state *st,
                                             enum chorale_coll coll,
                                             const struct chorale_call *call)
{
    return chorale_pattern(coll, call->sendbuf, call->recvbuf, MPI_IN_PLACE,
                           call->root == st->rank);
}

/* Cached entry of a call with those counts; NULL if there is no valid entry. */
static inline __attribute__((always_inline)) const struct chorale_entry *
chorale_cache_find(struct chorale_state *st, enum chorale_coll coll,
                   const struct chorale_call *call, int64_t sendcount,
                   int64_t recvcount)
{
    const struct chorale_entry *known = chorale_entry_find(
        &st->recall, CHORALE_HANDLE, sendcount, recvcount,
        (chorale_word)call->sendtype, (chorale_word)call->recvtype,
        (chorale_word)call->op,
        chorale_cache_pattern(st, coll, call));

    return known != NULL && known->chosen.plan != NULL ? known : NULL;
}

/* Drop entries whose watched datatypes were freed. */
void chorale_cache_prune(struct chorale_state *st);

#endif
