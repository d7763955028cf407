/* SPDX-License-Identifier: BSD-3-Clause */
/* gatherv_bcast.c - flat gatherv to rank 0, then a binomial broadcast.
 *
 * Rounds  P - 1 + L, L = ceil(lg P)           P = comm_size, n = sum of m_i
 * Volume  L n bytes from rank 0, n - m_0 into it
 * Cost    (P - 1) alpha + (n - m_0) beta + L (alpha + n beta), exact: all ranks
 *         wait for rank 0. Empty blocks are not sent
 * Needs   any P, any datatype, displacements in any order: blocks that are not
 *         contiguous pass through scratch
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/part.h"

static int gather(const struct chorale_call *call,
                  const struct chorale_blocks *b)
{
    struct chorale_call part = *call;

    part.root = 0;
    /* MPI_Gatherv allows MPI_IN_PLACE at the root only. */
    if (call->ctx->rank != 0 && call->sendbuf == MPI_IN_PLACE) {
        part.sendbuf = chorale_block(b, call->ctx->rank, &part.sendcount);
        part.sendtype = call->recvtype;
    }
    return chorale_part_run(&chorale_gatherv_linear, &part);
}

/* Broadcast all blocks from rank 0. */
static int bcast(const struct chorale_call *call,
                 const struct chorale_blocks *b)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_call part = *call;
    int staged, err = MPI_SUCCESS;

    part.root = 0;
    part.recvbuf = chorale_range_piece(b, 0, ctx->size, &part.recvcount);
    staged = part.recvbuf == NULL;
    if (staged) {
        size_t n = chorale_range_bytes(b, 0, ctx->size);

        part.recvcount = (MPI_Count)n;
        part.recvtype = MPI_PACKED;
        part.recvbuf = chorale_scratch(ctx, n);
        if (part.recvbuf == NULL)
            return MPI_ERR_NO_MEM;
        if (ctx->rank == 0)
            err = chorale_range_pack(ctx, b, 0, ctx->size, part.recvbuf);
    }
    if (err == MPI_SUCCESS)
        err = chorale_part_run(&chorale_bcast_binomial, &part);
    if (err == MPI_SUCCESS && staged && ctx->rank != 0)
        err = chorale_range_unpack(ctx, b, 0, ctx->size, part.recvbuf);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b = chorale_blocks_given(
        call->recvbuf, call->recvcounts, call->rdispls, call->recvtype,
        call->ctx->size);
    int err = gather(call, &b);

    return err == MPI_SUCCESS ? bcast(call, &b) : err;
}

static struct chorale_point whole(const struct chorale_point *pt)
{
    struct chorale_point copy = *pt;

    copy.root = 0;
    copy.msg_size = copy.n = (size_t)chorale_ramp_total(pt, NULL);
    return copy;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point all = whole(pt);
    int n = chorale_part_cost(&chorale_gatherv_linear, pt, term);

    return n + chorale_part_cost(&chorale_bcast_binomial, &all, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point all = whole(pt);
    size_t up = chorale_part_scratch(&chorale_gatherv_linear, pt);
    size_t down = chorale_part_scratch(&chorale_bcast_binomial, &all);

    return up > down ? up : down;
}

const struct chorale_alg chorale_allgatherv_gatherv_bcast = {
    .coll = CHORALE_ALLGATHERV,
    .name = "gatherv_bcast",
    .summary = "flat gatherv to rank 0, then binomial bcast of the whole",
    .formula = "(P-1 + ceil(lg P)) alpha + (n - m_0 + ceil(lg P) n) beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
