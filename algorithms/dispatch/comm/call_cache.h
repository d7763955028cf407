/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cache.h - what a communicator remembers of calls, for who comes after
 * chorale_shim_look() (shim.h) or past it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_CALL_CACHE_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_CALL_CACHE_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/comm_state.h"

/* The bits of a word that are a handle's: as shim.c has them, the others may be
 * anything. */
#define CHORALE_HANDLE                                                       \
    (sizeof(MPI_Comm) < sizeof(chorale_word) ? (chorale_word)UINT32_MAX      \
                                             : (chorale_word)-1)

/* Remember that what was chosen holds for calls like this one, whose counts,
 * or what stands for them (fast_path.h), are the ones given. lasts: whatever its
 * handles come to mean. Otherwise, where one can come to mean something else,
 * it is remembered only after some such calls, and until then. */
void chorale_recall_keep(struct chorale_state *st, enum chorale_coll coll,
                         const struct chorale_call *call,
                         const struct chorale_chosen *chosen,
                         int64_t sendcount, int64_t recvcount, int lasts);

static inline unsigned chorale_recall_pattern(const struct chorale_state *st,
                                              enum chorale_coll coll,
                                              const struct chorale_call *call)
{
    return chorale_pattern(coll, call->sendbuf, call->recvbuf, MPI_IN_PLACE,
                           call->root == st->rank);
}

/* What is known of a call with those counts; NULL: nothing. */
static inline __attribute__((always_inline)) const struct chorale_known *
chorale_recall_find(struct chorale_state *st, enum chorale_coll coll,
                    const struct chorale_call *call, int64_t sendcount,
                    int64_t recvcount)
{
    const struct chorale_known *known = chorale_known_find(
        &st->recall, CHORALE_HANDLE, sendcount, recvcount,
        (chorale_word)call->sendtype, (chorale_word)call->recvtype,
        (chorale_word)call->op,
        chorale_recall_pattern(st, coll, call));

    return known != NULL && known->chosen.plan != NULL ? known : NULL;
}

/* Types ended that are watched: forget what hangs on such types. */
void chorale_recall_forget(struct chorale_state *st);

#endif
