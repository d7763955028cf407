/* SPDX-License-Identifier: BSD-3-Clause */
/* swing.c - reduce-scatter and allgather with Swing and Bine butterflies.
 *
 * In round t of the reduce-scatter a rank keeps the blocks of the ranks that it
 * reaches in later rounds. It sends its partner the blocks that the partner
 * reaches. Both ranks compute the same list. */
#include "algorithms/engines/reduction/swing.h"

#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/tree.h"

struct state {
    struct chorale_ctx *ctx;
    const struct chorale_blocks *b;
    int near, rounds;
    int *list[2];  /* blocks to send, to receive */
    void *data[2]; /* buffers for them */
};

int chorale_swing_partner(int rank, int size, int j)
{
    int rho = 1, partner;

    for (; j > 0; j--)
        rho = 1 - 2 * rho;
    partner = rank % 2 == 0 ? rank + rho : rank - rho;
    return (partner % size + size) % size;
}

static int partner(const struct state *st, int rank, int t)
{
    return chorale_swing_partner(rank, st->ctx->size,
                                 st->near ? t : st->rounds - 1 - t);
}

/* List the ranks that a rank reaches in the rounds after t. Returns their
 * number. */
static int reach(const struct state *st, int rank, int t, int *list)
{
    int n = 1;

    list[0] = rank;
    for (t++; t < st->rounds; t++) {
        for (int i = 0; i < n; i++)
            list[n + i] = partner(st, list[i], t);
        n *= 2;
    }
    return n;
}

/* Number of elements of the blocks of a list. */
static MPI_Count total(const struct state *st, const int *list, int n)
{
    MPI_Count sum = 0, count;

    for (int i = 0; i < n; i++) {
        chorale_block(st->b, list[i], &count);
        sum += count;
    }
    return sum;
}

enum what { COLLECT, DELIVER, ADD };

/* Copy the blocks of a list to contiguous data, or back, or add them to the
 * blocks. */
static int each_block(const struct state *st, const int *list, int n,
                      void *data, enum what what, MPI_Op op)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
        MPI_Count count;
        void *block = chorale_block(st->b, list[i], &count);

        if (what == ADD)
            err = chorale_reduce_local(st->ctx, data, block, count,
                                       st->b->type, op);
        else
            err = chorale_copy(st->ctx, what == COLLECT ? block : data, count,
                               st->b->type, what == COLLECT ? data : block,
                               count, st->b->type);
        data = chorale_at(data, st->b->extent, (MPI_Aint)count);
    }
    return err;
}

/* Send the blocks of list[0] and receive those of list[1], n each. A single
 * block is sent from its place, and received in place unless it is to be
 * added. */
static int exchange(const struct state *st, int peer, int n, enum what what,
                    MPI_Op op)
{
    MPI_Count out = total(st, st->list[0], n), in = total(st, st->list[1], n);
    MPI_Count count;
    void *from = st->data[0], *to = st->data[1];
    int err = MPI_SUCCESS;

    if (n > 1)
        err = each_block(st, st->list[0], n, from, COLLECT, op);
    else
        from = chorale_block(st->b, st->list[0][0], &count);
    if (n == 1 && what == DELIVER)
        to = chorale_block(st->b, st->list[1][0], &count);
    if (err == MPI_SUCCESS)
        err = chorale_sendrecv(st->ctx, from, out, st->b->type, peer, to, in,
                               st->b->type, peer);
    if (err == MPI_SUCCESS && (n > 1 || what == ADD))
        err = each_block(st, st->list[1], n, to, what, op);
    return err;
}

static int state_init(struct state *st, struct chorale_ctx *ctx,
                      const struct chorale_blocks *b, int near)
{
    int half = ctx->size / 2;
    MPI_Count most;

    *st = (struct state){ .ctx = ctx, .b = b, .near = near };
    st->rounds = chorale_ceil_log2(ctx->size);
    chorale_block_range(b, 0, half, &most); /* split: the first blocks are the
                                             * largest */
    for (int i = 0; i < 2; i++) {
        st->list[i] = chorale_scratch(ctx, sizeof(int) * (size_t)half);
        st->data[i] = chorale_scratch_typed(ctx, most, b->type);
        if (st->list[i] == NULL || st->data[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int chorale_swing_scatter_reduce(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, MPI_Op op,
                                 int near)
{
    size_t mark = chorale_scratch_mark(ctx);
    struct state st;
    int err = state_init(&st, ctx, b, near);

    for (int t = 0; t < st.rounds && err == MPI_SUCCESS; t++) {
        int peer = partner(&st, ctx->rank, t);

        reach(&st, peer, t, st.list[0]);
        err = exchange(&st, peer, reach(&st, ctx->rank, t, st.list[1]), ADD,
                       op);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_swing_gather_all(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b, int near)
{
    size_t mark = chorale_scratch_mark(ctx);
    struct state st;
    int err = state_init(&st, ctx, b, near);

    for (int t = st.rounds - 1; t >= 0 && err == MPI_SUCCESS; t--) {
        int peer = partner(&st, ctx->rank, t);

        reach(&st, ctx->rank, t, st.list[0]);
        err = exchange(&st, peer, reach(&st, peer, t, st.list[1]), DELIVER,
                       MPI_OP_NULL);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

/* --- allreduce -------------------------------------------------------- */

static int core(const struct chorale_call *call, int near)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_split(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    int err = MPI_SUCCESS;

    if (call->sendbuf != MPI_IN_PLACE)
        err = chorale_copy(ctx, call->sendbuf, call->recvcount,
                           call->recvtype, call->recvbuf, call->recvcount,
                           call->recvtype);
    if (err != MPI_SUCCESS || ctx->size == 1)
        return err;
    err = chorale_swing_scatter_reduce(ctx, &b, call->op, near);
    return err == MPI_SUCCESS ? chorale_swing_gather_all(ctx, &b, near) : err;
}

static int near_core(const struct chorale_call *call)
{
    return core(call, 1);
}

static int far_core(const struct chorale_call *call)
{
    return core(call, 0);
}

int chorale_swing_allreduce(const struct chorale_call *call, int near)
{
    return chorale_fold_run(call, 2, near ? near_core : far_core);
}

int chorale_swing_cost(const struct chorale_point *pt,
                       struct chorale_term *term)
{
    int q = chorale_pow2_below(pt->comm_size);
    int n = chorale_fold_cost(pt, 2, term, 0);

    n = chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 1, term, n);
    return chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 0, term, n);
}

size_t chorale_swing_scratch(const struct chorale_point *pt)
{
    int q = chorale_pow2_below(pt->comm_size);
    size_t passing, stays = chorale_fold_scratch(pt, 2, &passing);

    stays += 2 * chorale_parts_most(pt, q, q / 2) + sizeof(int) * (size_t)q;
    return passing > stays ? passing : stays;
}
