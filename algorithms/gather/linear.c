/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat gather: the root receives from each rank in turn.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all into the root
 * Cost    (P - 1) (alpha + m beta), exact: the receives block
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/ctx.h"

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int source = (call->root + i) % ctx->size;

        err = chorale_recv(ctx, chorale_at(call->recvbuf, stride, source),
                           call->recvcount, call->recvtype, source);
    }
    return err == MPI_SUCCESS ? chorale_keep_own(call, call->root) : err;
}

static int run(const struct chorale_call *call)
{
    if (call->ctx->rank == call->root)
        return run_root(call);
    return chorale_send(call->ctx, call->sendbuf, call->sendcount,
                        call->sendtype, call->root);
}

const struct chorale_alg chorale_gather_linear = {
    .coll = CHORALE_GATHER,
    .name = "linear",
    .summary = "the root receives from every rank in turn",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = chorale_cost_in_turn,
};
