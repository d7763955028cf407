/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.c - the MPI functions that a preloaded libchorale_pmpi.so interposes.
 *
 * The process may run another MPI library than the one this file was built
 * for. Its handles may have another size (int in MPICH, pointers in Open MPI),
 * and its calls must be passed on unchanged. So each handle is declared as a
 * machine word: in the calling conventions of 64-bit systems an argument of up
 * to eight bytes fills one register or stack slot, whatever its type. Words
 * are converted to handles of our mpi.h only after the library was recognised
 * (shim_call.c).
 *
 * The library must be preloaded into all processes of a job or into none,
 * because ranks with it exchange messages. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "algorithms/dispatch/shim/shim.h"
#include "algorithms/dispatch/trace/trace_enabled.h"

_Static_assert(sizeof(chorale_word) == sizeof(void *)
                   && sizeof(chorale_word) == 8,
               "handles pass as machine words of 64 bits");

/* Returned if there is no MPI function to call: MPI_ERR_OTHER of MPICH, and an
 * error in any MPI library. */
#define NO_LIBRARY 15

typedef int init_fn(int *argc, char ***argv);
typedef int init_thread_fn(int *argc, char ***argv, int required,
                           int *provided);
typedef int abort_fn(chorale_word comm, int code);
typedef int free_fn(void *comm);

/* Functions that free an object with a context that is not a communicator. */
#define ENDERS(X) X(Win_free) X(File_close)

#define X(name, coll, params, args, words) typedef int name##_fn params;
CHORALE_SHIM_ALL_LIST(X)
#undef X

#define X(name, params, args, begin, result) typedef int name##_fn params;
CHORALE_SHIM_MAKERS(X)
#undef X

/* The next tool's function, or the library's. */
static struct {
    init_fn *Init;
    init_thread_fn *Init_thread;
    abort_fn *Abort;
    free_fn *Comm_free, *Comm_disconnect;
#define X(name, coll, params, args, words) name##_fn *name;
    CHORALE_SHIM_ALL_LIST(X)
#undef X
#define X(name, params, args, begin, result) name##_fn *name;
    CHORALE_SHIM_MAKERS(X)
#undef X
#define X(name) free_fn *name;
    ENDERS(X)
#undef X
} next;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name + 1); /* "MPI_X" */

    return found != NULL ? found : chorale_pmpi_symbol(name);
}

static atomic_int found; /* find_all() is done */

