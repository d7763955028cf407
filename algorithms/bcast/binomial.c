/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree broadcast, farthest child first.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = bytes
 * Volume  (P - 1) n bytes in all, L n from the root
 * Cost    L (alpha + n beta), exact for every P: the root itself sends L
 *         times, and no other path is longer
 * Needs   any P, any root, any datatype
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

static int run(const struct chorale_call *call)
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

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = chorale_ceil_log2(pt->comm_size),
        .bytes = (double)pt->msg_size,
    };
    return 1;
}

const struct chorale_alg chorale_bcast_binomial = {
    .coll = CHORALE_BCAST,
    .name = "binomial",
    .summary = "binomial tree, farthest child first",
    .formula = "ceil(lg P) (alpha + n beta)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .run = run,
    .cost = cost,
};
