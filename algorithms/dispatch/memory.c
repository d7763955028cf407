/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - scratch by thread: see memory.h. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>

#include "algorithms/dispatch/fast.h"
#include "algorithms/dispatch/memory.h"

/* A context without a communicator, for its scratch. */
static _Thread_local struct chorale_ctx *mine CHORALE_TLS;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int have_key;
static atomic_size_t peak;

static void at_thread_exit(void *ctx)
{
    chorale_ctx_free(ctx);
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, at_thread_exit) == 0;
}

static void make_mine(void)
{
    pthread_once(&once, make_key);
    if (!have_key || chorale_ctx_new(MPI_COMM_NULL, &mine) != MPI_SUCCESS)
        return;
    if (pthread_setspecific(key, mine) != 0)
        chorale_memory_free();
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

size_t chorale_memory_peak(void)
{
    return atomic_load(&peak);
}

void chorale_memory_free(void)
{
    if (mine == NULL)
        return;
    pthread_setspecific(key, NULL);
    chorale_ctx_free(mine);
    mine = NULL;
}
