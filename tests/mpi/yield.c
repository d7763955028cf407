/* SPDX-License-Identifier: BSD-3-Clause */
/* yield.c - preload for tests with more ranks than cores under an MPI library
 * over UCX. Such a library polls: a waiting rank holds its core for a whole
 * time slice, and a broadcast takes milliseconds. It may also hang in
 * MPI_Finalize: a rank blocks in a read from the process manager
 * while its peers wait for it to acknowledge their last message.
 *
 * Cure: yield the core after a poll without progress and, in MPI_Finalize,
 * progress UCX while waiting for the process manager. Without UCX in the
 * process the preload has no effect.
 *
 * YIELD_PATIENCE=N: after N such polls in a row, sleep at each further one for
 * the shortest time possible (50 us). With N = 4 and two busy programs on two
 * processors, 8 ranks took a third of the wall and processor time; without the
 * busy programs they take a little longer. Do not use it in timed runs. */
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The interposed functions, declared here so that the build needs no headers of
 * UCX or MPI. */
int ucp_worker_create(void *context, const void *params, void **worker_p);
void ucp_worker_destroy(void *worker);
unsigned ucp_worker_progress(void *worker);
int MPI_Finalize(void);

enum { NWORKER = 64 };

static _Atomic(void *) workers[NWORKER];
static atomic_int finalizing;

/* The next definition of a symbol. ISO C has no cast from object to function
 * pointers, so callers store it through a pointer to a pointer. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static unsigned progress(void *worker)
{
    static _Atomic(void *) found;
    void *symbol = atomic_load(&found);
    unsigned (*real)(void *);

    if (symbol == NULL) {
        symbol = next("ucp_worker_progress");
        atomic_store(&found, symbol);
    }
    if (symbol == NULL)
        return 0;
    *(void **)&real = symbol;
    return real(worker);
}

/* Polls without progress after which a rank sleeps. */
static int patience(void)
{
    static atomic_int known = -1;
    int polls = atomic_load(&known);

    if (polls < 0) {
        const char *text = getenv("YIELD_PATIENCE");

        polls = text != NULL ? atoi(text) : INT_MAX;
        atomic_store(&known, polls);
    }
    return polls;
}

unsigned ucp_worker_progress(void *worker)
{
    static _Thread_local int vain;
    const struct timespec least = { 0, 1 };
    unsigned events = progress(worker);

    if (events != 0)
        vain = 0;
    else if (vain < patience()) {
        vain++;
        sched_yield();
    } else
        nanosleep(&least, NULL);
    return events;
}

int ucp_worker_create(void *context, const void *params, void **worker_p)
{
    enum { NO_RESOURCE = -2 }; /* UCS_ERR_NO_RESOURCE */
    int (*real)(void *, const void *, void **);
    int status;

    *(void **)&real = next("ucp_worker_create");
    if (real == NULL)
        return NO_RESOURCE;
    status = real(context, params, worker_p);
    for (int i = 0; status == 0 && i < NWORKER; i++) {
        void *empty = NULL;

        if (atomic_compare_exchange_strong(&workers[i], &empty, *worker_p))
            break;
    }
    return status;
}

void ucp_worker_destroy(void *worker)
{
    void (*real)(void *);

    for (int i = 0; i < NWORKER; i++) {
        void *same = worker;

        atomic_compare_exchange_strong(&workers[i], &same, NULL);
    }
    *(void **)&real = next("ucp_worker_destroy");
    if (real != NULL)
        real(worker);
}

int MPI_Finalize(void)
{
    int (*real)(void);

    atomic_store(&finalizing, 1);
    *(void **)&real = next("PMPI_Finalize");
    return real == NULL ? 1 : real();
}

/* Wait until fd is readable, and progress UCX meanwhile. */
static void wait_readable(int fd)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };

    do {
        for (int i = 0; i < NWORKER; i++) {
            void *worker = atomic_load(&workers[i]);

            if (worker != NULL)
                progress(worker);
        }
    } while (poll(&ready, 1, 1) == 0);
}

ssize_t read(int fd, void *buf, size_t size)
{
    static _Atomic(void *) found;
    void *symbol = atomic_load(&found);
    const char *pmi = atomic_load(&finalizing) ? getenv("PMI_FD") : NULL;
    ssize_t (*real)(int, void *, size_t);

    if (symbol == NULL) {
        symbol = next("read");
        atomic_store(&found, symbol);
    }
    if (pmi != NULL && atoi(pmi) == fd)
        wait_readable(fd);
    *(void **)&real = symbol;
    return real(fd, buf, size);
}
