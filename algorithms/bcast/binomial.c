/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree broadcast, farthest child first.
 *
 * The vector is sent whole or in segments. Other variants use this one as a
 * sub-algorithm; with default parameters it sends the whole vector.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s), L = ceil(lg P)
 *
 * Rounds  L S
 * Volume  (P - 1) n bytes in total, L n from the root
 * Cost    L S (alpha + s beta), exact for every P: the root itself sends L
 *         times, and no other path is longer; a short last segment counts with
 *         its own size
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KNOMIAL,
        .radix = 2,
        .segsize = param ? *param : 0,
    };
}

/* Send the whole vector. This does not use the flow engine, because the
 * smallest messages are sensitive to a few nanoseconds. */
static int whole(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    int child[32], parent;
    int nchild = chorale_binomial(v, ctx->size, &parent, child);
    int err = MPI_SUCCESS;

    if (parent >= 0)
        err = chorale_recv(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, (parent + call->root) % ctx->size);
    for (int i = 0; i < nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(ctx, call->recvbuf, call->recvcount,
                           call->recvtype,
                           (child[i] + call->root) % ctx->size);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_flow f = flow(call->param);

    return f.segsize == 0 ? whole(call) : chorale_flow_bcast(call, &f);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_flow f = flow(pt->param);

    return chorale_flow_bcast_cost(pt, &f, term);
}

const struct chorale_alg chorale_bcast_binomial = {
    .coll = CHORALE_BCAST,
    .name = "binomial",
    .summary = "binomial tree, farthest child first",
    .formula = "S ceil(lg P) (alpha + s beta)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(0) },
    .run = run,
    .cost = cost,
};
