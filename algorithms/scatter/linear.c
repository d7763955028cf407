/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat scatter: the root sends each rank its block in turn.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/ctx.h"

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Aint stride = chorale_type_extent(call->sendtype) *
                      (MPI_Aint)call->sendcount;
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int dest = (call->root + i) % ctx->size;

        err = chorale_send(ctx, chorale_at(call->sendbuf, stride, dest),
                           call->sendcount, call->sendtype, dest);
    }
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

static int run(const struct chorale_call *call)
{
    if (call->ctx->rank == call->root)
        return run_root(call);
    return chorale_recv(call->ctx, call->recvbuf, call->recvcount,
                        call->recvtype, call->root);
}

const struct chorale_alg chorale_scatter_linear = {
    .coll = CHORALE_SCATTER,
    .name = "linear",
    .summary = "the root sends every rank its block in turn",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = chorale_cost_in_turn,
};
