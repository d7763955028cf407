/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - reduction of S blocks on a circulant graph.
 *
 * Runs the rounds of the broadcast backwards: each rank collects the blocks
 * that it would have sent, and sends a block when that is complete.
 *
 * Rounds  S + L - 1, L = ceil(lg P)           P = comm_size, n = bytes,
 * Volume  n bytes from each rank              S = nblocks
 * Cost    at most (S + L - 1) (alpha + b beta + b tau), b the largest block
 * Needs   a commutative operation; any P, any root, any datatype
 * Source  Traeff, arXiv 2312.11236, 2407.18004
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/rooted/circulant.h"

#include <string.h>

/* The first operand received for a block goes into acc, where the own operand
 * is added; later ones go into tmp. A block for which none is received is sent
 * from own. */
struct state {
    const struct chorale_call *call;
    struct chorale_blocks own, acc;
    void *tmp;
    char *begun; /* per block: 1 if it is in acc */
};

static int real_rank(const struct state *st, int v)
{
    const struct chorale_ctx *ctx = st->call->ctx;

    return (int)(((long)v + st->call->root) % ctx->size);
}

/* Receive buffer for a block: acc the first time, then tmp. */
static void *place_for(const struct state *st, int block, MPI_Count *count)
{
    void *at = chorale_block(&st->acc, block, count);

    return st->begun[block] ? st->tmp : at;
}

/* One edge of the broadcast in the opposite direction. */
static int exchange(const struct state *st,
                    const struct chorale_circulant_round *r)
{
    struct chorale_ctx *ctx = st->call->ctx;
    MPI_Datatype type = st->call->recvtype;
    int to = real_rank(st, r->from), from = real_rank(st, r->to);
    MPI_Count out_count = 0, in_count = 0;
    void *out = NULL, *in = NULL;

    if (r->in >= 0)
        out = chorale_block(st->begun[r->in] ? &st->acc : &st->own, r->in,
                            &out_count);
    if (r->out >= 0)
        in = place_for(st, r->out, &in_count);
    if (r->in >= 0 && r->out >= 0)
        return chorale_sendrecv(ctx, out, out_count, type, to, in, in_count,
                                type, from);
    if (r->in >= 0)
        return chorale_send(ctx, out, out_count, type, to);
    return r->out >= 0 ? chorale_recv(ctx, in, in_count, type, from)
                       : MPI_SUCCESS;
}

static int one_round(struct state *st,
                     const struct chorale_circulant_round *r)
{
    const struct chorale_call *call = st->call;
    MPI_Count count;
    void *acc, *own;
    int err = exchange(st, r);

    if (err != MPI_SUCCESS || r->out < 0)
        return err;
    acc = chorale_block(&st->acc, r->out, &count);
    own = chorale_block(&st->own, r->out, &count);
    err = chorale_reduce_local(call->ctx, st->begun[r->out] ? st->tmp : own,
                               acc, count, call->recvtype, call->op);
    st->begun[r->out] = 1;
    return err;
}

static int all_rounds(struct state *st, int v, int nblocks)
{
    struct chorale_circulant c;
    int err = MPI_SUCCESS;

    chorale_circulant_init(&c, v, st->call->ctx->size);
    for (int i = chorale_circulant_rounds(&c, nblocks) - 1;
         i >= 0 && err == MPI_SUCCESS; i--) {
        struct chorale_circulant_round r =
            chorale_circulant_round(&c, nblocks, i);

        err = one_round(st, &r);
    }
    return err;
}

/* Allocate the buffers of a rank that receives. */
static int set_buffers(struct state *st, int is_root)
{
    const struct chorale_call *call = st->call;
    void *acc = call->recvbuf;

    if (!is_root)
        acc = chorale_scratch_typed(call->ctx, call->recvcount,
                                    call->recvtype);
    if (!is_root && acc == NULL)
        return MPI_ERR_NO_MEM;
    st->acc = chorale_blocks_at(&st->own, acc);
    st->tmp = chorale_scratch_typed(call->ctx,
                                    chorale_blocks_largest(&st->own),
                                    call->recvtype);
    return st->tmp == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    size_t unit = chorale_type_size(call->recvtype);
    int nblocks = chorale_circulant_nblocks(
        call->param[0], unit * (size_t)call->recvcount, unit);
    int v = (ctx->rank - call->root + ctx->size) % ctx->size;
    int in_place = call->sendbuf == MPI_IN_PLACE, err = MPI_SUCCESS;
    struct state st = { .call = call };

    if (ctx->size == 1)
        return in_place ? MPI_SUCCESS
                        : chorale_copy(ctx, call->sendbuf, call->recvcount,
                                       call->recvtype, call->recvbuf,
                                       call->recvcount, call->recvtype);
    st.own = chorale_blocks_split(in_place ? call->recvbuf : call->sendbuf,
                                  call->recvcount, call->recvtype, nblocks);
    st.begun = chorale_scratch(ctx, (size_t)nblocks);
    if (st.begun == NULL)
        return MPI_ERR_NO_MEM;
    memset(st.begun, in_place, (size_t)nblocks);
    if (v == 0 || ctx->size > 2)
        err = set_buffers(&st, v == 0);
    if (err == MPI_SUCCESS)
        err = all_rounds(&st, v, nblocks);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_circulant_cost(pt, 1, term);
}

/* The vector, one block, and one byte per block. */
static size_t scratch(const struct chorale_point *pt)
{
    size_t nblocks = (size_t)chorale_circulant_nblocks(
        pt->param[0], pt->msg_size, pt->type_size);

    return pt->comm_size < 2
               ? 0
               : (pt->comm_size > 2) * pt->msg_size +
                     pt->msg_size / nblocks + pt->type_size + nblocks;
}

const struct chorale_alg chorale_reduce_circulant = {
    .coll = CHORALE_REDUCE,
    .name = "circulant",
    .summary = "blocks on the circulant graph, in the fewest rounds",
    .formula = "<= (S + ceil(lg P) - 1) (alpha + n/S beta + n/S tau), "
               "S = nblocks",
    .source = "Traeff, arXiv 2312.11236, 2407.18004",
    .fallback = "no more blocks than elements",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within_default = 1.01,
    .nparam = 1,
    .param = { CHORALE_CIRCULANT_NBLOCKS("blocks") },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
