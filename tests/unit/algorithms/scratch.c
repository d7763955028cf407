/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.c - scratch memory, and the reserve that serves it when the system
 * has no memory: the pieces are as large, and all are returned. */
#include "algorithms/scratch.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/context.h"
#include "tests/tap.h"

static int refuses; /* 1: the system refuses memory */
static size_t above; /* and refuses only more than this, with its header */

/* Replaces the C library's function for scratch.c. */
int posix_memalign(void **p, size_t alignment, size_t size)
{
    if (refuses && size > above + 64)
        return ENOMEM;
    *p = aligned_alloc(alignment, (size + alignment - 1) / alignment
                                      * alignment);
    return *p != NULL ? 0 : ENOMEM;
}

static int fill(char *mem, size_t size, int with)
{
    if (mem == NULL || (uintptr_t)mem % 64 != 0)
        return 0;
    memset(mem, with, size);
    return 1;
}

static int holds(const char *mem, size_t size, int with)
{
    for (size_t i = 0; i < size; i++)
        if (mem[i] != with)
            return 0;
    return 1;
}

/* Take pieces of heap and reserve in turn, and release them in steps. */
static int in_steps(struct chorale_ctx *ctx)
{
    enum { PIECES = 9 };
    size_t mark[PIECES], size[PIECES];
    char *mem[PIECES];
    int right = 1;

    for (int i = 0; i < PIECES; i++) {
        size[i] = (size_t)(i % 3 == 1 ? 5000 : 100) * (size_t)(i + 1);
        mark[i] = chorale_scratch_mark(ctx);
        mem[i] = chorale_scratch(ctx, size[i]);
        right &= fill(mem[i], size[i], i + 1);
    }
    for (int i = PIECES; right && i-- > 0;) {
        for (int k = 0; k <= i; k++)
            right &= holds(mem[k], size[k], k + 1);
        if (i % 2 == 0)
            chorale_scratch_release(ctx, mark[i]);
    }
    chorale_scratch_release(ctx, 0);
    return right && chorale_scratch_mark(ctx) == 0;
}

static void test_reserve(struct chorale_ctx *ctx)
{
    struct chorale_reserve reserve;
    char *mem;
    int again = 1;

    tap_ok(chorale_scratch(ctx, 1000) == NULL,
           "without memory and reserve, scratch is NULL");
    tap_ok(chorale_reserve_open(&reserve, 100000) == 0
               && reserve.size > 100000, "a reserve of 100 000 bytes is "
                                         "opened");
    ctx->reserve = &reserve;
    mem = chorale_scratch(ctx, 100000);
    tap_ok(fill(mem, 100000, 7) && reserve.used >= 100000,
           "without memory, scratch comes from the reserve");
    tap_ok(chorale_scratch(ctx, reserve.size) == NULL,
           "more than the reserve has is NULL");
    tap_ok(fill(chorale_scratch(ctx, 50), 50, 8) && holds(mem, 100000, 7),
           "a further short piece comes from the reserve");
    chorale_scratch_release(ctx, 0);
    tap_ok(reserve.used == 0 && chorale_ctx_scratch_bytes(ctx) == 0,
           "released pieces return to the reserve at once");
    tap_ok(holds(reserve.mem, 64, 0),
           "the reserve's pages are returned to the system");
    for (int i = 0; i < 1000 && again; i++) {
        again = fill(chorale_scratch(ctx, 90000), 90000, i);
        chorale_scratch_release(ctx, 0);
    }
    tap_ok(again && reserve.used == 0,
           "the reserve serves a thousand pieces in turn");
    above = 2000;
    tap_ok(in_steps(ctx) && reserve.used == 0,
           "pieces of heap and reserve are released in steps");
    tap_ok(in_steps(ctx) && reserve.used == 0,
           "they are released in steps a second time");
    refuses = 0;
    tap_ok(in_steps(ctx) && reserve.used == 0
               && chorale_ctx_scratch_bytes(ctx) > 0,
           "with memory again, scratch is kept for the next call");
    ctx->reserve = NULL;
    chorale_reserve_close(&reserve);
    tap_ok(reserve.mem == NULL && in_steps(ctx),
           "after the reserve is closed, scratch works");
}

int main(void)
{
    struct chorale_reserve reserve;
    struct chorale_ctx *ctx;

    if (chorale_ctx_new(MPI_COMM_NULL, &ctx) != MPI_SUCCESS)
        return 1;
    tap_ok(in_steps(ctx), "pieces do not overlap and keep their content");
    chorale_ctx_free(ctx);
    if (chorale_ctx_new(MPI_COMM_NULL, &ctx) != MPI_SUCCESS)
        return 1;
    refuses = 1;
    test_reserve(ctx);
    chorale_ctx_free(ctx);
    tap_ok(chorale_reserve_open(&reserve, SIZE_MAX / 4) != 0
               && reserve.mem == NULL
               && chorale_reserve_open(&reserve, SIZE_MAX) != 0,
           "a reserve larger than the address space is refused");
    chorale_reserve_close(&reserve);
    return tap_done();
}
