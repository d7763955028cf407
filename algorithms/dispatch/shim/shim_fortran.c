/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran.c - interposed Fortran functions, where the library's Fortran
 * layer does not call the C names of shim.c.
 *
 * Open MPI's Fortran layer always calls PMPI. mpif.h and the module mpi use
 * mpi_bcast_ or another spelling; the module mpi_f08 uses mpi_bcast_f08_,
 * where ierror may be absent: a null pointer. MPICH's layer calls MPI, except
 * for the functions of mpi_f08 that have no buffer.
 *
 * Arguments are addresses. Open MPI's MPI_BOTTOM and MPI_IN_PLACE are
 * addresses of variables in common blocks, found under the same name in the
 * program, the library and the shim. If the shim cannot see them, because the
 * program was loaded privately, every call is passed on unchanged. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/shim/shim_fortran.h"
#include "algorithms/dispatch/trace/trace_enabled.h"

#if defined(OPEN_MPI) || defined(MPICH_VERSION)

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
               "Fortran's arrays of counts are arrays of int");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int found; /* find_all() is done */
static int usable; /* the addresses of the constants are known */

#ifdef OPEN_MPI

/* From version 6 on, functions of mpi_f08 may take descriptors. */
#if OMPI_MAJOR_VERSION > 5
#error "the names of mpi_f08 are those of Open MPI up to 5"
#endif

/* Spellings of the name of a common block. */
enum { NSPELLING = 4 };

static const char *const in_place_name[NSPELLING] = {
    "mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
    "MPI_FORTRAN_IN_PLACE"
};
static const char *const bottom_name[NSPELLING] = {
    "mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
    "MPI_FORTRAN_BOTTOM"
};
static const void *in_place[NSPELLING], *bottom[NSPELLING];

static void find_constants(void)
{
    for (int i = 0; i < NSPELLING; i++) {
        in_place[i] = dlsym(RTLD_DEFAULT, in_place_name[i]);
        bottom[i] = dlsym(RTLD_DEFAULT, bottom_name[i]);
        /* If the name is not defined: an address that is never an argument. */
        if (in_place[i] == NULL)
            in_place[i] = &in_place[i];
        else
            usable = 1;
        if (bottom[i] == NULL)
            bottom[i] = &bottom[i];
    }
}

static void *address(void *buf)
{
    for (int i = 0; i < NSPELLING; i++) {
        if (buf == in_place[i])
            return MPI_IN_PLACE;
        if (buf == bottom[i])
            return MPI_BOTTOM;
    }
    return buf;
}

/* C handles of predefined types and operations, indexed by their Fortran
 * handles. They are constant until MPI_Finalize; a conversion takes 3 ns. 0:
 * unknown, or not predefined. */
enum { NKEPT = 64 };
static _Atomic(chorale_word) kept_type[NKEPT], kept_op[NKEPT];

static inline chorale_word kept(_Atomic(chorale_word) *at, MPI_Fint number)
{
    return (unsigned)number < NKEPT
               ? atomic_load_explicit(&at[number], memory_order_relaxed) : 0;
}

static chorale_word type_of(const MPI_Fint *type)
{
    chorale_word word = kept(kept_type, *type);

    if (word != 0)
        return word;
    word = (chorale_word)PMPI_Type_f2c(*type);
    if ((unsigned)*type < NKEPT && chorale_type_is_plain((MPI_Datatype)word))
        atomic_store_explicit(&kept_type[*type], word, memory_order_relaxed);
    return word;
}

static chorale_word op_of(const MPI_Fint *op)
{
    chorale_word word = kept(kept_op, *op);

    if (word != 0)
        return word;
    word = (chorale_word)PMPI_Op_f2c(*op);
    if ((unsigned)*op < NKEPT && chorale_op_is_builtin((MPI_Op)word))
        atomic_store_explicit(&kept_op[*op], word, memory_order_relaxed);
    return word;
}

/* F(name, NAME, member of enum chorale_coll, parameters, arguments, fields of
 * struct chorale_words) */
#define F_REDUCTION(F, name, NAME)                                           \
    F(name, NAME, NAME,                                                      \
      (void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type,        \
       MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr),                        \
      (sendbuf, recvbuf, count, type, op, comm, ierr),                       \
      (.sendbuf = address(sendbuf), .recvbuf = address(recvbuf),             \
       .recvcount = *count, .recvtype = type_of(type), .op = op_of(op),      \
       .comm = word))

