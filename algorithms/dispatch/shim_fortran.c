/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran.c - the names that Fortran programs call, where the library's
 * Fortran layer goes past MPI's C names, which shim.c has.
 *
 * Open MPI's calls PMPI always: mpif.h and the module mpi have mpi_bcast_ or
 * another spelling of it, the module mpi_f08 mpi_bcast_f08_, where ierror may
 * be absent: a null pointer. MPICH's calls MPI, but for those functions of
 * mpi_f08 that have no buffer.
 *
 * Arguments are addresses. Open MPI's MPI_BOTTOM and MPI_IN_PLACE are those of
 * variables in common blocks, which the program, the library and we see under
 * the same name. Where we do not, in a program that was loaded privately,
 * every call goes on untouched. */
#include "config.h"

#include <pthread.h>

#include "algorithms/dispatch/shim_fortran.h"
#include "algorithms/dispatch/trace_on.h"

#if defined(OPEN_MPI) || defined(MPICH_VERSION)

_Static_assert(sizeof(MPI_Fint) == sizeof(int),
               "Fortran's arrays of counts are arrays of int");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable; /* the constants are known */

#ifdef OPEN_MPI

/* From version 6 on the module's functions may take descriptors. */
#if OMPI_MAJOR_VERSION > 5
#error "the names of mpi_f08 are those of Open MPI up to 5"
#endif

/* The spellings of a common block. */
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
        /* Never an argument: of a name that is not there. */
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

static chorale_word type_of(const MPI_Fint *type)
{
    return (chorale_word)PMPI_Type_f2c(*type);
}

static chorale_word op_of(const MPI_Fint *op)
{
    return (chorale_word)PMPI_Op_f2c(*op);
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
       .comm = comm_of(comm)))

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
       .root = *root, .comm = comm_of(comm)))

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
       .comm = comm_of(comm)))

#define FORTRAN_LIST(F)                                                      \
    F(barrier, BARRIER, BARRIER, (MPI_Fint *comm, MPI_Fint *ierr),           \
      (comm, ierr), (.comm = comm_of(comm)))                                 \
    F(bcast, BCAST, BCAST,                                                   \
      (void *buf, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root,           \
       MPI_Fint *comm, MPI_Fint *ierr),                                      \
      (buf, count, type, root, comm, ierr),                                  \
      (.recvbuf = address(buf), .recvcount = *count,                         \
       .recvtype = type_of(type), .root = *root, .comm = comm_of(comm)))     \
    F(reduce, REDUCE, REDUCE,                                                \
      (void *sendbuf, void *recvbuf, MPI_Fint *count, MPI_Fint *type,        \
       MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),        \
      (sendbuf, recvbuf, count, type, op, root, comm, ierr),                 \
      (.sendbuf = address(sendbuf), .recvbuf = address(recvbuf),             \
       .recvcount = *count, .recvtype = type_of(type), .op = op_of(op),      \
       .root = *root, .comm = comm_of(comm)))                                \
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
       .op = op_of(op), .comm = comm_of(comm)))                              \
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
       .comm = comm_of(comm)))                                               \
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
       .comm = comm_of(comm)))                                               \
    F(allgatherv, ALLGATHERV, ALLGATHERV,                                    \
      (void *sendbuf, MPI_Fint *sendcount, MPI_Fint *sendtype,               \
       void *recvbuf, MPI_Fint *recvcounts, MPI_Fint *displs,                \
       MPI_Fint *recvtype, MPI_Fint *comm, MPI_Fint *ierr),                  \
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,  \
       comm, ierr),                                                          \
      (.sendbuf = address(sendbuf), .sendcount = *sendcount,                 \
       .sendtype = type_of(sendtype), .recvbuf = address(recvbuf),           \
       .recvcounts = recvcounts, .rdispls = displs,                          \
       .recvtype = type_of(recvtype), .comm = comm_of(comm)))                \
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
       .comm = comm_of(comm)))

#else

static void find_constants(void)
{
    usable = 1; /* none is needed */
}

#define FORTRAN_LIST(F)                                                      \
    F(barrier, BARRIER, BARRIER, (MPI_Fint *comm, MPI_Fint *ierr),           \
      (comm, ierr), (.comm = comm_of(comm)))

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
    chorale_shim_find(); /* what is known from here on holds there too */
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
}

static int may_take(void)
{
    return usable && chorale_pmpi_ready();
}

#define F(name, NAME, coll, params, args, words)                             \
    static int take_##name params                                            \
    {                                                                        \
        int rc;                                                              \
                                                                             \
        if (!may_take()                                                      \
            || !chorale_shim_call(CHORALE_##coll,                            \
                                  &(struct chorale_words){                   \
                                      CHORALE_SHIM_UNWRAP words },           \
                                  &rc))                                      \
            return 0;                                                        \
        set(ierr, rc);                                                       \
        return 1;                                                            \
    }                                                                        \
                                                                             \
    static void pass_##name(name##_fn *fn, CHORALE_SHIM_UNWRAP params)       \
    {                                                                        \
        chorale_trace_open();                                                \
        if (!take_##name args) {                                             \
            if (fn != NULL)                                                  \
                fn args;                                                     \
            else                                                             \
                set(ierr, MPI_ERR_OTHER);                                    \
        }                                                                    \
        chorale_trace_done(0);                                               \
    }                                                                        \
                                                                             \
    F77(name, NAME, params, {                                                \
        pthread_once(&once, find_all);                                       \
        pass_##name(next.name, CHORALE_SHIM_UNWRAP args);                    \
    })                                                                       \
                                                                             \
    void mpi_##name##_f08_ params;                                           \
    void mpi_##name##_f08_ params                                            \
    {                                                                        \
        pthread_once(&once, find_all);                                       \
        pass_##name(next.name##_f08, CHORALE_SHIM_UNWRAP args);              \
    }
FORTRAN_LIST(F)
#undef F

/* MPI_Init: without it the ranks would not agree when to step in. */
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
    pthread_once(&once, find_all);
    init(next.init, ierr);
})

F77(init_thread, INIT_THREAD,
    (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr), {
    pthread_once(&once, find_all);
    init_thread(next.init_thread, required, provided, ierr);
})

void mpi_init_f08_(MPI_Fint *ierr);
void mpi_init_f08_(MPI_Fint *ierr)
{
    pthread_once(&once, find_all);
    init(next.init_f08, ierr);
}

void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided,
                          MPI_Fint *ierr);
void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided,
                          MPI_Fint *ierr)
{
    pthread_once(&once, find_all);
    init_thread(next.init_thread_f08, required, provided, ierr);
}

/* MPI_Abort: what a trace has is written first. */
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
    pthread_once(&once, find_all);
    end_all(next.abort, comm, code, ierr);
})

void mpi_abort_f08_(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr);
void mpi_abort_f08_(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    pthread_once(&once, find_all);
    end_all(next.abort_f08, comm, code, ierr);
}

#endif
