/* SPDX-License-Identifier: BSD-3-Clause */
/* or_allreduce.c - broadcast by an allreduce with bitwise OR.
 *
 * The root contributes its vector, all other ranks zeros. The parameter base
 * selects the allreduce; "library" is the MPI library's own, for networks that
 * reduce in hardware.
 *
 * Rounds  as base                             P = comm_size, n = bytes
 * Volume  as base with n bytes at every rank
 * Cost    as base with n bytes, exact; recursive doubling at P = 2^L: L (alpha
 *         + n beta + n tau). The library's cost is unknown; that of recursive
 *         doubling is used instead
 * Needs   any P, any root, any datatype: packed bytes
 * Source  US patent 7,827,385
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/combine_all.h"
#include "algorithms/engines/rooted/packed.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int err, at_root = ctx->rank == call->root;
    struct chorale_packed p;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    err = chorale_packed_init(&p, ctx, call->recvbuf, call->recvcount,
                              call->recvtype);
    if (err != MPI_SUCCESS)
        return err;
    if (at_root)
        err = chorale_packed_pack(&p);
    else
        chorale_memzero(ctx, p.bytes, p.n);
    if (err == MPI_SUCCESS)
        err = chorale_combine_all(ctx, call->param[0], p.bytes, p.n);
    if (err == MPI_SUCCESS && !at_root)
        err = chorale_packed_unpack(&p);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_combine_all_cost(pt, pt->param[0], pt->msg_size, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_all_scratch(pt, pt->param[0], pt->msg_size);
}

const struct chorale_alg chorale_bcast_or_allreduce = {
    .coll = CHORALE_BCAST,
    .name = "or_allreduce",
    .summary = "a bitwise OR of the root's vector and zeros",
    .formula = "as the base's allreduce of n bytes; base=library: as the "
               "library's own, not known; base=recursive_doubling: F (alpha "
               "+ n beta + n tau), F = floor(lg P); base=recursive_doubling, "
               "P not a power of two: + 2 (alpha + n beta) + n tau",
    .source = "US patent 7,827,385",
    .patents = "US 7,827,385",
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_COMBINE_ALL_BASE },
    .copies = { 0, 1 }, /* a copy that is combined */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