#define F_ROOTED(F, name, NAME)                                              \
    F(name, NAME, NAME,                                                      \
      (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,               \
       void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype,               \
       MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),                      \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,     \
       comm, ierr),                                                          \
      (.sendbuf = address(sendbuf), .sendcount = *sendcount,                 \
       .sendtype = type_of(sendtype), .recvbuf = address(recvbuf),           \
       .recvcount = *recvcount, .recvtype = type_of(recvtype),               \
       .root = *root, .comm = word))

#define F_EXCHANGE(F, name, NAME)                                            \
    F(name, NAME, NAME,                                                      \
      (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,               \
       void *recvbuf, MPI_Fint *recvcount, MPI_Fint *recvtype,               \
       MPI_Fint *comm, MPI_Fint *ierr),                                      \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,     \
       ierr),                                                                \
      (.sendbuf = address(sendbuf), .sendcount = *sendcount,                 \
       .sendtype = type_of(sendtype), .recvbuf = address(recvbuf),           \
       .recvcount = *recvcount, .recvtype = type_of(recvtype),               \
       .comm = word))

#define FORTRAN_LIST(F)                                                      \
    F(barrier, BARRIER, BARRIER, (MPI_Fint *comm, MPI_Fint *ierr),           \
      (comm, ierr), (.comm = word))                                 \
    F(bcast, BCAST, BCAST,                                                   \
      (void *buf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root,           \
       MPI_Fint *comm, MPI_Fint *ierr),                                      \
      (buf, count, type, root, comm, ierr),                                  \
      (.recvbuf = address(buf), .recvcount = *count,                         \
       .recvtype = type_of(type), .root = *root, .comm = word))     \
    F(reduce, REDUCE, REDUCE,                                                \
      (void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type,        \
       MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),        \
      (sendbuf, recvbuf, count, type, op, root, comm, ierr),                 \
      (.sendbuf = address(sendbuf), .recvbuf = address(recvbuf),             \
       .recvcount = *count, .recvtype = type_of(type), .op = op_of(op),      \
       .root = *root, .comm = word))                                \
    F_REDUCTION(F, allreduce, ALLREDUCE)                                     \
    F_REDUCTION(F, reduce_scatter_block, REDUCE_SCATTER_BLOCK)               \
    F_REDUCTION(F, scan, SCAN)                                               \
    F_REDUCTION(F, exscan, EXSCAN)                                           \
    F(reduce_scatter, REDUCE_SCATTER, REDUCE_SCATTER,                        \
      (void *sendbuf, void *recvbuf, MPI_Fint *recvcounts, MPI_Fint *type,   \
       MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr),                        \
      (sendbuf, recvbuf, recvcounts, type, op, comm, ierr),                  \
      (.sendbuf = address(sendbuf), .recvbuf = address(recvbuf),             \
       .recvcounts = recvcounts, .recvtype = type_of(type),                  \
       .op = op_of(op), .comm = word))                              \
    F_ROOTED(F, gather, GATHER)                                              \
    F_ROOTED(F, scatter, SCATTER)                                            \
    F_EXCHANGE(F, allgather, ALLGATHER)                                      \
    F_EXCHANGE(F, alltoall, ALLTOALL)                                        \
    F(gatherv, GATHERV, GATHERV,                                             \
      (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,               \
       void *recvbuf, MPI_Fint *recvcounts, MPI_Fint *displs,                \
       MPI_Fint *recvtype, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),  \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,  \
       root, comm, ierr),                                                    \
      (.sendbuf = address(sendbuf), .sendcount = *sendcount,                 \
       .sendtype = type_of(sendtype), .recvbuf = address(recvbuf),           \
       .recvcounts = recvcounts, .rdispls = displs,                          \
       .recvtype = type_of(recvtype), .root = *root,                         \
       .comm = word))                                               \
    F(scatterv, SCATTERV, SCATTERV,                                          \
      (void *sendbuf, MPI_Fint *sendcounts, MPI_Fint *displs,                \
       MPI_Fint *sendtype, void *recvbuf, MPI_Fint *recvcount,               \
       MPI_Fint *recvtype, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),  \
      (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,  \
       root, comm, ierr),                                                    \
      (.sendbuf = address(sendbuf), .sendcounts = sendcounts,                \
       .sdispls = displs, .sendtype = type_of(sendtype),                     \
       .recvbuf = address(recvbuf), .recvcount = *recvcount,                 \
       .recvtype = type_of(recvtype), .root = *root,                         \
       .comm = word))                                               \
    F(allgatherv, ALLGATHERV, ALLGATHERV,                                    \
      (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,               \
       void *recvbuf, MPI_Fint *recvcounts, MPI_Fint *displs,                \
       MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierr),                  \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,  \
       comm, ierr),                                                          \
      (.sendbuf = address(sendbuf), .sendcount = *sendcount,                 \
       .sendtype = type_of(sendtype), .recvbuf = address(recvbuf),           \
       .recvcounts = recvcounts, .rdispls = displs,                          \
       .recvtype = type_of(recvtype), .comm = word))                \
    F(alltoallv, ALLTOALLV, ALLTOALLV,                                       \
      (void *sendbuf, MPI_Fint *sendcounts, MPI_Fint *sdispls,               \
       MPI_Fint *sendtype, void *recvbuf, MPI_Fint *recvcounts,              \
       MPI_Fint *rdispls, MPI_Fint *recvtype, MPI_Fint *comm,                \
       MPI_Fint *ierr),                                                      \
      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, \
       recvtype, comm, ierr),                                                \
      (.sendbuf = address(sendbuf), .sendcounts = sendcounts,                \
       .sdispls = sdispls, .sendtype = type_of(sendtype),                    \
       .recvbuf = address(recvbuf), .recvcounts = recvcounts,                \
       .rdispls = rdispls, .recvtype = type_of(recvtype),                    \
       .comm = word))