static void find_all(void)
{
    *(void **)&next.Init = find_next("PMPI_Init");
    *(void **)&next.Init_thread = find_next("PMPI_Init_thread");
    *(void **)&next.Abort = find_next("PMPI_Abort");
    *(void **)&next.Comm_free = find_next("PMPI_Comm_free");
    *(void **)&next.Comm_disconnect = find_next("PMPI_Comm_disconnect");
#define X(name, coll, params, args, words)                                   \
    *(void **)&next.name = find_next("PMPI_" #name);
    CHORALE_SHIM_ALL_LIST(X)
#undef X
#define X(name, params, args, begin, result)                                 \
    *(void **)&next.name = find_next("PMPI_" #name);
    CHORALE_SHIM_MAKERS(X)
#undef X
#define X(name) *(void **)&next.name = find_next("PMPI_" #name);
    ENDERS(X)
#undef X
    atomic_store_explicit(&found, 1, memory_order_release);
}

static inline void find_once(void)
{
    if (!atomic_load_explicit(&found, memory_order_acquire))
        pthread_once(&once, find_all);
}

void chorale_shim_find(void)
{
    find_once();
}

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Abort(chorale_word comm, int code);
int MPI_Comm_free(void *comm);
int MPI_Comm_disconnect(void *comm);

int MPI_Init(int *argc, char ***argv)
{
    int rc;

    find_once();
    if (next.Init == NULL)
        return NO_LIBRARY;
    rc = next.Init(argc, argv);
    if (rc == 0)
        chorale_shim_started();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc;

    find_once();
    if (next.Init_thread == NULL)
        return NO_LIBRARY;
    rc = next.Init_thread(argc, argv, required, provided);
    if (rc == 0)
        chorale_shim_started();
    return rc;
}

int MPI_Abort(chorale_word comm, int code)
{
    find_once();
    if (next.Abort == NULL)
        return NO_LIBRARY;
    chorale_shim_abort();
    return next.Abort(comm, code);
}

static int pass_free(free_fn *fn, void *comm)
{
    struct chorale_freeing frame;
    int begun, rc;

    if (fn == NULL)
        return NO_LIBRARY;
    begun = chorale_shim_free_begin(comm, &frame);
    rc = fn(comm);
    if (begun)
        chorale_shim_free_end(&frame, rc);
    return rc;
}

int MPI_Comm_free(void *comm)
{
    find_once();
    return pass_free(next.Comm_free, comm);
}

int MPI_Comm_disconnect(void *comm)
{
    find_once();
    return pass_free(next.Comm_disconnect, comm);
}

/* Each interposed function consists of parts that end in jumps. A call that is
 * passed on uses no stack; a served call uses it only where needed. */
#define X(name, coll, params, args, words)                                   \
    static __attribute__((noinline)) int name##_asked params                 \
    {                                                                        \
        int rc;                                                              \
                                                                             \
        find_once();                                                         \
        chorale_trace_open();                                                \
        if (!chorale_shim_call(CHORALE_##coll,                               \
                               &(struct chorale_words){                      \
                                   CHORALE_SHIM_UNWRAP words },              \
                               &rc))                                         \
            rc = next.name != NULL ? next.name args : NO_LIBRARY;            \
        return chorale_trace_done(rc);                                       \
    }                                                                        \
                                                                             \
    static __attribute__((noinline)) int name##_arrays params                \
    {                                                                        \
        int rc;                                                              \
        const enum chorale_path way = chorale_arrays_##name(                  \
            &rc, CHORALE_SHIM_UNWRAP args);                                  \
                                                                             \
        if (way == CHORALE_AGAIN)                                            \
            return rc;                                                       \
        if (way == CHORALE_PASS && next.name != NULL)                        \
            return next.name args;                                           \
        return name##_asked args;                                            \
    }                                                                        \
                                                                             \
    static __attribute__((noinline)) int name##_looked params                \
    {                                                                        \
        const struct chorale_words here = { CHORALE_SHIM_UNWRAP words };     \
        const enum chorale_path way = chorale_shim_look(CHORALE_##coll,       \
                                                        &here);               \
                                                                             \
        if (way == CHORALE_PASS && next.name != NULL)                        \
            return next.name args;                                           \
        if (way == CHORALE_AGAIN)                                            \
            return chorale_again_##name args;                                \
        if (way == CHORALE_ARRAYS)                                           \
            return name##_arrays args;                                       \
        return name##_asked args;                                            \
    }                                                                        \
                                                                             \
    static __attribute__((noinline)) int name##_switched params              \
    {                                                                        \
        const enum chorale_path way = chorale_shim_switch(CHORALE_##coll,     \
                                                          comm);              \
                                                                             \
        if (way == CHORALE_PASS && next.name != NULL)                        \
            return next.name args;                                           \
        if (way == CHORALE_LOOK)                                             \
            return name##_looked args;                                       \
        return name##_asked args;                                            \
    }                                                                        \
                                                                             \
    int MPI_##name params;                                                   \
    int MPI_##name params                                                    \
    {                                                                        \
        const enum chorale_path way = chorale_shim_first(CHORALE_##coll,      \
                                                         comm);               \
                                                                             \
        if (way == CHORALE_PASS && next.name != NULL)                        \
            return next.name args;                                           \
        if (way == CHORALE_LOOK)                                             \
            return name##_looked args;                                       \
        return name##_switched args;                                         \
    }
CHORALE_SHIM_ALL_LIST(X)
#undef X

#define X(name, params, args, begin, result)                                 \
    int MPI_##name params;                                                   \
    int MPI_##name params                                                    \
    {                                                                        \
        int rc;                                                              \
                                                                             \
        find_once();                                                         \
        if (next.name == NULL)                                               \
            return NO_LIBRARY;                                               \
        rc = begin;                                                          \
        if (rc != 0)                                                         \
            return rc;                                                       \
        rc = next.name args;                                                 \
        if (rc == 0)                                                         \
            chorale_shim_made(result);                                       \
        return rc;                                                           \
    }
CHORALE_SHIM_MAKERS(X)
#undef X

#define X(name)                                                              \
    int MPI_##name(void *handle);                                            \
    int MPI_##name(void *handle)                                             \
    {                                                                        \
        int rc;                                                              \
                                                                             \
        find_once();                                                         \
        rc = next.name != NULL ? next.name(handle) : NO_LIBRARY;             \
        if (rc == 0)                                                         \
            chorale_shim_ended();                                            \
        return rc;                                                           \
    }
ENDERS(X)
#undef X
