/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran_comms.c - Fortran functions that make and free communicators
 * and do not call the C names of shim.c: those of mpi_f08, and with Open MPI
 * also those of mpif.h. See shim_fortran.c. */
#include "config.h"

#include <pthread.h>

#include "algorithms/dispatch/comm/freed_comms.h"
#include "algorithms/dispatch/shim/shim_fortran.h"

#if defined(OPEN_MPI) || defined(MPICH_VERSION)

static pthread_once_t once = PTHREAD_ONCE_INIT;

typedef void free_fn(MPI_Fint *comm, MPI_Fint *ierr);

#define FREES(X)                                                             \
    X(comm_free, COMM_FREE)                                                  \
    X(comm_disconnect, COMM_DISCONNECT)

/* Open MPI has enough communicators: private ones are not given back. MPICH's
 * Fortran handles equal its C handles and are written to the same places.
 *
 * X(name, parameters, arguments, before, made): as CHORALE_SHIM_MAKERS.
 *
 * Functions with buffers are missing, as they call the C names. */
#ifdef OPEN_MPI
#define MAKERS(X)
#define ENDERS(X)
#else
typedef MPI_Fint fint;

#define ONE_OF(comm) chorale_shim_make_begin(comm_of(comm), CHORALE_NEEDS_ONE)
#define SOME_OF(comm) chorale_shim_make_begin(comm_of(comm), CHORALE_NEEDS_SOME)

#define MAKERS(X) COMM_MAKERS(X) OTHER_MAKERS(X)

#define COMM_MAKERS(X)                                                       \
    X(comm_dup, (fint *comm, fint *made, fint *ierr), (comm, made, &rc),     \
      ONE_OF(comm), made)                                                    \
    X(comm_dup_with_info, (fint *comm, fint *info, fint *made, fint *ierr),  \
      (comm, info, made, &rc), ONE_OF(comm), made)                           \
    X(comm_idup, (fint *comm, fint *made, fint *request, fint *ierr),        \
      (comm, made, request, &rc), 0, NULL)                                   \
    X(comm_split,                                                            \
      (fint *comm, fint *color, fint *key, fint *made, fint *ierr),          \
      (comm, color, key, made, &rc), ONE_OF(comm), made)                     \
    X(comm_split_type,                                                       \
      (fint *comm, fint *type, fint *key, fint *info, fint *made,            \
       fint *ierr),                                                          \
      (comm, type, key, info, made, &rc), ONE_OF(comm), made)                \
    X(comm_create, (fint *comm, fint *group, fint *made, fint *ierr),        \
      (comm, group, made, &rc), ONE_OF(comm), made)                          \
    X(comm_create_group,                                                     \
      (fint *comm, fint *group, fint *tag, fint *made, fint *ierr),          \
      (comm, group, tag, made, &rc), chorale_shim_group_begin(*group), made) \
    X(cart_create,                                                           \
      (fint *comm, fint *n, fint *dims, fint *periods, fint *reorder,        \
       fint *made, fint *ierr),                                              \
      (comm, n, dims, periods, reorder, made, &rc), ONE_OF(comm), made)      \
    X(cart_sub, (fint *comm, fint *remain, fint *made, fint *ierr),          \
      (comm, remain, made, &rc), ONE_OF(comm), made)                         \
    X(graph_create,                                                          \
      (fint *comm, fint *n, fint *index, fint *edges, fint *reorder,         \
       fint *made, fint *ierr),                                              \
      (comm, n, index, edges, reorder, made, &rc), ONE_OF(comm), made)       \
    X(dist_graph_create,                                                     \
      (fint *comm, fint *n, fint *from, fint *degrees, fint *to,             \
       fint *weights, fint *info, fint *reorder, fint *made, fint *ierr),    \
      (comm, n, from, degrees, to, weights, info, reorder, made, &rc),       \
      ONE_OF(comm), made)                                                    \
    X(dist_graph_create_adjacent,                                            \
      (fint *comm, fint *nin, fint *from, fint *in_weights, fint *nout,      \
       fint *to, fint *out_weights, fint *info, fint *reorder, fint *made,   \
       fint *ierr),                                                          \
      (comm, nin, from, in_weights, nout, to, out_weights, info, reorder,    \
       made, &rc),                                                           \
      ONE_OF(comm), made)                                                    \
    X(intercomm_create,                                                      \
      (fint *comm, fint *leader, fint *peer, fint *remote, fint *tag,        \
       fint *made, fint *ierr),                                              \
      (comm, leader, peer, remote, tag, made, &rc), SOME_OF(comm), made)     \
    X(intercomm_merge, (fint *comm, fint *high, fint *made, fint *ierr),     \
      (comm, high, made, &rc), SOME_OF(comm), made)

