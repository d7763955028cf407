/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree gather, nearest child first. Inner ranks collect
 * their subtree's blocks as packed bytes; the root receives each subtree
 * where it belongs, but for one that wraps past the last rank.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes into the root
 * Cost    L alpha + (P - 1) m beta, exact for every P: each child is ready
 *         no later than its parent is
 * Needs   any P, any root, any datatype; a rank with a subtree of s blocks
 *         holds s m bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

/* A subtree whose ranks run past P - 1 goes on at rank 0: two pieces. */
static int recv_wrapped(const struct chorale_call *call, int source,
                        int blocks)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;
    size_t m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    int before = ctx->size - source;
    char *bytes = chorale_scratch(ctx, m * (size_t)blocks);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_recv(ctx, bytes, (MPI_Count)m * blocks, MPI_PACKED,
                           source);
    if (err == MPI_SUCCESS)
        err = chorale_unpack(ctx, bytes,
                             chorale_at(call->recvbuf, stride, source),
                             call->recvcount * before, call->recvtype);
    if (err == MPI_SUCCESS)
        err = chorale_unpack(ctx, bytes + m * (size_t)before, call->recvbuf,
                             call->recvcount * (blocks - before),
                             call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_root(const struct chorale_call *call, const int *child,
                    int nchild)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;
    int err = MPI_SUCCESS;

    for (int i = nchild - 1; i >= 0 && err == MPI_SUCCESS; i--) {
        int blocks = chorale_binomial_subtree(child[i], ctx->size);
        int source = (child[i] + call->root) % ctx->size;

        if (source + blocks > ctx->size)
            err = recv_wrapped(call, source, blocks);
        else
            err = chorale_recv(ctx, chorale_at(call->recvbuf, stride, source),
                               call->recvcount * blocks, call->recvtype,
                               source);
    }
    return err == MPI_SUCCESS ? chorale_keep_own(call, call->root) : err;
}

/* Not the root, with children: collect, then pass all on. */
static int run_inner(const struct chorale_call *call, int v, int parent,
                     const int *child, int nchild)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t m = chorale_type_size(call->sendtype) * (size_t)call->sendcount;
    int blocks = chorale_binomial_subtree(v, ctx->size);
    char *bytes = chorale_scratch(ctx, m * (size_t)blocks);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_pack(ctx, call->sendbuf, call->sendcount,
                           call->sendtype, bytes);
    for (int i = nchild - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_recv(ctx, bytes + m * (size_t)(child[i] - v),
                           (MPI_Count)m *
                               chorale_binomial_subtree(child[i], ctx->size),
                           MPI_PACKED, (child[i] + call->root) % ctx->size);
    if (err == MPI_SUCCESS)
        err = chorale_send(ctx, bytes, (MPI_Count)m * blocks, MPI_PACKED,
                           (parent + call->root) % ctx->size);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    int child[32], parent;
    int nchild = chorale_binomial(v, ctx->size, &parent, child);

    if (v == 0)
        return run_root(call, child, nchild);
    if (nchild > 0)
        return run_inner(call, v, parent, child, nchild);
    return chorale_send(ctx, call->sendbuf, call->sendcount, call->sendtype,
                        (parent + call->root) % ctx->size);
}

const struct chorale_alg chorale_gather_binomial = {
    .coll = CHORALE_GATHER,
    .name = "binomial",
    .summary = "binomial tree, nearest child first",
    .formula = "ceil(lg P) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .run = run,
    .cost = chorale_cost_binomial_blocks,
    .scratch = chorale_scratch_binomial_blocks,
};
