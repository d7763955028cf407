/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.h - between the interposed names and the dispatcher. No mpi.h: MPI
 * handles pass as machine words, see shim.c. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_H
#define CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/comm/freed_comms.h"
#include "algorithms/dispatch/comm/fast_path.h"

/* The arguments of any collective; unused fields are zero. Where there is one
 * count and one type for both sides they are the receiver's. The arrays are of
 * int, those of a large-count function of int64_t (MPI_Count, and MPI_Aint,
 * which is as wide here). */
struct chorale_words {
    const void *sendbuf;
    void *recvbuf;
    int64_t sendcount, recvcount;
    const void *sendcounts, *sdispls, *recvcounts, *rdispls;
    chorale_word sendtype, recvtype, op, comm;
    int root;
    int large;
};

/* The collectives:
 *
 *     X(name, member of enum chorale_coll, parameters, arguments,
 *       fields of struct chorale_words)
 *
 * S is the end of the name, C the type of a count, D that of a displacement;
 * L fills .large. */
#define CHORALE_SHIM_FAMILY(X, S, C, D, L)                                   \
    X(Bcast##S, BCAST,                                                       \
      (void *buf, C count, chorale_word type, int root, chorale_word comm),  \
      (buf, count, type, root, comm),                                        \
      (.recvbuf = buf, .recvcount = count, .recvtype = type, .root = root,   \
       .comm = comm, .large = L))                                            \
    X(Reduce##S, REDUCE,                                                     \
      (const void *sendbuf, void *recvbuf, C count, chorale_word type,       \
       chorale_word op, int root, chorale_word comm),                        \
      (sendbuf, recvbuf, count, type, op, root, comm),                       \
      (.sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,           \
       .recvtype = type, .op = op, .root = root, .comm = comm, .large = L))  \
    CHORALE_SHIM_REDUCTION(X, Allreduce##S, ALLREDUCE, C, L)                 \
    CHORALE_SHIM_REDUCTION(X, Reduce_scatter_block##S, REDUCE_SCATTER_BLOCK, \
                           C, L)                                             \
    CHORALE_SHIM_REDUCTION(X, Scan##S, SCAN, C, L)                           \
    CHORALE_SHIM_REDUCTION(X, Exscan##S, EXSCAN, C, L)                       \
    X(Reduce_scatter##S, REDUCE_SCATTER,                                     \
      (const void *sendbuf, void *recvbuf, const C recvcounts[],             \
       chorale_word type, chorale_word op, chorale_word comm),               \
      (sendbuf, recvbuf, recvcounts, type, op, comm),                        \
      (.sendbuf = sendbuf, .recvbuf = recvbuf, .recvcounts = recvcounts,     \
       .recvtype = type, .op = op, .comm = comm, .large = L))                \
    CHORALE_SHIM_ROOTED(X, Gather##S, GATHER, C, L)                          \
    CHORALE_SHIM_ROOTED(X, Scatter##S, SCATTER, C, L)                        \
    CHORALE_SHIM_EXCHANGE(X, Allgather##S, ALLGATHER, C, L)                  \
    CHORALE_SHIM_EXCHANGE(X, Alltoall##S, ALLTOALL, C, L)                    \
    X(Gatherv##S, GATHERV,                                                   \
      (const void *sendbuf, C sendcount, chorale_word sendtype,              \
       void *recvbuf, const C recvcounts[], const D displs[],                \
       chorale_word recvtype, int root, chorale_word comm),                  \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,  \
       root, comm),                                                          \
      (.sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,     \
       .recvbuf = recvbuf, .recvcounts = recvcounts, .rdispls = displs,      \
       .recvtype = recvtype, .root = root, .comm = comm, .large = L))        \
    X(Scatterv##S, SCATTERV,                                                 \
      (const void *sendbuf, const C sendcounts[], const D displs[],          \
       chorale_word sendtype, void *recvbuf, C recvcount,                    \
       chorale_word recvtype, int root, chorale_word comm),                  \
      (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,  \
       root, comm),                                                          \
      (.sendbuf = sendbuf, .sendcounts = sendcounts, .sdispls = displs,      \
       .sendtype = sendtype, .recvbuf = recvbuf, .recvcount = recvcount,     \
       .recvtype = recvtype, .root = root, .comm = comm, .large = L))        \
    X(Allgatherv##S, ALLGATHERV,                                             \
      (const void *sendbuf, C sendcount, chorale_word sendtype,              \
       void *recvbuf, const C recvcounts[], const D displs[],                \
       chorale_word recvtype, chorale_word comm),                            \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,  \
       comm),                                                                \
      (.sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,     \
       .recvbuf = recvbuf, .recvcounts = recvcounts, .rdispls = displs,      \
       .recvtype = recvtype, .comm = comm, .large = L))                      \
    X(Alltoallv##S, ALLTOALLV,                                               \
      (const void *sendbuf, const C sendcounts[], const D sdispls[],         \
       chorale_word sendtype, void *recvbuf, const C recvcounts[],           \
       const D rdispls[], chorale_word recvtype, chorale_word comm),         \
      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, \
       recvtype, comm),                                                      \
      (.sendbuf = sendbuf, .sendcounts = sendcounts, .sdispls = sdispls,     \
       .sendtype = sendtype, .recvbuf = recvbuf, .recvcounts = recvcounts,   \
       .rdispls = rdispls, .recvtype = recvtype, .comm = comm, .large = L))

#define CHORALE_SHIM_REDUCTION(X, name, coll, C, L)                          \
    X(name, coll,                                                            \
      (const void *sendbuf, void *recvbuf, C count, chorale_word type,       \
       chorale_word op, chorale_word comm),                                  \
      (sendbuf, recvbuf, count, type, op, comm),                             \
      (.sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,           \
       .recvtype = type, .op = op, .comm = comm, .large = L))

#define CHORALE_SHIM_ROOTED(X, name, coll, C, L)                             \
    X(name, coll,                                                            \
      (const void *sendbuf, C sendcount, chorale_word sendtype,              \
       void *recvbuf, C recvcount, chorale_word recvtype, int root,          \
       chorale_word comm),                                                   \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,     \
       comm),                                                                \
      (.sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,     \
       .recvbuf = recvbuf, .recvcount = recvcount, .recvtype = recvtype,     \
       .root = root, .comm = comm, .large = L))

#define CHORALE_SHIM_EXCHANGE(X, name, coll, C, L)                           \
    X(name, coll,                                                            \
      (const void *sendbuf, C sendcount, chorale_word sendtype,              \
       void *recvbuf, C recvcount, chorale_word recvtype,                    \
       chorale_word comm),                                                   \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),    \
      (.sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,     \
       .recvbuf = recvbuf, .recvcount = recvcount, .recvtype = recvtype,     \
       .comm = comm, .large = L))

/* With int counts; barrier has none. */
#define CHORALE_SHIM_LIST(X)                                                 \
    X(Barrier, BARRIER, (chorale_word comm), (comm), (.comm = comm))         \
    CHORALE_SHIM_FAMILY(X, , int, int, 0)

/* With large ones. */
#define CHORALE_SHIM_LARGE_LIST(X)                                           \
    CHORALE_SHIM_FAMILY(X, _c, int64_t, intptr_t, 1)

/* What takes communicators of the library, and is called by all ranks of comm
 * or of group:
 *
 *     X(name, parameters, arguments, what to do before, what it made)
 *
 * What is made is a communicator, or NULL: something else. */
#define CHORALE_SHIM_MAKERS(X)                                               \
    CHORALE_SHIM_COMM_MAKERS(X)                                              \
    CHORALE_SHIM_OTHER_MAKERS(X)

#define CHORALE_SHIM_COMM_MAKERS(X)                                          \
    X(Comm_dup, (chorale_word comm, void *made), (comm, made),               \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Comm_dup_with_info, (chorale_word comm, chorale_word info, void *made),\
      (comm, info, made),                                                    \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Comm_idup, (chorale_word comm, void *made, void *request),             \
      (comm, made, request), 0, NULL)                                        \
    X(Comm_split, (chorale_word comm, int color, int key, void *made),       \
      (comm, color, key, made),                                              \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Comm_split_type, (chorale_word comm, int type, int key,                \
                        chorale_word info, void *made),                      \
      (comm, type, key, info, made),                                         \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Comm_create, (chorale_word comm, chorale_word group, void *made),      \
      (comm, group, made),                                                   \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Comm_create_group, (chorale_word comm, chorale_word group, int tag,    \
                          void *made),                                       \
      (comm, group, tag, made), chorale_shim_group_begin(group), made)       \
    X(Cart_create, (chorale_word comm, int n, const int *dims,               \
                    const int *periods, int reorder, void *made),            \
      (comm, n, dims, periods, reorder, made),                               \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Cart_sub, (chorale_word comm, const int *remain, void *made),          \
      (comm, remain, made),                                                  \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Graph_create, (chorale_word comm, int n, const int *index,             \
                     const int *edges, int reorder, void *made),             \
      (comm, n, index, edges, reorder, made),                                \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Dist_graph_create,                                                     \
      (chorale_word comm, int n, const int *sources, const int *degrees,     \
       const int *to, const int *weights, chorale_word info, int reorder,    \
       void *made),                                                          \
      (comm, n, sources, degrees, to, weights, info, reorder, made),         \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Dist_graph_create_adjacent,                                            \
      (chorale_word comm, int nin, const int *from, const int *in_weights,   \
       int nout, const int *to, const int *out_weights, chorale_word info,   \
       int reorder, void *made),                                             \
      (comm, nin, from, in_weights, nout, to, out_weights, info, reorder,    \
       made),                                                                \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_ONE), made)                \
    X(Intercomm_create,                                                      \
      (chorale_word comm, int leader, chorale_word peer, int remote,         \
       int tag, void *made),                                                 \
      (comm, leader, peer, remote, tag, made),                               \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), made)               \
    X(Intercomm_merge, (chorale_word comm, int high, void *made),            \
      (comm, high, made),                                                    \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), made)

