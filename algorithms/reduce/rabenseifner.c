/* SPDX-License-Identifier: BSD-3-Clause */
/* rabenseifner.c - recursive halving, then a binomial gather at the root.
 *
 * For long vectors. If P is not a power of two, neighbours fold first. Of the
 * first 2 (P - Q) ranks each even one sends its vector to the odd one above; if
 * the even one is the root, the odd one sends to the root. The root is
 * therefore always in the core.
 *
 * Rounds  2 F, folded 2 F + 1                 P = comm_size, n = bytes,
 * Volume  2 (Q - 1)/Q n bytes at the root     Q = largest 2^F <= P
 * Cost    2 F alpha + (Q - 1)/Q n (2 beta + tau); folded: + alpha + n beta + n
 *         tau. Exact for parts of equal size, else an upper bound: smaller
 *         parts may be on the root's path.
 * Needs   any P, any root, any datatype; a commutative operation
 * Source  Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/engines/radix.h"
#include "algorithms/tree.h"

/* Role of a rank. */
struct role {
    int place; /* place in the core; -1: sends its vector to peer */
    int peer;  /* core rank: the rank that sends its vector to this one, or
                * -1 */
};

struct state {
    const struct chorale_call *call;
    struct chorale_ctx *core;
    int root;                  /* the root's place */
    struct chorale_blocks own; /* operands */
    struct chorale_blocks acc; /* partial sums, then the gathered parts */
};

static struct role role_of(int rank, int root, int size)
{
    struct chorale_fold fold, last;
    struct role role = { .peer = -1 };

    chorale_fold_init(&fold, rank, size, 2);
    role.place = fold.place;
    if (fold.first == fold.keeper)
        return role;
    role.peer = rank == fold.first ? fold.keeper : fold.first;
    if (fold.first == root) {
        chorale_fold_init(&last, fold.keeper, size, 2);
        role.place = rank == root ? last.place : -1;
    }
    return role;
}

/* Combine the peer's vector with the own one, in recvbuf at the root, else in
 * scratch. Sets own and acc. */
static int take(struct state *st, int peer, void *result)
{
    const struct chorale_call *call = st->call;
    struct chorale_ctx *ctx = call->ctx;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    void *sum = in_place ? NULL : result, *in;
    int err;

    if (sum == NULL)
        sum = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
    if (sum == NULL)
        return MPI_ERR_NO_MEM;
    in = sum;
    err = chorale_recv(ctx, in, call->recvcount, call->recvtype, peer);
    if (in_place)
        sum = call->recvbuf;
    if (err == MPI_SUCCESS)
        err = chorale_reduce_local(ctx, in_place ? in : call->sendbuf, sum,
                                   call->recvcount, call->recvtype,
                                   call->op);
    st->acc = chorale_blocks_at(&st->acc, sum);
    st->own = st->acc;
    return err;
}

/* Operands stay in the caller's buffers. On ranks other than the root, sums
 * exist only for the half of the parts that the rank keeps and gathers, so only
 * that half is allocated. */
static int set_buffers(struct state *st, void *result)
{
    const struct chorale_call *call = st->call;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    int half = st->core->size / 2, keep;
    char *piece, *mem;
    MPI_Count count;

    st->own = chorale_blocks_at(&st->acc,
                                in_place ? call->recvbuf : call->sendbuf);
    if (result != NULL) {
        st->acc = chorale_blocks_at(&st->acc, result);
        return MPI_SUCCESS;
    }
    keep = st->core->rank < half ? 0 : half;
    piece = chorale_block_range(&st->own, keep, half, &count);
    mem = chorale_scratch_typed(call->ctx, count, call->recvtype);
    if (mem == NULL)
        return MPI_ERR_NO_MEM;
    st->acc = chorale_blocks_at(&st->own, mem - (piece - st->own.base));
    return MPI_SUCCESS;
}

/* After the round for bit b, a place that agrees with the root's place in its
 * lowest bits up to b has the parts of 2 b places. */
