/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_nb.c - flat scatter with several sends in flight: the root waits for
 * all of them after every max_reqs-th send and at the end. max_reqs 0 or 1:
 * no limit.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (alpha + m beta): exact where a rank sends one message at
 *         a time. Where sends in flight overlap it is a bound: a batch then
 *         pays alpha once, ceil((P - 1)/max_reqs) alpha in all.
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/ctx.h"

#include <limits.h>

/* Sends in flight at most. */
static int batch_size(long max_reqs, int size)
{
    int all = size - 1;

    return max_reqs > 1 && max_reqs < all ? (int)max_reqs : all;
}

/* Send to every other rank; req: room for batch requests. Requests under way
 * are completed even after an error, since they read the user's buffer. */
static int send_all(const struct chorale_call *call, MPI_Request *req,
                    int batch)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Aint stride = chorale_type_extent(call->sendtype) *
                      (MPI_Aint)call->sendcount;
    int under_way = 0, err = MPI_SUCCESS, last;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int dest = (call->root + i) % ctx->size;

        err = chorale_isend(ctx, chorale_at(call->sendbuf, stride, dest),
                            call->sendcount, call->sendtype, dest,
                            &req[under_way]);
        under_way += err == MPI_SUCCESS;
        if (err == MPI_SUCCESS && under_way == batch) {
            err = chorale_waitall(ctx, under_way, req);
            under_way = 0;
        }
    }
    last = chorale_waitall(ctx, under_way, req);
    return err == MPI_SUCCESS ? last : err;
}

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int batch = batch_size(call->param[0], ctx->size);
    MPI_Request *req = chorale_scratch(ctx, (size_t)batch * sizeof(*req));
    int err = req == NULL ? MPI_ERR_NO_MEM : send_all(call, req, batch);

    chorale_scratch_release(ctx, mark);
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

static int run(const struct chorale_call *call)
{
    if (call->ctx->rank == call->root)
        return run_root(call);
    return chorale_recv(call->ctx, call->recvbuf, call->recvcount,
                        call->recvtype, call->root);
}

static size_t scratch(const struct chorale_point *pt)
{
    return sizeof(MPI_Request) *
           (size_t)batch_size(pt->param[0], pt->comm_size);
}

static const long max_reqs[] = { 0, 2, 4, 8, 16, 32, 64 };

const struct chorale_alg chorale_scatter_linear_nb = {
    .coll = CHORALE_SCATTER,
    .name = "linear_nb",
    .summary = "the root sends every rank its block, several at a time",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .nparam = 1,
    .param = { {
        .name = "max_reqs",
        .unit = "sends in flight, 0: no limit",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = max_reqs,
        .ncandidate = sizeof(max_reqs) / sizeof(*max_reqs),
    } },
    .overlaps = 1,
    .run = run,
    .cost = chorale_cost_in_turn,
    .scratch = scratch,
};
