/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.c - scratch memory of a context, kept for the next call. */
#include "config.h"

#include "algorithms/scratch.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "algorithms/context.h"

/* In a build with the address sanitizer, unused scratch and the bytes between
 * two pieces are poisoned. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define FORBID(mem, bytes) __asan_poison_memory_region(mem, bytes)
#define ALLOW(mem, bytes) __asan_unpoison_memory_region(mem, bytes)
#define RED_ZONE ALIGN
#else
#define FORBID(mem, bytes) ((void)(mem), (void)(bytes))
#define ALLOW(mem, bytes) ((void)(mem), (void)(bytes))
#define RED_ZONE 0
#endif

enum { ALIGN = 64 };

/* Chunks are filled one after the other, because growing must not move memory
 * in use. When all is released, several chunks are replaced by one of their
 * total size. The header is stored at the start of the chunk's own memory, so
 * no separate allocation can fail. */
struct chunk {
    struct chunk *below;
    char *mem;
    size_t size, used;
    size_t start; /* bytes used in the chunks below */
    struct chorale_reserve *reserve; /* the reserve it came from; NULL: from the
                                      * system */
};

_Static_assert(sizeof(struct chunk) <= ALIGN, "a chunk's head has its line");

struct chorale_scratch {
    size_t peak; /* most bytes ever in use: chorale_scratch_peak() */
    struct chunk *top;
    size_t want; /* minimum size of the next first chunk */
    size_t made; /* chunks allocated since the context was made */
};

_Static_assert(offsetof(struct chorale_scratch, peak) == 0,
               "it is read without knowing the rest");

struct chorale_scratch *chorale_scratch_new(void)
{
    return calloc(1, sizeof(struct chorale_scratch));
}

/* --- reserves ---------------------------------------------------------- */

int chorale_reserve_open(struct chorale_reserve *reserve, size_t bytes)
{
    enum { PIECES = 1 << 20 }; /* padding of many short pieces */
    void *mem;

    *reserve = (struct chorale_reserve){0};
    if (bytes > SIZE_MAX / 2)
        return -1;
    bytes += bytes / 16 + PIECES;
    mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mem == MAP_FAILED)
        return -1;
    reserve->mem = mem;
    reserve->size = bytes;
    return 0;
}

void chorale_reserve_close(struct chorale_reserve *reserve)
{
    if (reserve->mem != NULL)
        munmap(reserve->mem, reserve->size);
    *reserve = (struct chorale_reserve){0};
}

static void *reserve_take(struct chorale_reserve *reserve, size_t bytes)
{
    void *mem;

    if (reserve == NULL || reserve->size - reserve->used < bytes)
        return NULL;
    mem = reserve->mem + reserve->used;
    reserve->used += bytes;
    return mem;
}

/* Chunks are released from the top, so what remains in use lies below mem.
 * Releasing the last chunk returns the memory to the system. */
static void reserve_put(struct chorale_reserve *reserve, const void *mem)
{
    const size_t most = reserve->used;

    reserve->used = (size_t)((const char *)mem - reserve->mem);
    if (reserve->used == 0)
        madvise(reserve->mem, most, MADV_DONTNEED);
}

/* --- chunks ----------------------------------------------------------- */

static void drop_top(struct chorale_scratch *scratch)
{
    struct chunk *top = scratch->top;

    scratch->top = top->below;
    ALLOW(top->mem, top->size);
    if (top->reserve != NULL)
        reserve_put(top->reserve, top);
    else
        free(top);
}

void chorale_scratch_free(struct chorale_scratch *scratch)
{
    while (scratch != NULL && scratch->top != NULL)
        drop_top(scratch);
    free(scratch);
}

static struct chunk *chunk_at(void *mem, size_t size,
                              struct chorale_reserve *reserve)
{
    struct chunk *c = mem;

    if (c != NULL)
        *c = (struct chunk){ .mem = (char *)mem + ALIGN, .size = size,
                             .reserve = reserve };
    return c;
}

