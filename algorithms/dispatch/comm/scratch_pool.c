/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch_pool.c - scratch memory of a process. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/scratch.h"

enum { SHARE = 4 };          /* a communicator gets 1 / SHARE of the rest */

struct chorale_memory chorale_memory;

static atomic_size_t taken;  /* bytes reserved by shares */
static atomic_size_t total, peak; /* bytes of all stores: now, and at most */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects one */
static struct chorale_reserve one;

static int several_threads(void)
{
    int level;

    return PMPI_Query_thread(&level) != MPI_SUCCESS
        || level == MPI_THREAD_MULTIPLE;
}

void chorale_memory_take(struct chorale_share *share, size_t all)
{
    size_t before = atomic_load(&taken), part;

    *share = (struct chorale_share){ .bytes = all };
    if (!several_threads())
        return;
    do
        part = before < all ? (all - before) / SHARE : 0;
    while (!atomic_compare_exchange_weak(&taken, &before, before + part));
    share->bytes = share->taken = part;
    share->own = 1;
}

void chorale_memory_settle(struct chorale_share *share, size_t bytes)
{
    if (bytes > share->bytes)
        bytes = share->bytes;
    if (share->taken > bytes) {
        atomic_fetch_sub(&taken, share->taken - bytes);
        share->taken = bytes;
    }
    share->bytes = bytes;
}

void chorale_memory_give_back(struct chorale_share *share)
{
    atomic_fetch_sub(&taken, share->taken);
    atomic_fetch_sub(&total, share->counted);
    *share = (struct chorale_share){ 0 };
}

void chorale_memory_make(void)
{
    chorale_memory.store = chorale_scratch_new();
}

void chorale_memory_grown(struct chorale_share *share, size_t bytes)
{
    size_t *known = share->own ? &share->counted : &chorale_memory.counted;
    const size_t by = bytes - *known;
    const size_t now = atomic_fetch_add(&total, by) + by;
    size_t before = atomic_load(&peak);

    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
        continue;
    *known = bytes;
}

/* The process's reserve, made for the first communicator. */
static struct chorale_reserve *reserve_of_all(size_t bytes)
{
    int ok;

    pthread_mutex_lock(&lock);
    ok = one.mem != NULL || chorale_reserve_open(&one, bytes) == 0;
    pthread_mutex_unlock(&lock);
    return ok ? &one : NULL;
}

struct chorale_reserve *chorale_memory_reserve(size_t bytes)
{
    struct chorale_reserve *reserve;

    if (!several_threads())
        return reserve_of_all(bytes);
    reserve = malloc(sizeof(*reserve));
    if (reserve != NULL && chorale_reserve_open(reserve, bytes) == 0)
        return reserve;
    free(reserve);
    return NULL;
}

void chorale_memory_unreserve(struct chorale_reserve *reserve)
{
    if (reserve == NULL || reserve == &one)
        return;
    chorale_reserve_close(reserve);
    free(reserve);
}

size_t chorale_memory_peak(void)
{
    return atomic_load(&peak);
}

void chorale_memory_stop(void)
{
    chorale_scratch_free(chorale_memory.store);
    chorale_memory = (struct chorale_memory){ NULL, 0 };
    pthread_mutex_lock(&lock);
    chorale_reserve_close(&one);
    pthread_mutex_unlock(&lock);
}
