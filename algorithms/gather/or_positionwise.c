/* SPDX-License-Identifier: BSD-3-Clause */
/* or_positionwise.c - gather by one reduction with bitwise OR per block.
 *
 * The owner contributes its block, all other ranks zeros. The parameter base
 * selects the reduction; "library" is the MPI library's own, for networks that
 * reduce in hardware.
 *
 * Rounds  P times those of base               P = comm_size, n = m P bytes
 * Volume  as base with m bytes, P times
 * Cost    at most P times that of base with m bytes. Binomial: P L (alpha + m
 *         beta + m tau), L = ceil(lg P), exact, because the root is always
 *         busy. Pipelines overlap from one block to the next: (P - 1) (P - 3)
 *         segments less. The library's cost is unknown; that of binomial is
 *         used instead
 * Needs   any P, any root, any datatype: packed bytes
 * Source  US patent 8,140,826, as claimed
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/combine.h"
#include "algorithms/engines/rooted/packed.h"

/* Contribution of this rank: its packed block at its own position. */
struct state {
    const struct chorale_call *call;
    size_t m;
    const char *own, *zeros;
};

/* In place, the root's block is in its receive buffer. A copy is contributed,
 * because not all libraries can reduce in place at every root. */
static int own_in_place(struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, call->ctx->size);
    MPI_Count count;
    void *block = chorale_block(&b, call->root, &count);
    char *own;

    st->m = chorale_type_size(call->recvtype) * (size_t)count;
    st->own = own = chorale_scratch(call->ctx, st->m);
    return own == NULL ? MPI_ERR_NO_MEM
                       : chorale_pack(call->ctx, block, count, call->recvtype,
                                      own);
}

static int init(struct state *st, const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_packed p;
    char *zeros;
    int err;

    *st = (struct state){ .call = call };
    if (call->sendbuf == MPI_IN_PLACE) {
        err = own_in_place(st);
    } else {
        err = chorale_packed_init(&p, ctx, call->sendbuf, call->sendcount,
                                  call->sendtype);
        if (err == MPI_SUCCESS)
            err = chorale_packed_pack(&p);
        st->own = p.bytes;
        st->m = p.n;
    }
    if (err != MPI_SUCCESS)
        return err;
    st->zeros = zeros = chorale_scratch(ctx, st->m);
    if (zeros == NULL)
        return MPI_ERR_NO_MEM;
    chorale_memzero(ctx, zeros, st->m);
    return MPI_SUCCESS;
}

static const char *contribution(const struct state *st, int position)
{
    return position == st->call->ctx->rank ? st->own : st->zeros;
}

static int run_root(const struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct chorale_packed to;
    int err = chorale_packed_init(&to, ctx, call->recvbuf, call->recvcount,
                                  call->recvtype);

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++) {
        MPI_Count count;

        chorale_packed_turn(&to, chorale_block(&b, i, &count));
        err = chorale_combine(call, call->param[0], contribution(st, i),
                              to.bytes, st->m);
        if (err == MPI_SUCCESS)
            err = chorale_packed_unpack(&to);
    }
    return err;
}

static int run_other(const struct state *st)
{
    struct chorale_ctx *ctx = st->call->ctx;
    int err = MPI_SUCCESS;

    for (int i = 0; i < ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_combine(st->call, st->call->param[0],
                              contribution(st, i), NULL, st->m);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st;
    int err = init(&st, call);

    if (err == MPI_SUCCESS)
        err = ctx->rank == call->root ? run_root(&st) : run_other(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_combine_cost(pt, pt->param[0], pt->msg_size, term);

    for (int i = 0; i < n; i++) {
        term[i].messages *= pt->comm_size;
        term[i].reduced *= pt->comm_size;
    }
    /* The pipeline fills once or twice, not at every position. */
    if (n > 0 && pt->comm_size > 3 &&
        pt->param[0] == CHORALE_COMBINE_PIPELINE) {
        double filled = (pt->comm_size - 1.0) * (pt->comm_size - 3.0);

        term[0].messages -= filled;
        term[0].reduced -= filled * term[0].bytes;
    }
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_combine_scratch(pt, pt->param[0], pt->msg_size) +
           2 * pt->msg_size;
}

const struct chorale_alg chorale_gather_or_positionwise = {
    .coll = CHORALE_GATHER,
    .name = "or_positionwise",
    .summary = "a bitwise OR for every block, zeros from all but its owner",
    .formula = "<= as P of the base's reductions of m bytes; base=library: "
               "as the library's own, not known; base=binomial: <= P ceil(lg "
               "P) (alpha + m beta + m tau); base=pipeline: <= 3 (P-1) (alpha "
               "+ m beta + m tau)",
    .source = "US patent 8,140,826",
    .patents = "US 8,140,826",
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.39,
    .within_default = 1,
    .nparam = 1,
    .param = { CHORALE_COMBINE_BASE },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