#else

static void find_constants(void)
{
    usable = 1; /* no constants are needed */
}

#define FORTRAN_LIST(F)                                                      \
    F(barrier, BARRIER, BARRIER, (MPI_Fint *comm, MPI_Fint *ierr),           \
      (comm, ierr), (.comm = word))

#endif

/* The next tool's functions, or the library's: of mpif.h and of mpi_f08. */
typedef void init_fn(MPI_Fint *ierr);
typedef void init_thread_fn(MPI_Fint *required, MPI_Fint *provided,
                            MPI_Fint *ierr);
typedef void abort_fn(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr);
#define F(name, NAME, coll, params, args, words) typedef void name##_fn params;
FORTRAN_LIST(F)
#undef F

static struct {
    init_fn *init, *init_f08;
    init_thread_fn *init_thread, *init_thread_f08;
    abort_fn *abort, *abort_f08;
#define F(name, NAME, coll, params, args, words) name##_fn *name, *name##_f08;
    FORTRAN_LIST(F)
#undef F
} next;

static void find_all(void)
{
    chorale_shim_find(); /* also sets the functions that shim.c passes calls on
                          * to */
    find_constants();
    *(void **)&next.init = find_next("pmpi_init_");
    *(void **)&next.init_f08 = find_next("pmpi_init_f08_");
    *(void **)&next.init_thread = find_next("pmpi_init_thread_");
    *(void **)&next.init_thread_f08 = find_next("pmpi_init_thread_f08_");
    *(void **)&next.abort = find_next("pmpi_abort_");
    *(void **)&next.abort_f08 = find_next("pmpi_abort_f08_");
#define F(name, NAME, coll, params, args, words)                             \
    *(void **)&next.name = find_next("pmpi_" #name "_");                     \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    FORTRAN_LIST(F)
#undef F
    atomic_store_explicit(&found, 1, memory_order_release);
}

static inline void find_once(void)
{
    if (!atomic_load_explicit(&found, memory_order_acquire))
        pthread_once(&once, find_all);
}

static int can_dispatch(void)
{
    return usable && chorale_pmpi_ready();
}

/* word: the communicator. The same steps as in shim.c. Arguments are converted
 * first, except for collectives that are left to the library for all
 * arguments. */
#define F(name, NAME, coll, params, args, words)                             \
    static __attribute__((noinline)) int                                     \
    asked_##name(chorale_word word, CHORALE_SHIM_UNWRAP params)              \
    {                                                                        \
        int rc;                                                              \
                                                                             \
        (void)comm; /* use word */                                           \
        if (!chorale_shim_call(CHORALE_##coll,                               \
                               &(struct chorale_words){                      \
                                   CHORALE_SHIM_UNWRAP words },              \
                               &rc))                                         \
            return 0;                                                        \
        set(ierr, rc);                                                       \
        return 1;                                                            \
    }                                                                        \
                                                                             \
    static enum chorale_path                                                  \
    looked_##name(chorale_word word, CHORALE_SHIM_UNWRAP params)             \
    {                                                                        \
        const struct chorale_words here = { CHORALE_SHIM_UNWRAP words };     \
        enum chorale_path way = chorale_shim_look(CHORALE_##coll, &here);     \
        int rc = MPI_SUCCESS;                                                \
                                                                             \
        (void)comm;                                                          \
        if (way == CHORALE_AGAIN)                                            \
            rc = chorale_shim_again(CHORALE_##coll, &here);                  \
        else if (way == CHORALE_ARRAYS)                                      \
            way = chorale_shim_arrays(CHORALE_##coll, &here, &rc);           \
        if (way == CHORALE_AGAIN)                                            \
            set(ierr, rc);                                                   \
        return way;                                                          \
    }                                                                        \
                                                                             \
    static void pass_##name(name##_fn *fn, CHORALE_SHIM_UNWRAP params)       \
    {                                                                        \
        enum chorale_path way = CHORALE_PASS;                                 \
        chorale_word word = 0;                                               \
                                                                             \
        if (can_dispatch()) {                                                \
            word = comm_of(comm);                                            \
            way = chorale_shim_first(CHORALE_##coll, word);                  \
            if (way == CHORALE_ASK)                                          \
                way = chorale_shim_switch(CHORALE_##coll, word);             \
            if (way == CHORALE_LOOK)                                         \
                way = looked_##name(word, CHORALE_SHIM_UNWRAP args);         \
        }                                                                    \
        if (way == CHORALE_AGAIN)                                            \
            return;                                                          \
        if (way == CHORALE_PASS && fn != NULL) {                             \
            fn args;                                                         \
            return;                                                          \
        }                                                                    \
        chorale_trace_open();                                                \
        if (way == CHORALE_PASS                                              \
            || !asked_##name(word, CHORALE_SHIM_UNWRAP args)) {              \
            if (fn != NULL)                                                  \
                fn args;                                                     \
            else                                                             \
                set(ierr, MPI_ERR_OTHER);                                    \
        }                                                                    \
        chorale_trace_done(0);                                               \
    }                                                                        \
                                                                             \
    F77(name, NAME, params, {                                                \
        find_once();                                                         \
        pass_##name(next.name, CHORALE_SHIM_UNWRAP args);                    \
    })                                                                       \
                                                                             \
    void mpi_##name##_f08_ params;                                           \
    void mpi_##name##_f08_ params                                            \
    {                                                                        \
        find_once();                                                         \
        pass_##name(next.name##_f08, CHORALE_SHIM_UNWRAP args);              \
    }
FORTRAN_LIST(F)
#undef F

/* MPI_Init: the ranks agree on CHORALE_AFTER here. */
static void init(init_fn *fn, MPI_Fint *ierr)
{
    MPI_Fint rc = MPI_ERR_OTHER;

    if (fn != NULL)
        fn(&rc);
    if (rc == MPI_SUCCESS)
        chorale_shim_started();
    set(ierr, rc);
}

static void init_thread(init_thread_fn *fn, MPI_Fint *required,
                        MPI_Fint *provided, MPI_Fint *ierr)
{
    MPI_Fint rc = MPI_ERR_OTHER;

    if (fn != NULL)
        fn(required, provided, &rc);
    if (rc == MPI_SUCCESS)
        chorale_shim_started();
    set(ierr, rc);
}

F77(init, INIT, (MPI_Fint *ierr), {
    find_once();
    init(next.init, ierr);
})

F77(init_thread, INIT_THREAD,
    (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr), {
    find_once();
    init_thread(next.init_thread, required, provided, ierr);
})

void mpi_init_f08_(MPI_Fint *ierr);
void mpi_init_f08_(MPI_Fint *ierr)
{
    find_once();
    init(next.init_f08, ierr);
}

void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided,
                          MPI_Fint *ierr);
void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided,
                          MPI_Fint *ierr)
{
    find_once();
    init_thread(next.init_thread_f08, required, provided, ierr);
}

/* MPI_Abort: writes the trace first. */
static void end_all(abort_fn *fn, MPI_Fint *comm, MPI_Fint *code,
                    MPI_Fint *ierr)
{
    MPI_Fint rc = MPI_ERR_OTHER;

    chorale_shim_abort();
    if (fn != NULL)
        fn(comm, code, &rc);
    set(ierr, rc);
}

F77(abort, ABORT, (MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr), {
    find_once();
    end_all(next.abort, comm, code, ierr);
})

void mpi_abort_f08_(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr);
void mpi_abort_f08_(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    find_once();
    end_all(next.abort_f08, comm, code, ierr);
}

#endif
