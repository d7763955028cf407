/* SPDX-License-Identifier: BSD-3-Clause */
/* segmented.c - flat gather in segments.
 *
 * No message is longer than a segment, so that it stays within the library's
 * protocol and buffers for short messages.
 *
 * Rounds  (P - 1) S, S = ceil(m/s)            P = comm_size, s = segsize
 * Volume  (P - 1) m bytes, all into the root
 * Cost    (P - 1) (S alpha + m beta), exact: the receives block
 * Needs   any P, any root, any datatype; split as packed bytes
 * Source  the counterpart of scatter linear_segmented
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/rooted/packed.h"
#include "algorithms/engines/rooted/pipeline.h"

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct chorale_packed p;
    int err = chorale_packed_init(&p, ctx, call->recvbuf, call->recvcount,
                                  call->recvtype);

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int source = (int)(((long)call->root + i) % ctx->size);
        MPI_Count count;

        chorale_packed_turn(&p, chorale_block(&b, source, &count));
        err = chorale_recv_segments(&p, call->param[0], source);
        if (err == MPI_SUCCESS)
            err = chorale_packed_unpack(&p);
    }
    return err == MPI_SUCCESS ? chorale_gather_own(call, call->root) : err;
}

static int run_other(const struct chorale_call *call)
{
    struct chorale_packed p;
    int err = chorale_packed_init(&p, call->ctx, call->sendbuf,
                                  call->sendcount, call->sendtype);

    if (err == MPI_SUCCESS)
        err = chorale_packed_pack(&p);
    return err == MPI_SUCCESS
               ? chorale_send_segments(&p, call->param[0], call->root)
               : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_run_sides(call, run_root, run_other);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_segments(pt->msg_size, pt->comm_size - 1,
                                 pt->param[0], term);
}

const struct chorale_alg chorale_gather_segmented = {
    .coll = CHORALE_GATHER,
    .name = "segmented",
    .summary = "the root receives from every rank in turn, in segments",
    .formula = "(P-1) (ceil(m/s) alpha + m beta)",
    .source = "as scatter linear_segmented",
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(8192) },
    .run = run,
    .cost = cost,
};