#define CHORALE_SHIM_OTHER_MAKERS(X)                                         \
    X(Win_create, (void *base, intptr_t size, int unit, chorale_word info,   \
                   chorale_word comm, void *made),                           \
      (base, size, unit, info, comm, made),                                  \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), NULL)               \
    X(Win_allocate, (intptr_t size, int unit, chorale_word info,             \
                     chorale_word comm, void *base, void *made),             \
      (size, unit, info, comm, base, made),                                  \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), NULL)               \
    X(Win_allocate_shared, (intptr_t size, int unit, chorale_word info,      \
                            chorale_word comm, void *base, void *made),      \
      (size, unit, info, comm, base, made),                                  \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), NULL)               \
    X(Win_create_dynamic, (chorale_word info, chorale_word comm, void *made),\
      (info, comm, made),                                                    \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), NULL)               \
    X(File_open, (chorale_word comm, const char *name, int mode,             \
                  chorale_word info, void *made),                            \
      (comm, name, mode, info, made),                                        \
      chorale_shim_make_begin(comm, CHORALE_NEEDS_SOME), NULL)

#define CHORALE_SHIM_UNWRAP(...) __VA_ARGS__

/* A call on its way through: 1 if the catalogue ran it (*rc is MPI's), 0 if
 * it is to be passed on. */
