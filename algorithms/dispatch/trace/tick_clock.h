/* SPDX-License-Identifier: BSD-3-Clause */
/* tick_clock.h - cheap clock for timing calls within one process. The length
 * of a tick is unknown: calibrate it with CLOCK_MONOTONIC over the whole
 * run. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TICK_CLOCK_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TICK_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t chorale_tick_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000)
           + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

/* 1 if the time stamp counter has a constant rate, in all frequency and sleep
 * states of the processor. */
static inline int chorale_tick_steady(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
}

static inline uint64_t chorale_tick(int steady)
{
    return steady ? __builtin_ia32_rdtsc() : chorale_tick_clock();
}
#else
static inline int chorale_tick_steady(void)
{
    return 0;
}

static inline uint64_t chorale_tick(int steady)
{
    (void)steady;
    return chorale_tick_clock();
}
#endif

#endif