static int gather(const struct state *st)
{
    struct chorale_ctx *core = st->core;
    const struct chorale_blocks *acc = &st->acc;
    int err = MPI_SUCCESS;

    for (int bit = 1; bit < core->size && err == MPI_SUCCESS; bit *= 2) {
        int peer = core->rank ^ bit;
        int stays = ((core->rank ^ st->root) & bit) == 0;
        int holder = stays ? peer : core->rank;
        MPI_Count count;
        void *parts = chorale_block_range(acc, holder / bit * bit, bit,
                                          &count);

        if (!stays)
            return chorale_send(core, parts, count, acc->type, peer);
        err = chorale_recv(core, parts, count, acc->type, peer);
    }
    return err;
}

static int run_core(struct state *st, int peer)
{
    const struct chorale_call *call = st->call;
    void *result = call->ctx->rank == call->root ? call->recvbuf : NULL;
    struct chorale_rs rs = {
        .ctx = st->core,
        .own = &st->own,
        .acc = &st->acc,
        .op = call->op,
        .commutative = 1,
    };
    int err = peer < 0 ? set_buffers(st, result) : take(st, peer, result);

    if (st->own.base == st->acc.base)
        rs.acc = rs.own;
    if (err == MPI_SUCCESS)
        err = chorale_rs_exchange(&rs, 2);
    return err == MPI_SUCCESS ? gather(st) : err;
}

/* Make a context for the core: a view, if not all ranks are in the core. */
static int core_view(struct state *st, struct chorale_ctx *view, int place)
{
    struct chorale_ctx *ctx = st->call->ctx;
    int size = chorale_pow2_below(ctx->size);
    int *map;

    if (size == ctx->size)
        return MPI_SUCCESS;
    map = chorale_scratch(ctx, sizeof(*map) * (size_t)size);
    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < size; i++)
        map[i] = chorale_fold_rank(i, ctx->size, 2);
    map[st->root] = st->call->root;
    chorale_ctx_view(ctx, view, place, size, map);
    st->core = view;
    return MPI_SUCCESS;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx, view;
    size_t mark = chorale_scratch_mark(ctx);
    struct role role = role_of(ctx->rank, call->root, ctx->size);
    struct state st = {
        .call = call,
        .core = ctx,
        .root = role_of(call->root, call->root, ctx->size).place,
    };
    int err;

    if (ctx->size == 1)
        return call->sendbuf == MPI_IN_PLACE
                   ? MPI_SUCCESS
                   : chorale_copy(ctx, call->sendbuf, call->recvcount,
                                  call->recvtype, call->recvbuf,
                                  call->recvcount, call->recvtype);
    if (role.place < 0)
        return chorale_send(ctx, call->sendbuf, call->recvcount,
                            call->recvtype, role.peer);
    err = core_view(&st, &view, role.place);
    st.acc = chorale_blocks_split(NULL, call->recvcount, call->recvtype,
                                  st.core->size);
    if (err == MPI_SUCCESS)
        err = run_core(&st, role.peer);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int q = chorale_pow2_below(pt->comm_size), n = 0;
    double m = (double)pt->msg_size;

    if (q < pt->comm_size)
        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = m,
                                           .reduced = m };
    n = chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 1, term, n);
    return chorale_half_cost(pt, CHORALE_WAY_EXCHANGE, 2, q, 0, term, n);
}

/* A whole vector if a rank folds onto this one, else half of it; plus the
 * scratch of recursive halving in place. */
static size_t scratch(const struct chorale_point *pt)
{
    int p = pt->comm_size, q = chorale_pow2_below(p);
    size_t half = chorale_parts_most(pt, q, q / 2);

    if (p < 2)
        return 0;
    return half +
           (q < p   ? pt->msg_size + sizeof(int) * (size_t)q
            : q > 2 ? chorale_parts_most(pt, q, q / 4)
                    : 0);
}

const struct chorale_alg chorale_reduce_rabenseifner = {
    .coll = CHORALE_REDUCE,
    .name = "rabenseifner",
    .summary = "recursive halving, then a binomial gather; neighbours fold",
    .formula = "<= 2 F alpha + (Q-1)/Q n (2 beta + tau), F = floor(lg P), Q = "
               "2^F; P not a power of two: + alpha + n beta + n tau",
    .source = "Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
