/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_count.c - hash of the messages that the MPI library sends. This
 * program defines the functions that the library calls for each message, so it
 * must be linked with its symbols visible to libraries (-rdynamic). The UCX
 * progress function also yields the processor when a poll finds nothing,
 * because there may be many more ranks than processors. */
#include "config.h"

#include "runners/native/transport_count.h"

#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

/* One process is one rank, with a single calling thread. */
static int counting, seen;
static uint64_t hash;

/* The interposed functions, declared here so that the build needs no headers of
 * UCX or of Open MPI's internals. */
void *ucp_tag_send_nbx(void *ep, const void *buf, size_t count, uint64_t tag,
                       const void *param);
unsigned ucp_worker_progress(void *worker);
void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag);

/* Hash of one message. Hashes are added, so the order does not matter. */
static uint64_t scatter(uint64_t value)
{
    value = (value + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 29;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

/* The next definition of a symbol; ISO C has no cast from object to function
 * pointers, so callers store it through a pointer to a pointer. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *ucp_tag_send_nbx(void *ep, const void *buf, size_t count, uint64_t tag,
                       const void *param)
{
    static void *(*real)(void *, const void *, size_t, uint64_t,
                         const void *);

    if (real == NULL)
        *(void **)&real = next("ucp_tag_send_nbx");
    seen = 1;
    if (counting)
        hash += scatter(count);
    return real(ep, buf, count, tag, param);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    unsigned events;

    if (real == NULL)
        *(void **)&real = next("ucp_worker_progress");
    events = real(worker);
    if (events == 0)
        sched_yield();
    return events;
}

/* Open MPI's monitoring records each message here. */
void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag)
{
    (void)tag;
    seen = 1;
    if (counting)
        hash += scatter(bytes ^ (uint64_t)world_rank << 44);
}

int chorale_msghash_any(void)
{
    return seen;
}

void chorale_msghash_begin(void)
{
    hash = 0;
    counting = 1;
}

uint64_t chorale_msghash_end(void)
{
    counting = 0;
    return hash;
}