int chorale_shim_call(enum chorale_coll coll,
                      const struct chorale_words *words, int *rc);

/* All that this MPI has. */
#ifdef CHORALE_HAVE_LARGE_COUNTS
#define CHORALE_SHIM_ALL_LIST(X) CHORALE_SHIM_LIST(X) CHORALE_SHIM_LARGE_LIST(X)
#else
#define CHORALE_SHIM_ALL_LIST(X) CHORALE_SHIM_LIST(X)
#endif

/* A function for each of them, so that the arguments go from registers into
 * the dispatcher's call and are stored once:
 *
 * chorale_again_NAME, for one that chorale_shim_look() found to be ours: run
 * it. Returns MPI's code.
 *
 * chorale_arrays_NAME, for one with arrays that it sent here:
 * CHORALE_AGAIN, it was run, *rc is MPI's; CHORALE_PASS; CHORALE_ASK. */
#define X(name, coll, params, args, words)                                   \
    CHORALE_HIDDEN int chorale_again_##name params;                          \
    CHORALE_HIDDEN enum chorale_way chorale_arrays_##name(                   \
        int *rc, CHORALE_SHIM_UNWRAP params);
CHORALE_SHIM_ALL_LIST(X)
#undef X

/* The same of words, of calls that come by other names than C's; without large
 * counts. */
int chorale_shim_again(enum chorale_coll coll,
                       const struct chorale_words *words);
enum chorale_way chorale_shim_arrays(enum chorale_coll coll,
                                     const struct chorale_words *words,
                                     int *rc);

/* The first thing of a call: is comm this thread's last one, and collective
 * coll the library's there? */
static inline enum chorale_way chorale_shim_first(enum chorale_coll coll,
                                                  chorale_word comm)
{
    const struct chorale_fast *fast = &chorale_fast;

    if (fast->epoch != atomic_load_explicit(&chorale_epoch,
                                            memory_order_acquire)
        || ((fast->comm ^ comm) & fast->mask) != 0)
        return CHORALE_ASK;
    return fast->pass & 1u << coll ? CHORALE_PASS : CHORALE_LOOK;
}

/* Is this rank's own block at one address on both sides? Which MPI forbids:
 * the library is to tell, if it does. */
