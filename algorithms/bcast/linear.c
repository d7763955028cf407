/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat broadcast: the root sends to each rank in turn.
 *
 * Rounds  P - 1                               P = comm_size, n = bytes
 * Volume  (P - 1) n bytes, all from the root
 * Cost    (P - 1) (alpha + n beta), exact
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/context.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int err = MPI_SUCCESS;

    if (ctx->rank != call->root)
        return chorale_recv(ctx, call->recvbuf, call->recvcount,
                            call->recvtype, call->root);
    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_send(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, (call->root + i) % ctx->size);
    return err;
}

const struct chorale_alg chorale_bcast_linear = {
    .coll = CHORALE_BCAST,
    .name = "linear",
    .summary = "the root sends to every rank in turn",
    .formula = "(P-1) (alpha + n beta)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = chorale_cost_in_turn,
};
