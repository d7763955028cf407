/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_enabled.h - tests at each call of an application whether to trace it.
 * Does not include mpi.h. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_ENABLED_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_ENABLED_H

#include <stdatomic.h>

/* 1 while this process traces. Set with release order after all set-up. */
extern atomic_int chorale_trace_on;

void chorale_trace_open_slow(void);
void chorale_trace_done_slow(void);

/* A call begins. Calls made inside it are part of it. */
static inline void chorale_trace_open(void)
{
    if (atomic_load_explicit(&chorale_trace_on, memory_order_acquire))
        chorale_trace_open_slow();
}

/* The call returns rc. */
static inline int chorale_trace_done(int rc)
{
    if (atomic_load_explicit(&chorale_trace_on, memory_order_acquire))
        chorale_trace_done_slow();
    return rc;
}

#endif
