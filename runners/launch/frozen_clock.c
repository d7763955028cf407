/* SPDX-License-Identifier: BSD-3-Clause */
/* frozen_clock.c - preloaded into simulations in which computing takes no
 * simulated time. SimGrid reads the processor time of its thread whenever a
 * rank enters or leaves MPI, even with smpi/wtime 0 and
 * smpi/simulate-computation no. Each reading is a system call; together they
 * took half of the time of a campaign with small messages. This library stops
 * the clocks of processor time at 0; all other clocks are unchanged. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/* Call the next definition. ISO C has no cast from object to function
 * pointers. */
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
