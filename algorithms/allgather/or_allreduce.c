/* SPDX-License-Identifier: BSD-3-Clause */
/* or_allreduce.c - allgather by an allreduce with bitwise OR.
 *
 * Every rank contributes a vector of P blocks that are zero except its own. The
 * parameter base selects the allreduce; "library" is the MPI library's own, for
 * networks that reduce in hardware.
 *
 * Rounds  as base                             P = comm_size, n = m P bytes
 * Volume  as base with n bytes at every rank
 * Cost    as base with n bytes, exact; recursive doubling at P = 2^L: L (alpha
 *         + n beta + n tau). The library's cost is unknown; that of recursive
 *         doubling is used instead
 * Needs   any P, any datatype: packed bytes
 * Source  the gather and broadcast of US patents 8,140,826 and 7,827,385
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/combine_all.h"
#include "algorithms/engines/exchange/gather_all.h"

static int combine(const struct chorale_call *call, char *bytes, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t before = m * (size_t)ctx->rank, n = m * (size_t)ctx->size;

    chorale_memzero(ctx, bytes, before);
    chorale_memzero(ctx, bytes + before + m, n - before - m);
    return chorale_combine_all(ctx, call->param[0], bytes, n);
}

static int run(const struct chorale_call *call)
{
    return chorale_allgather_packed(call, combine);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_combine_all_cost(pt, pt->param[0], pt->n, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_all_scratch(pt, pt->param[0], pt->n);
}

const struct chorale_alg chorale_allgather_or_allreduce = {
    .coll = CHORALE_ALLGATHER,
    .name = "or_allreduce",
    .summary = "a bitwise OR of vectors that are zero except for one block",
    .formula = "as the base's allreduce of n bytes; base=library: as the "
               "library's own, not known; base=recursive_doubling: F (alpha "
               "+ n beta + n tau), F = floor(lg P); base=recursive_doubling, "
               "P not a power of two: + 2 (alpha + n beta) + n tau",
    .source = "US patents 8,140,826 and 7,827,385",
    .patents = "US 8,140,826, US 7,827,385",
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_COMBINE_ALL_BASE },
    .copies = { 1, 1 }, /* zeros with one block in */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
