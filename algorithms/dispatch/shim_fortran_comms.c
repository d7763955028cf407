/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran_comms.c - communicators that Fortran programs make and free by
 * names which go past those of shim.c: of mpi_f08, and with Open MPI of mpif.h
 * as well. See shim_fortran.c. */
#include "config.h"

#include <pthread.h>

#include "algorithms/dispatch/dying.h"
#include "algorithms/dispatch/quiet.h"
#include "algorithms/dispatch/shim_fortran.h"

#if defined(OPEN_MPI) || defined(MPICH_VERSION)

static pthread_once_t once = PTHREAD_ONCE_INIT;

typedef void free_fn(MPI_Fint *comm, MPI_Fint *ierr);

#define FREES(X)                                                             \
    X(comm_free, COMM_FREE)                                                  \
    X(comm_disconnect, COMM_DISCONNECT)

/* Open MPI never has too few communicators, so that there is nothing to give
 * back: see quiet.h. MPICH's handles are those of C, and so are the places that
 * they are written to. X(name, parameters, arguments, begin) as
 * CHORALE_SHIM_MAKERS. */
#ifdef OPEN_MPI
#define MAKERS(X)
#define HANDLERS(X)
#else
typedef MPI_Fint fint;

#define MADE_OF(comm) chorale_shim_make_begin(comm_of(comm), &frame)

#define MAKERS(X)                                                            \
    X(comm_dup, (fint *comm, fint *made, fint *ierr), (comm, made, &rc),     \
      MADE_OF(comm))                                                         \
    X(comm_dup_with_info, (fint *comm, fint *info, fint *made, fint *ierr),  \
      (comm, info, made, &rc), MADE_OF(comm))                                \
    X(comm_split,                                                            \
      (fint *comm, fint *color, fint *key, fint *made, fint *ierr),          \
      (comm, color, key, made, &rc), MADE_OF(comm))                          \
    X(comm_split_type,                                                       \
      (fint *comm, fint *type, fint *key, fint *info, fint *made,            \
       fint *ierr),                                                          \
      (comm, type, key, info, made, &rc), MADE_OF(comm))                     \
    X(comm_create, (fint *comm, fint *group, fint *made, fint *ierr),        \
      (comm, group, made, &rc), MADE_OF(comm))                               \
    X(comm_create_group,                                                     \
      (fint *comm, fint *group, fint *tag, fint *made, fint *ierr),          \
      (comm, group, tag, made, &rc),                                         \
      chorale_shim_group_begin(comm_of(comm), (chorale_word)*group, &frame)) \
    X(cart_create,                                                           \
      (fint *comm, fint *n, fint *dims, fint *periods, fint *reorder,        \
       fint *made, fint *ierr),                                              \
      (comm, n, dims, periods, reorder, made, &rc), MADE_OF(comm))           \
    X(cart_sub, (fint *comm, fint *remain, fint *made, fint *ierr),          \
      (comm, remain, made, &rc), MADE_OF(comm))                              \
    X(graph_create,                                                          \
      (fint *comm, fint *n, fint *index, fint *edges, fint *reorder,         \
       fint *made, fint *ierr),                                              \
      (comm, n, index, edges, reorder, made, &rc), MADE_OF(comm))

#define HANDLERS(X)                                                          \
    X(comm_get_errhandler, chorale_quiet_get(comm_of(comm), handler))        \
    X(comm_set_errhandler, chorale_quiet_set(comm_of(comm)))
#endif

typedef void handler_fn(MPI_Fint *comm, MPI_Fint *handler, MPI_Fint *ierr);
#define X(name, params, args, begin) typedef void name##_fn params;
MAKERS(X)
#undef X

static struct {
#define X(name, NAME) free_fn *name, *name##_f08;
    FREES(X)
#undef X
#define X(name, params, args, begin) name##_fn *name##_f08;
    MAKERS(X)
#undef X
#define X(name, after) handler_fn *name##_f08;
    HANDLERS(X)
#undef X
} next;

static void find_all(void)
{
    chorale_shim_find(); /* what is known from here on holds there too */
#define X(name, NAME)                                                        \
    *(void **)&next.name = find_next("pmpi_" #name "_");                     \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    FREES(X)
#undef X
#define X(name, params, args, begin)                                         \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    MAKERS(X)
#undef X
#define X(name, after)                                                       \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    HANDLERS(X)
#undef X
}

static void pass_free(free_fn *fn, MPI_Fint *comm, MPI_Fint *ierr)
{
    struct chorale_dying frame;
    MPI_Fint rc = MPI_ERR_OTHER;
    MPI_Comm handle;
    int begun;

    if (fn != NULL && chorale_pmpi_ready()) {
        handle = (MPI_Comm)comm_of(comm);
        begun = chorale_shim_free_begin(&handle, &frame);
        fn(comm, &rc);
        if (begun)
            chorale_dying_end(&frame);
    } else if (fn != NULL) {
        fn(comm, &rc);
    }
    set(ierr, rc);
}

#define X(name, NAME)                                                        \
    F77(name, NAME, (MPI_Fint *comm, MPI_Fint *ierr), {                      \
        pthread_once(&once, find_all);                                       \
        pass_free(next.name, comm, ierr);                                    \
    })                                                                       \
                                                                             \
    void mpi_##name##_f08_(MPI_Fint *comm, MPI_Fint *ierr);                  \
    void mpi_##name##_f08_(MPI_Fint *comm, MPI_Fint *ierr)                   \
    {                                                                        \
        pthread_once(&once, find_all);                                       \
        pass_free(next.name##_f08, comm, ierr);                              \
    }
FREES(X)
#undef X

/* Once more where the library has none left and ours were given back. */
#define X(name, params, args, begin)                                         \
    void mpi_##name##_f08_ params;                                           \
    void mpi_##name##_f08_ params                                            \
    {                                                                        \
        struct chorale_quiet frame;                                          \
        MPI_Fint rc = MPI_ERR_OTHER;                                         \
        int begun;                                                           \
                                                                             \
        pthread_once(&once, find_all);                                       \
        begun = next.name##_f08 != NULL ? begin : 0;                         \
        if (begun < 0) {                                                     \
            rc = frame.rc;                                                   \
        } else if (next.name##_f08 != NULL) {                                \
            next.name##_f08 args;                                            \
            if (begun && rc != MPI_SUCCESS                                   \
                && chorale_shim_make_again(&frame, rc))                      \
                next.name##_f08 args;                                        \
            if (begun)                                                       \
                chorale_quiet_end(&frame, rc, made);                         \
        }                                                                    \
        set(ierr, rc);                                                       \
    }
MAKERS(X)
#undef X

/* The application's own handler, also while ours stands for it. */
#define X(name, after)                                                       \
    void mpi_##name##_f08_(MPI_Fint *comm, MPI_Fint *handler,                \
                           MPI_Fint *ierr);                                  \
    void mpi_##name##_f08_(MPI_Fint *comm, MPI_Fint *handler,                \
                           MPI_Fint *ierr)                                   \
    {                                                                        \
        MPI_Fint rc = MPI_ERR_OTHER;                                         \
                                                                             \
        pthread_once(&once, find_all);                                       \
        if (next.name##_f08 != NULL)                                         \
            next.name##_f08(comm, handler, &rc);                             \
        if (rc == MPI_SUCCESS)                                               \
            after;                                                           \
        set(ierr, rc);                                                       \
    }
HANDLERS(X)
#undef X

#endif
