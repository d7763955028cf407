/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - broadcast of S blocks on a circulant graph.
 *
 * Every rank sends and receives in every round; the number of rounds is
 * minimal.
 *
 * Rounds  S + L - 1, L = ceil(lg P)           P = comm_size, n = bytes,
 * Volume  n bytes to each rank                S = nblocks
 * Cost    at most (S + L - 1) (alpha + b beta), b = ceil(n/S); less if some
 *         blocks are a byte shorter
 * Needs   any P, any root, any datatype: the vector is split as packed bytes
 * Source  Traeff, arXiv 2312.11236, 2407.18004
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/rooted/circulant.h"

static int one_round(struct chorale_ctx *ctx, int root,
                     const struct chorale_blocks *b,
                     const struct chorale_circulant_round *r)
{
    MPI_Count out_count = 0, in_count = 0;
    void *out = r->out < 0 ? NULL : chorale_block(b, r->out, &out_count);
    void *in = r->in < 0 ? NULL : chorale_block(b, r->in, &in_count);
    int to = (int)(((long)r->to + root) % ctx->size);
    int from = (int)(((long)r->from + root) % ctx->size);

    if (r->out >= 0 && r->in >= 0)
        return chorale_sendrecv(ctx, out, out_count, MPI_PACKED, to, in,
                                in_count, MPI_PACKED, from);
    if (r->out >= 0)
        return chorale_send(ctx, out, out_count, MPI_PACKED, to);
    if (r->in >= 0)
        return chorale_recv(ctx, in, in_count, MPI_PACKED, from);
    return MPI_SUCCESS;
}

static int all_rounds(const struct chorale_call *call, int v, char *bytes,
                      size_t n)
{
    int nblocks = chorale_circulant_nblocks(call->param[0], n, 1);
    struct chorale_blocks b = chorale_blocks_split(bytes, (MPI_Count)n,
                                                   MPI_PACKED, nblocks);
    struct chorale_circulant c;
    int rounds, err = MPI_SUCCESS;

    chorale_circulant_init(&c, v, call->ctx->size);
    rounds = chorale_circulant_rounds(&c, nblocks);
    for (int i = 0; i < rounds && err == MPI_SUCCESS; i++) {
        struct chorale_circulant_round r =
            chorale_circulant_round(&c, nblocks, i);

        err = one_round(call->ctx, call->root, &b, &r);
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t n = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    int staged = !chorale_type_is_packed(call->recvtype);
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    char *bytes = call->recvbuf;
    int err = MPI_SUCCESS;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    if (staged) {
        bytes = chorale_scratch(ctx, n);
        if (bytes == NULL)
            return MPI_ERR_NO_MEM;
    }
    if (staged && v == 0)
        err = chorale_pack(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, bytes);
    if (err == MPI_SUCCESS)
        err = all_rounds(call, v, bytes, n);
    if (err == MPI_SUCCESS && staged && v != 0)
        err = chorale_unpack(ctx, bytes, call->recvbuf, call->recvcount,
                             call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_circulant_cost(pt, 0, term);
}

const struct chorale_alg chorale_bcast_circulant = {
    .coll = CHORALE_BCAST,
    .name = "circulant",
    .summary = "blocks on the circulant graph, in the fewest rounds",
    .formula = "<= (S + ceil(lg P) - 1) (alpha + n/S beta), S = nblocks",
    .source = "Traeff, arXiv 2312.11236, 2407.18004",
    .fallback = "no more blocks than bytes",
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1.01,
    .nparam = 1,
    .param = { CHORALE_CIRCULANT_NBLOCKS("blocks") },
    .run = run,
    .cost = cost,
};
