/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.h - interface between the interposed functions and the dispatcher. Does
 * not include mpi.h: MPI handles are machine words here, see shim.c. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_H
#define CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/comm/freed_comms.h"
#include "algorithms/dispatch/comm/fast_path.h"

/* Arguments of any collective; unused fields are zero. If a collective has one
 * count and one type for both sides, they are recvcount and recvtype. Arrays
 * are of int; those of a large-count function are of int64_t, for MPI_Count
 * and for MPI_Aint, which has 64 bits here. */
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
 * S is the suffix of the name, C the type of a count, D the type of a
 * displacement, L the value of .large. */
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

/* Functions with int counts, and barrier. */
#define CHORALE_SHIM_LIST(X)                                                 \
    X(Barrier, BARRIER, (chorale_word comm), (comm), (.comm = comm))         \
    CHORALE_SHIM_FAMILY(X, , int, int, 0)

/* Functions with large counts. */
#define CHORALE_SHIM_LARGE_LIST(X)                                           \
    CHORALE_SHIM_FAMILY(X, _c, int64_t, intptr_t, 1)

/* Functions that take contexts of the library and are called by all ranks of
 * comm or group:
 *
 *     X(name, parameters, arguments, action before, result)
 *
 * result is the communicator made, or NULL if another object is made. */
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

/* Serve a call. Returns 1 if a variant served it (*rc is MPI's error code), 0
 * if it must be passed on. */
int chorale_shim_call(enum chorale_coll coll,
                      const struct chorale_words *words, int *rc);

/* All collectives that this MPI library has. */
#ifdef CHORALE_HAVE_LARGE_COUNTS
#define CHORALE_SHIM_ALL_LIST(X) CHORALE_SHIM_LIST(X) CHORALE_SHIM_LARGE_LIST(X)
#else
#define CHORALE_SHIM_ALL_LIST(X) CHORALE_SHIM_LIST(X)
#endif

/* One function for each collective, so that arguments go from registers into
 * the dispatcher's call and are stored once.
 *
 * chorale_again_NAME: serve a call for which chorale_shim_look() returned
 * CHORALE_AGAIN. Returns MPI's error code.
 *
 * chorale_arrays_NAME: serve a call for which it returned CHORALE_ARRAYS.
 * Returns CHORALE_AGAIN if the call was served (*rc is MPI's error code),
 * CHORALE_PASS or CHORALE_ASK. */
#define X(name, coll, params, args, words)                                   \
    CHORALE_HIDDEN int chorale_again_##name params;                          \
    CHORALE_HIDDEN enum chorale_path chorale_arrays_##name(                   \
        int *rc, CHORALE_SHIM_UNWRAP params);
CHORALE_SHIM_ALL_LIST(X)
#undef X

/* The same for words, without large counts: for the Fortran functions. */
int chorale_shim_again(enum chorale_coll coll,
                       const struct chorale_words *words);
enum chorale_path chorale_shim_arrays(enum chorale_coll coll,
                                      const struct chorale_words *words,
                                      int *rc);

/* First step of a call: is comm this thread's current communicator, and is
 * coll left to the library there? */
static inline enum chorale_path chorale_shim_first(enum chorale_coll coll,
                                                   chorale_word comm)
{
    const struct chorale_last_comm *fast = &chorale_last_comm;

    if (fast->epoch != atomic_load_explicit(&chorale_epoch,
                                            memory_order_acquire)
        || ((fast->comm ^ comm) & fast->mask) != 0)
        return CHORALE_ASK;
    return fast->pass & 1u << coll ? CHORALE_PASS : CHORALE_LOOK;
}

/* 1 if this rank's own block has the same address on both sides. MPI forbids
 * it; the library reports it, if it checks. */
static inline __attribute__((always_inline)) int
chorale_shim_shared(enum chorale_coll coll, const struct chorale_words *words,
                    int extent)
{
    const int rank = chorale_last_comm.rank;

    if (coll == CHORALE_ALLGATHER || coll == CHORALE_GATHER)
        return chorale_own_block_shared(words->sendbuf, words->recvbuf,
                                        words->recvcount, rank, extent);
    if (coll == CHORALE_SCATTER)
        return chorale_own_block_shared(words->recvbuf, words->sendbuf,
                                        words->sendcount, rank, extent);
    return 0;
}

/* The cached entry of a call with those counts. */
static inline __attribute__((always_inline)) struct chorale_entry *
chorale_shim_known(enum chorale_coll coll, const struct chorale_words *words,
                   int64_t recvcount)
{
    const struct chorale_last_comm *fast = &chorale_last_comm;

    return chorale_entry_find(
        fast->recall, fast->mask, words->sendcount, recvcount,
        words->sendtype, words->recvtype, words->op,
        chorale_pattern(coll, words->sendbuf, words->recvbuf, fast->in_place,
                        words->root == fast->rank));
}

/* Look up a call with arrays whose sum all ranks know. A call that goes to the
 * library needs no other check. */
static inline __attribute__((always_inline)) enum chorale_path
chorale_shim_look_arrays(enum chorale_coll coll,
                         const struct chorale_words *words)
{
    const struct chorale_last_comm *fast = &chorale_last_comm;
    const struct chorale_entry *known;

    if (!chorale_choice_uses_sum(coll))
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

/* Second step: are the arguments those of an earlier call? Inlined with a
 * constant coll, and with words that no other code uses: then the compiler
 * drops comparisons of fields that the collective lacks. */
static inline __attribute__((always_inline)) enum chorale_path
chorale_shim_look(enum chorale_coll coll, const struct chorale_words *words)
{
    const struct chorale_last_comm *fast = &chorale_last_comm;
    const struct chorale_entry *known;

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

/* If comm is not this thread's current communicator: is it one of its earlier
 * ones? */
static inline enum chorale_path chorale_shim_switch(enum chorale_coll coll,
                                                    chorale_word comm)
{
    return chorale_last_comm_switch(comm, atomic_load_explicit(
                                         &chorale_epoch,
                                         memory_order_acquire))
               ? chorale_shim_first(coll, comm) : CHORALE_ASK;
}

/* Before a function of CHORALE_SHIM_MAKERS. Returns 0, or the error code that
 * the function must return. */
int chorale_shim_make_begin(chorale_word comm, int needs);
int chorale_shim_group_begin(chorale_word group);

/* After such a function succeeded. */
void chorale_shim_made(const void *made);

/* After an object other than a communicator was freed. */
void chorale_shim_ended(void);

/* Call begin before *comm, a handle, is freed. If it returns 1, call end
 * afterwards with MPI's error code. */
int chorale_shim_free_begin(const void *comm, struct chorale_freeing *frame);
void chorale_shim_free_end(struct chorale_freeing *frame, int rc);

/* chorale_dispatch_last() for the runner of `chorale validate`, which finds it
 * by dlsym. The only exported name besides the MPI functions. */
int chorale_shim_ran(int coll, chorale_word comm, size_t msg_size, char *text,
                     size_t size);

/* Find the functions that the C names pass calls on to, unless done before. */
void chorale_shim_find(void);

/* Print one line if the shim cannot work in this program and was asked for an
 * effect. Call it after MPI_Init. */
void chorale_shim_mismatch(void);

/* After MPI_Init. */
void chorale_shim_started(void);

/* Write the trace of this process. Call it before MPI_Abort. */
void chorale_shim_abort(void);

/* As in pmpi.h. */
void *chorale_pmpi_symbol(const char *name);

#endif