static inline __attribute__((always_inline)) int
chorale_shim_shared(enum chorale_coll coll, const struct chorale_words *words,
                    int extent)
{
    const int rank = chorale_fast.rank;

    if (coll == CHORALE_ALLGATHER || coll == CHORALE_GATHER)
        return chorale_own_block_shared(words->sendbuf, words->recvbuf,
                                        words->recvcount, rank, extent);
    if (coll == CHORALE_SCATTER)
        return chorale_own_block_shared(words->recvbuf, words->sendbuf,
                                        words->sendcount, rank, extent);
    return 0;
}

/* What is known of a call with those counts. */
static inline __attribute__((always_inline)) struct chorale_known *
chorale_shim_known(enum chorale_coll coll, const struct chorale_words *words,
                   int64_t recvcount)
{
    const struct chorale_fast *fast = &chorale_fast;

    return chorale_known_find(
        fast->recall, fast->mask, words->sendcount, recvcount,
        words->sendtype, words->recvtype, words->op,
        chorale_pattern(coll, words->sendbuf, words->recvbuf, fast->in_place,
                        words->root == fast->rank));
}

/* Of arrays of which all ranks know the sum: is there an earlier call of
 * theirs? For one that is passed on, nothing else is to be looked at. */
static inline __attribute__((always_inline)) enum chorale_way
chorale_shim_look_arrays(enum chorale_coll coll,
                         const struct chorale_words *words)
{
    const struct chorale_fast *fast = &chorale_fast;
    const struct chorale_known *known;

    if (!chorale_goes_by_sum(coll))
        return CHORALE_ARRAYS;
    known = chorale_shim_known(
        coll, words,
        chorale_many_of(words->large
                            ? chorale_wide_sum_of(words->recvcounts,
                                                  fast->size)
                            : chorale_sum_of(words->recvcounts, fast->size)));
    if (known == NULL || known->chosen.plan == NULL)
        return CHORALE_ASK;
    fast->recall->ran[coll] = &known->chosen;
    return known->chosen.passes ? CHORALE_PASS : CHORALE_ARRAYS;
}

/* The second: are the arguments those of an earlier call? Inlined with a
 * constant coll and words that have no other use, so that nothing is compared
 * which the collective does not have. */
static inline __attribute__((always_inline)) enum chorale_way
chorale_shim_look(enum chorale_coll coll, const struct chorale_words *words)
{
    const struct chorale_fast *fast = &chorale_fast;
    const struct chorale_known *known;

    if (words->sendcounts != NULL || words->recvcounts != NULL)
        return chorale_shim_look_arrays(coll, words);
    known = chorale_shim_known(coll, words, words->recvcount);
    if (known == NULL
        || (!known->chosen.passes
            && (known->chosen.plan == NULL
                || (unsigned)words->root >= (unsigned)fast->size
                || chorale_shim_shared(coll, words, known->chosen.extent))))
        return CHORALE_ASK;
    fast->recall->ran[coll] = &known->chosen;
    return known->chosen.passes ? CHORALE_PASS : CHORALE_AGAIN;
}

/* What is left where comm is not this thread's last communicator: one of those
 * before? */
static inline enum chorale_way chorale_shim_switch(enum chorale_coll coll,
                                                   chorale_word comm)
{
    return chorale_fast_switch(comm, atomic_load_explicit(
                                         &chorale_epoch,
                                         memory_order_acquire))
               ? chorale_shim_first(coll, comm) : CHORALE_ASK;
}

/* Before one of CHORALE_SHIM_MAKERS: 0, or the code that it returns. */
int chorale_shim_make_begin(chorale_word comm, int needs);
int chorale_shim_group_begin(chorale_word group);

/* After one that went well. */
void chorale_shim_made(const void *made);

/* After one of those that are no communicators ended. */
void chorale_shim_ended(void);

/* Before *comm, a handle, is freed: 1 if chorale_shim_free_end() is to follow,
 * with MPI's code. */
int chorale_shim_free_begin(const void *comm, struct chorale_dying *frame);
void chorale_shim_free_end(struct chorale_dying *frame, int rc);

/* chorale_dispatch_last() for `chorale validate`, whose runner looks the name
 * up: the only one that the shim exports beside MPI's. */
int chorale_shim_ran(int coll, chorale_word comm, size_t msg_size, char *text,
                     size_t size);

/* Find the functions that C's names pass calls on to, if nobody did. */
void chorale_shim_find(void);

/* After MPI_Init. */
void chorale_shim_started(void);

/* Before MPI_Finalize and MPI_Abort. */
void chorale_shim_finish(void);
void chorale_shim_abort(void);

/* As in pmpi.h. */
void *chorale_pmpi_symbol(const char *name);

#endif
