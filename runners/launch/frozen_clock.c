/* SPDX-License-Identifier: BSD-3-Clause */
/* frozen_clock.c - a preload for simulations that take no time of their own. SimGrid
 * reads the processor time of its thread when a rank enters MPI and when it
 * leaves, even where computing takes no simulated time (smpi/wtime 0,
 * smpi/simulate-computation no): a system call each, and half of what a
 * campaign of small messages takes. So the clocks of processor time stand
 * still. All others go on. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/* The next definition; ISO C has no cast from object to function pointers. */
static int next_gettime(clockid_t clock, struct timespec *ts)
{
    static _Atomic(void *) found;
    int (*gettime)(clockid_t, struct timespec *);
    void *at = atomic_load(&found);

    if (at == NULL) {
        at = dlsym(RTLD_NEXT, "clock_gettime");
        atomic_store(&found, at);
    }
    *(void **)&gettime = at;
    return gettime(clock, ts);
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
    if (clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_PROCESS_CPUTIME_ID)
        return next_gettime(clock, ts);
    *ts = (struct timespec){ 0 };
    return 0;
}