/* The length of a character argument comes last. */
#define OTHER_MAKERS(X)                                                      \
    X(win_allocate,                                                          \
      (MPI_Aint *size, fint *unit, fint *info, fint *comm, void *base,       \
       fint *made, fint *ierr),                                              \
      (size, unit, info, comm, base, made, &rc), SOME_OF(comm), NULL)        \
    X(win_allocate_shared,                                                   \
      (MPI_Aint *size, fint *unit, fint *info, fint *comm, void *base,       \
       fint *made, fint *ierr),                                              \
      (size, unit, info, comm, base, made, &rc), SOME_OF(comm), NULL)        \
    X(win_create_dynamic,                                                    \
      (fint *info, fint *comm, fint *made, fint *ierr),                      \
      (info, comm, made, &rc), SOME_OF(comm), NULL)                          \
    X(file_open,                                                             \
      (fint *comm, char *name, fint *mode, fint *info, void *made,           \
       fint *ierr, size_t length),                                           \
      (comm, name, mode, info, made, &rc, length), SOME_OF(comm), NULL)

#define ENDERS(X) X(win_free) X(file_close)
#endif

typedef void ender_fn(void *handle, MPI_Fint *ierr);
#define X(name, params, args, begin, result) typedef void name##_fn params;
MAKERS(X)
#undef X

static struct {
#define X(name, NAME) free_fn *name, *name##_f08;
    FREES(X)
#undef X
#define X(name, params, args, begin, result) name##_fn *name##_f08;
    MAKERS(X)
#undef X
#define X(name) ender_fn *name##_f08;
    ENDERS(X)
#undef X
} next;

static void find_all(void)
{
    chorale_shim_find(); /* also sets the functions that shim.c passes calls on
                          * to */
#define X(name, NAME)                                                        \
    *(void **)&next.name = find_next("pmpi_" #name "_");                     \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    FREES(X)
#undef X
#define X(name, params, args, begin, result)                                 \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    MAKERS(X)
#undef X
#define X(name)                                                              \
    *(void **)&next.name##_f08 = find_next("pmpi_" #name "_f08_");
    ENDERS(X)
#undef X
}

static void pass_free(free_fn *fn, MPI_Fint *comm, MPI_Fint *ierr)
{
    struct chorale_freeing frame;
    MPI_Fint rc = MPI_ERR_OTHER;
    MPI_Comm handle;
    int begun;

    if (fn != NULL && chorale_pmpi_ready()) {
        handle = (MPI_Comm)comm_of(comm);
        begun = chorale_shim_free_begin(&handle, &frame);
        fn(comm, &rc);
        if (begun)
            chorale_shim_free_end(&frame, rc);
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

#define X(name, params, args, begin, result)                                 \
    void mpi_##name##_f08_ params;                                           \
    void mpi_##name##_f08_ params                                            \
    {                                                                        \
        MPI_Fint rc = MPI_ERR_OTHER;                                         \
                                                                             \
        pthread_once(&once, find_all);                                       \
        if (next.name##_f08 != NULL) {                                       \
            rc = begin;                                                      \
            if (rc == MPI_SUCCESS) {                                         \
                next.name##_f08 args;                                        \
                if (rc == MPI_SUCCESS)                                       \
                    chorale_shim_made(result);                               \
            }                                                                \
        }                                                                    \
        set(ierr, rc);                                                       \
    }
MAKERS(X)
#undef X

#define X(name)                                                              \
    void mpi_##name##_f08_(void *handle, MPI_Fint *ierr);                    \
    void mpi_##name##_f08_(void *handle, MPI_Fint *ierr)                     \
    {                                                                        \
        MPI_Fint rc = MPI_ERR_OTHER;                                         \
                                                                             \
        pthread_once(&once, find_all);                                       \
        if (next.name##_f08 != NULL)                                         \
            next.name##_f08(handle, &rc);                                    \
        if (rc == MPI_SUCCESS)                                               \
            chorale_shim_ended();                                            \
        set(ierr, rc);                                                       \
    }
ENDERS(X)
#undef X

#endif
