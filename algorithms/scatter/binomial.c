/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree scatter, farthest child first. Inner ranks hold
 * their subtree's blocks as packed bytes; the root sends each subtree from
 * where it lies, but for one that wraps past the last rank.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from the root
 * Cost    L alpha + (P - 1) m beta, exact for every P: the root is busy all
 *         the time, and no subtree ends after its last send
 * Needs   any P, any root, any datatype; a rank with a subtree of s blocks
 *         holds s m bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

/* A subtree whose ranks run past P - 1 goes on at rank 0: two pieces. */
static int send_wrapped(const struct chorale_call *call, int dest, int blocks)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    MPI_Aint stride = chorale_type_extent(call->sendtype) *
                      (MPI_Aint)call->sendcount;
    size_t m = chorale_type_size(call->sendtype) * (size_t)call->sendcount;
    int before = ctx->size - dest;
    char *bytes = chorale_scratch(ctx, m * (size_t)blocks);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_pack(ctx, chorale_at(call->sendbuf, stride, dest),
                           call->sendcount * before, call->sendtype, bytes);
    if (err == MPI_SUCCESS)
        err = chorale_pack(ctx, call->sendbuf,
                           call->sendcount * (blocks - before),
                           call->sendtype, bytes + m * (size_t)before);
    if (err == MPI_SUCCESS)
        err = chorale_send(ctx, bytes, (MPI_Count)m * blocks, MPI_PACKED,
                           dest);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_root(const struct chorale_call *call, const int *child,
                    int nchild)
{
    struct chorale_ctx *ctx = call->ctx;
    MPI_Aint stride = chorale_type_extent(call->sendtype) *
                      (MPI_Aint)call->sendcount;
    int err = MPI_SUCCESS;

    for (int i = 0; i < nchild && err == MPI_SUCCESS; i++) {
        int blocks = chorale_binomial_subtree(child[i], ctx->size);
        int dest = (child[i] + call->root) % ctx->size;

        if (dest + blocks > ctx->size)
            err = send_wrapped(call, dest, blocks);
        else
            err = chorale_send(ctx, chorale_at(call->sendbuf, stride, dest),
                               call->sendcount * blocks, call->sendtype,
                               dest);
    }
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

/* Not the root, with children: take all, pass on, keep the first block. */
static int run_inner(const struct chorale_call *call, int v, int parent,
                     const int *child, int nchild)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    int blocks = chorale_binomial_subtree(v, ctx->size);
    char *bytes = chorale_scratch(ctx, m * (size_t)blocks);
    int err = MPI_ERR_NO_MEM;

    if (bytes != NULL)
        err = chorale_recv(ctx, bytes, (MPI_Count)m * blocks, MPI_PACKED,
                           (parent + call->root) % ctx->size);
    for (int i = 0; i < nchild && err == MPI_SUCCESS; i++)
        err = chorale_send(ctx, bytes + m * (size_t)(child[i] - v),
                           (MPI_Count)m *
                               chorale_binomial_subtree(child[i], ctx->size),
                           MPI_PACKED, (child[i] + call->root) % ctx->size);
    if (err == MPI_SUCCESS)
        err = chorale_unpack(ctx, bytes, call->recvbuf, call->recvcount,
                             call->recvtype);
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
    return chorale_recv(ctx, call->recvbuf, call->recvcount, call->recvtype,
                        (parent + call->root) % ctx->size);
}

const struct chorale_alg chorale_scatter_binomial = {
    .coll = CHORALE_SCATTER,
    .name = "binomial",
    .summary = "binomial tree, farthest child first",
    .formula = "ceil(lg P) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .run = run,
    .cost = chorale_cost_binomial_blocks,
    .scratch = chorale_scratch_binomial_blocks,
};
