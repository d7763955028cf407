/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_call.c - converts the words of an interposed call to MPI handles, and
 * calls the dispatcher. The dispatcher uses the handles only if the MPI
 * library matches. */
#include "config.h"

#include <stdatomic.h>

#include "algorithms/dispatch/dispatch.h"
#include "algorithms/dispatch/comm/context_reclaim.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/shim/shim.h"
#include "algorithms/dispatch/trace/trace.h"

#define COMM(word) ((MPI_Comm)(word))
#define TYPE(word) ((MPI_Datatype)(word))
#define OP(word) ((MPI_Op)(word))

_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Aint) == 8,
               "large counts and displacements pass as 64 bits");

void chorale_shim_started(void)
{
    static atomic_int started;

    /* Only once: Fortran's MPI_INIT may call MPI_Init. */
    if (atomic_exchange(&started, 1))
        return;
    chorale_dispatch_init();
    chorale_shim_mismatch();
}

void chorale_shim_abort(void)
{
    chorale_trace_part("MPI_Abort");
}

int chorale_shim_ran(int coll, chorale_word comm, size_t msg_size, char *text,
                     size_t size)
{
    return coll >= 0 && coll < CHORALE_NCOLL
               ? chorale_dispatch_last((enum chorale_coll)coll, COMM(comm),
                                       msg_size, text, size)
               : -1;
}

/* Copies word by word (volatile). If two words were stored separately and are
 * loaded as one vector, the load waits for both stores: some ns per call. */
static inline struct chorale_call call_of(const struct chorale_words *from)
{
    const volatile struct chorale_words *words = from;

    return (struct chorale_call){
        .sendbuf = words->sendbuf, .recvbuf = words->recvbuf,
        .sendcount = words->sendcount, .recvcount = words->recvcount,
        .sendtype = TYPE(words->sendtype), .recvtype = TYPE(words->recvtype),
        .op = OP(words->op), .root = words->root
    };
}

static inline struct chorale_ints ints_of(const struct chorale_words *from)
{
    const volatile struct chorale_words *words = from;

    return (struct chorale_ints){ words->sendcounts, words->sdispls,
                                  words->recvcounts, words->rdispls };
}

int chorale_shim_call(enum chorale_coll coll,
                      const struct chorale_words *words, int *rc)
{
    struct chorale_call call = call_of(words);
    struct chorale_ints ints = {0};

    if (words->large) {
        call.sendcounts = words->sendcounts;
        call.sdispls = words->sdispls;
        call.recvcounts = words->recvcounts;
        call.rdispls = words->rdispls;
    } else {
        ints = ints_of(words);
    }
    return chorale_dispatch(coll, COMM(words->comm), &call,
                            words->large ? NULL : &ints, rc);
}

/* Fill the fields from words, a local variable of the caller whose address is
 * not taken, so that values stay in registers. Assigns field by field:
 * initialising the whole struct would clear it first. Fields that the
 * dispatcher sets are not set. */
static inline __attribute__((always_inline)) void
fill(struct chorale_call *call, const struct chorale_words *words)
{
    call->sendbuf = words->sendbuf;
    call->recvbuf = words->recvbuf;
    call->sendcount = words->sendcount;
    call->recvcount = words->recvcount;
    call->sendcounts = words->large ? words->sendcounts : NULL;
    call->recvcounts = words->large ? words->recvcounts : NULL;
    call->sdispls = words->large ? words->sdispls : NULL;
    call->rdispls = words->large ? words->rdispls : NULL;
    call->sendtype = TYPE(words->sendtype);
    call->recvtype = TYPE(words->recvtype);
    call->op = OP(words->op);
    call->root = words->root;
}

int chorale_shim_again(enum chorale_coll coll,
                       const struct chorale_words *words)
{
    struct chorale_call call;

    fill(&call, words);
    return chorale_dispatch_cached(coll, COMM(words->comm), &call);
}

enum chorale_path chorale_shim_arrays(enum chorale_coll coll,
                                      const struct chorale_words *words,
                                      int *rc)
{
    struct chorale_ints ints = ints_of(words);
    struct chorale_call call;

    fill(&call, words);
    return chorale_dispatch_arrays(coll, COMM(words->comm), &call, &ints, rc);
}

#define X(name, coll, params, args, fields)                                  \
    int chorale_again_##name params                                          \
    {                                                                        \
        const struct chorale_words words = { CHORALE_SHIM_UNWRAP fields };   \
        struct chorale_call call;                                            \
                                                                             \
        fill(&call, &words);                                                 \
        return chorale_dispatch_cached(CHORALE_##coll, COMM(words.comm),      \
                                       &call);                                \
    }                                                                        \
                                                                             \
    enum chorale_path chorale_arrays_##name(int *rc,                          \
                                            CHORALE_SHIM_UNWRAP params)       \
    {                                                                        \
        const struct chorale_words words = { CHORALE_SHIM_UNWRAP fields };   \
        struct chorale_call call;                                            \
                                                                             \
        if (words.sendcounts == NULL && words.recvcounts == NULL)            \
            return CHORALE_ASK;                                              \
        fill(&call, &words);                                                 \
        return chorale_dispatch_arrays(                                      \
            CHORALE_##coll, COMM(words.comm), &call,                         \
            words.large ? NULL                                               \
                        : &(struct chorale_ints){                            \
                              words.sendcounts, words.sdispls,               \
                              words.recvcounts, words.rdispls }, rc);        \
    }
CHORALE_SHIM_ALL_LIST(X)
#undef X

/* Open MPI has 65532 communicators, so private ones are not given back. */
int chorale_shim_make_begin(chorale_word comm, int needs)
{
#ifdef OPEN_MPI
    (void)comm;
    (void)needs;
    return MPI_SUCCESS;
#else
    if (!chorale_pmpi_ready() || COMM(comm) == MPI_COMM_NULL)
        return MPI_SUCCESS;
    return chorale_dispatch_reclaim(COMM(comm), needs);
#endif
}

int chorale_shim_group_begin(chorale_word group)
{
#ifdef OPEN_MPI
    (void)group;
#else
    if (chorale_pmpi_ready() && (MPI_Group)group != MPI_GROUP_NULL)
        chorale_dispatch_reclaim_group((MPI_Group)group);
#endif
    return MPI_SUCCESS;
}

void chorale_shim_made(const void *made)
{
    if (chorale_pmpi_ready()
        && (made == NULL || *(const MPI_Comm *)made != MPI_COMM_NULL))
        chorale_context_made();
}

void chorale_shim_ended(void)
{
    chorale_context_freed();
}

int chorale_shim_free_begin(const void *comm, struct chorale_freeing *frame)
{
    if (comm == NULL || !chorale_pmpi_ready())
        return 0;
    chorale_freeing_begin(frame, (chorale_word)*(const MPI_Comm *)comm);
    return 1;
}

void chorale_shim_free_end(struct chorale_freeing *frame, int rc)
{
    chorale_freeing_end(frame);
    if (rc == MPI_SUCCESS)
        chorale_context_freed();
}
