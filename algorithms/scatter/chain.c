/* SPDX-License-Identifier: BSD-3-Clause */
/* chain.c - scatter along a chain of ranks.
 *
 * Each rank receives the blocks of all ranks behind it from its left neighbour,
 * farthest first, and forwards them while it receives. If neighbouring ranks
 * are neighbours in the network, no link carries two messages at a time.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from the root, P (P - 1)/2 m in total
 * Cost    (P - 1) (alpha + m beta), exact: every block arrives in the last
 *         round
 * Needs   any P, any root, any datatype; inner ranks hold two blocks
 * Source  Saad, Schultz, Parallel Computing 11, 1989 (rings)
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/context.h"

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->sendbuf, call->sendcount, call->sendtype, ctx->size);
    int right = (call->root + 1) % ctx->size, err = MPI_SUCCESS;

    for (int v = ctx->size - 1; v > 0 && err == MPI_SUCCESS; v--) {
        MPI_Count count;
        void *block = chorale_block(&b, (int)(((long)call->root + v) %
                                              ctx->size), &count);

        err = chorale_send(ctx, block, count, call->sendtype, right);
    }
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

/* behind: number of blocks to forward; place: two buffers of m bytes. */
static int pass_on(const struct chorale_call *call, int behind, char *place[2],
                   MPI_Count m)
{
    struct chorale_ctx *ctx = call->ctx;
    int right = (ctx->rank + 1) % ctx->size;
    int left = (ctx->rank + ctx->size - 1) % ctx->size;
    int err = chorale_recv(ctx, place[0], m, MPI_PACKED, left);

    for (int i = 1; i < behind && err == MPI_SUCCESS; i++)
        err = chorale_sendrecv(ctx, place[(i - 1) % 2], m, MPI_PACKED, right,
                               place[i % 2], m, MPI_PACKED, left);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_sendrecv(ctx, place[(behind - 1) % 2], m, MPI_PACKED,
                            right, call->recvbuf, call->recvcount,
                            call->recvtype, left);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx), m;
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    int behind = ctx->size - 1 - v, err = MPI_ERR_NO_MEM;
    char *place[2];

    if (v == 0)
        return run_root(call);
    if (behind == 0)
        return chorale_recv(ctx, call->recvbuf, call->recvcount,
                            call->recvtype,
                            (ctx->rank + ctx->size - 1) % ctx->size);
    m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    place[0] = chorale_scratch(ctx, m);
    place[1] = behind > 1 ? chorale_scratch(ctx, m) : place[0];
    if (place[0] != NULL && place[1] != NULL)
        err = pass_on(call, behind, place, (MPI_Count)m);
    chorale_scratch_release(ctx, mark);
    return err;
}

static size_t scratch(const struct chorale_point *pt)
{
    int behind = pt->comm_size - 2;

    return behind < 1 ? 0 : (behind > 1 ? 2 : 1) * pt->msg_size;
}

const struct chorale_alg chorale_scatter_chain = {
    .coll = CHORALE_SCATTER,
    .name = "chain",
    .summary = "from neighbour to neighbour, farthest block first",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Saad, Schultz, Parallel Computing 11, 1989",
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = scratch,
};