static void *ask_system(const struct chorale_ctx *ctx, size_t bytes)
{
    void *mem = NULL;

    if (ctx->zeroed)
        return calloc(1, bytes);
    return posix_memalign(&mem, ALIGN, bytes) == 0 ? mem : NULL;
}

/* Allocate a chunk of room bytes; if the system refuses, one of size bytes
 * (size <= room suffices), and finally one from the reserve. */
static struct chunk *push_chunk(struct chorale_ctx *ctx, size_t room,
                                size_t size)
{
    struct chorale_scratch *scratch = ctx->scratch;
    struct chunk *c = chunk_at(ask_system(ctx, ALIGN + room), room, NULL);

    if (c == NULL && room > size)
        c = chunk_at(ask_system(ctx, ALIGN + size), size, NULL);
    if (c == NULL)
        c = chunk_at(reserve_take(ctx->reserve, ALIGN + size), size,
                     ctx->reserve);
    if (c == NULL)
        return NULL;
    FORBID(c->mem, c->size);
    c->below = scratch->top;
    c->start = c->below == NULL ? 0 : c->below->start + c->below->used;
    scratch->top = c;
    scratch->made++;
    return c;
}

/* --- functions for variants --------------------------------------------- */

size_t chorale_ctx_scratch_bytes(const struct chorale_ctx *ctx)
{
    size_t sum = 0;

    for (const struct chunk *c = ctx->scratch->top; c != NULL; c = c->below)
        sum += c->size;
    return sum;
}

size_t chorale_ctx_scratch_made(const struct chorale_ctx *ctx)
{
    return ctx->scratch->made;
}

size_t chorale_ctx_scratch_peak(const struct chorale_ctx *ctx)
{
    return chorale_scratch_peak(ctx->scratch);
}

size_t chorale_scratch_mark(const struct chorale_ctx *ctx)
{
    const struct chunk *top = ctx->scratch->top;

    return top == NULL ? 0 : top->start + top->used;
}

void *chorale_scratch(struct chorale_ctx *ctx, size_t bytes)
{
    struct chorale_scratch *scratch = ctx->scratch;
    struct chunk *top = scratch->top;
    size_t size = bytes > 0 ? bytes : 1;
    void *mem;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN + RED_ZONE;
    if (top == NULL || top->size - top->used < size) {
        size_t room = size;

        if (top != NULL && top->used == 0)
            drop_top(scratch);
        if (scratch->top == NULL) {
            room = size > scratch->want ? size : scratch->want;
            scratch->want = 0;
        }
        top = push_chunk(ctx, room, size);
    }
    if (top == NULL)
        return NULL;
    mem = top->mem + top->used;
    ALLOW(mem, bytes);
    top->used += size;
    if (top->start + top->used > scratch->peak)
        scratch->peak = top->start + top->used;
    return mem;
}

void chorale_scratch_release(struct chorale_ctx *ctx, size_t mark)
{
    struct chorale_scratch *scratch = ctx->scratch;

    /* If this use needed several chunks, the next one gets a single chunk of
     * their total size. Note the size before any chunk is dropped, which may be
     * long before the last release. */
    if (scratch->top != NULL && scratch->top->below != NULL) {
        size_t all = chorale_ctx_scratch_bytes(ctx);

        scratch->want = all > scratch->want ? all : scratch->want;
    }
    if (mark == 0 && scratch->top != NULL &&
        scratch->want > scratch->top->size) {
        while (scratch->top != NULL)
            drop_top(scratch);
        return;
    }
    while (scratch->top != NULL && scratch->top->start >= mark &&
           (scratch->top->below != NULL || scratch->top->reserve != NULL))
        drop_top(scratch);
    if (scratch->top != NULL) {
        struct chunk *top = scratch->top;

        top->used = mark - top->start;
        FORBID(top->mem + top->used, top->size - top->used);
    }
}
