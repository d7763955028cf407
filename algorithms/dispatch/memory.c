/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - scratch by thread: see memory.h. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "algorithms/dispatch/fast.h"
#include "algorithms/dispatch/memory.h"
#include "algorithms/scratch.h"

/* A context without a communicator, for its scratch. */
static _Thread_local struct chorale_ctx *mine CHORALE_TLS;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int have_key;
static atomic_size_t peak;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of this: */
static struct chorale_reserve one;

static void at_thread_exit(void *ctx)
{
    chorale_ctx_free(ctx);
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, at_thread_exit) == 0;
}

static void free_mine(void)
{
    if (mine == NULL)
        return;
    pthread_setspecific(key, NULL);
    chorale_ctx_free(mine);
    mine = NULL;
}

static void make_mine(void)
{
    pthread_once(&once, make_key);
    if (!have_key || chorale_ctx_new(MPI_COMM_NULL, &mine) != MPI_SUCCESS)
        return;
    if (pthread_setspecific(key, mine) != 0)
        free_mine();
}

struct chorale_scratch *chorale_memory_lend(struct chorale_ctx *ctx)
{
    struct chorale_scratch *own = ctx->scratch;

    if (mine == NULL)
        make_mine();
    if (mine != NULL)
        ctx->scratch = mine->scratch;
    return own;
}

void chorale_memory_back(struct chorale_ctx *ctx,
                         struct chorale_scratch *own)
{
    const size_t now = chorale_ctx_scratch_peak(ctx);
    size_t before = atomic_load_explicit(&peak, memory_order_relaxed);

    ctx->scratch = own;
    while (now > before &&
           !atomic_compare_exchange_weak(&peak, &before, now))
        continue;
}

/* Of the process, made by the first communicator. */
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
    int level;

    if (PMPI_Query_thread(&level) == MPI_SUCCESS
        && level != MPI_THREAD_MULTIPLE)
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
    free_mine();
    pthread_mutex_lock(&lock);
    chorale_reserve_close(&one);
    pthread_mutex_unlock(&lock);
}
