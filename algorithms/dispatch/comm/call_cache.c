/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cache.c - stores and drops entries of the call cache. */
#include "config.h"

#include "algorithms/dispatch/comm/call_cache.h"
#include "algorithms/dispatch/comm/type_watch.h"

/* Calls with a freeable type before it is watched. Watching costs some 100 ns,
 * and the end of the type costs as much plus a pass over the cache. Types that
 * end may be made for a few calls each, so each pass doubles the number, up to
 * WATCH_AFTER_MOST. */
enum { WATCH_AFTER = 4, WATCH_AFTER_MOST = 1024 };

/* Bits of the pattern that must match. A call passed to the library needs few:
 * the library checks addresses and the root itself. MPI_IN_PLACE and the root
 * may change the choice. */
static unsigned pattern_mask(const struct chorale_chosen *chosen)
{
    const unsigned any = CHORALE_SEND_IN_PLACE | CHORALE_RECV_IN_PLACE
                       | CHORALE_IS_ROOT
                       | (unsigned)-1 << CHORALE_COLL_SHIFT;

    return (chosen->passes ? any : (unsigned)-1)
         & ~(unsigned)CHORALE_WATCHED;
}

static int is_same(const struct chorale_entry *a,
                   const struct chorale_entry *b)
{
    return chorale_entry_matches(a, CHORALE_HANDLE, b->sendcount, b->recvcount,
                                 b->sendtype, b->recvtype, b->op,
                                 b->chosen.pattern);
}

/* 1 if the entry has never been used. */
static int is_free(const struct chorale_entry *known)
{
    return known->chosen.plan == NULL && known->chosen.msg_size == 0;
}

/* Where to store an entry: its present place, a free one, or one of the pair
 * in turn. */
static struct chorale_entry *room_for(struct chorale_cache *recall,
                                      const struct chorale_entry *known)
{
    struct chorale_entry *one = chorale_entry_pair(
        recall, CHORALE_HANDLE, known->sendcount, known->recvcount,
        known->recvtype, known->op, known->chosen.pattern);
    struct chorale_entry *other = chorale_entry_other(one);

    if (is_same(one, known))
        return one;
    if (is_same(other, known))
        return other;
    if (is_free(one))
        return one;
    return is_free(other) || (++recall->turn & 1) ? other : one;
}

/* The types that are significant on this rank; MPI_DATATYPE_NULL for a side
 * without a significant type. */
static void significant_types(const struct chorale_state *st,
                              enum chorale_coll coll,
                              const struct chorale_call *call,
                              MPI_Datatype type[2])
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    const int root = call->root == st->rank;
    const int gathers = coll == CHORALE_GATHER || coll == CHORALE_GATHERV;
    const int scatters = coll == CHORALE_SCATTER || coll == CHORALE_SCATTERV;

    type[0] = type[1] = MPI_DATATYPE_NULL;
    if (info->dataless)
        return;
    if (coll != CHORALE_BCAST && !info->reduces
        && call->sendbuf != MPI_IN_PLACE && !(scatters && !root))
        type[0] = call->sendtype;
    if (!(scatters && call->recvbuf == MPI_IN_PLACE) && !(gathers && !root))
        type[1] = call->recvtype;
}

/* 1 if the types last until MPI_Finalize; 2 if they are watched until they are
 * freed; 0 if a type cannot be watched. */
static int lasting(const MPI_Datatype type[2])
{
    int ret = 1;

    for (int i = 0; i < 2; i++)
        if (type[i] != MPI_DATATYPE_NULL &&
            !chorale_types_predefined(type[i])) {
            ret = 2;
            if (!chorale_types_watch(type[i]))
                return 0;
        }
    return ret;
}

static int all_plain(const MPI_Datatype type[2])
{
    for (int i = 0; i < 2; i++)
        if (type[i] != MPI_DATATYPE_NULL && !chorale_type_is_plain(type[i]))
            return 0;
    return 1;
}

/* Count calls like known. 1 from call number `enough` on. */
static int reached_threshold(struct chorale_entry *at,
                             const struct chorale_entry *known,
                             size_t enough)
{
    size_t times = 1;

    if (is_same(at, known) && at->chosen.plan == NULL)
        times += at->chosen.msg_size;
    if (times >= enough)
        return 1;
    *at = *known;
    at->chosen.plan = NULL;
    at->chosen.passes = 0;
    at->chosen.msg_size = times;
    return 0;
}

void chorale_cache_put(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call,
                       const struct chorale_chosen *chosen,
                       int64_t sendcount, int64_t recvcount, int lasts)
{
    struct chorale_entry known = {
        .chosen = *chosen, .sendcount = sendcount, .recvcount = recvcount,
        .sendtype = (chorale_word)call->sendtype,
        .recvtype = (chorale_word)call->recvtype,
        .op = (chorale_word)call->op
    };
    struct chorale_entry *at;
    MPI_Datatype type[2];
    int how = 1;

    known.chosen.pattern = (unsigned short)chorale_cache_pattern(st, coll,
                                                                 call);
    known.chosen.care = (unsigned short)pattern_mask(chosen);
    at = room_for(&st->recall, &known);
    significant_types(st, coll, call, type);
    if (!lasts && !all_plain(type)) {
        if (!reached_threshold(at, &known,
                               (size_t)WATCH_AFTER << st->recall.patience))
            return;
        how = lasting(type);
        if (how == 0)
            return;
    }
    if (how == 2) {
        known.chosen.care |= CHORALE_WATCHED;
        st->recall.nwatched++;
    }
    *at = known;
}

void chorale_cache_prune(struct chorale_state *st)
{
    struct chorale_cache *recall = &st->recall;
    const unsigned long long ended = atomic_load(&chorale_types_ended);

    if (recall->types_ended == ended)
        return;
    for (int i = 0; i < CHORALE_NKNOWN && recall->nwatched > 0; i++)
        if (recall->known[i].chosen.care & CHORALE_WATCHED)
            recall->known[i] = (struct chorale_entry){0};
    if (recall->nwatched > 0
        && WATCH_AFTER << recall->patience < WATCH_AFTER_MOST)
        recall->patience++;
    recall->nwatched = 0;
    recall->types_ended = ended;
}
